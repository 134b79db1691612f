/** What the agents of a run tell, and what is known of their lives. All times are the machine's monotonic clock. */

export type Call =
  | "send"
  | "receive"
  | "confirm"
  | "ask"
  | "reply"
  | "note"
  | "look"
  | "wait"
  | "take over"
  | "release"
  | "tt state"
  | "tt msg send";

/** One call of an agent, told when it had ended. */
export interface Deed {
  readonly call: Call;
  readonly begunUs: number;
  readonly endedUs: number;
  /** The code of the refusal or the fault. */
  readonly refused?: string;
  readonly fault?: string;
  /** The turn that a wait or a takeover brought, or that a release ended. */
  readonly turnId?: number;
  /** What the handoff that came or went says is true now; null if none came. */
  readonly handoff?: string | null;
  /** The message that was sent, and to which agent. */
  readonly messageId?: string;
  readonly to?: string;
  /** The messages that came, and those that were confirmed. */
  readonly shown?: readonly string[];
  readonly confirmed?: readonly string[];
}

/** The first line of an agent. */
export interface Arrived {
  readonly roomId: string;
}

/** Its last line but those of its mailbox: it holds nothing and begins nothing any more. */
export interface Rests {
  readonly rests: true;
}

export type Line = Deed | Arrived | Rests;

/** What an agent is told while it lives. */
export type Order = { readonly pace: number } | { readonly rest: true };

export interface Traits {
  readonly agentId: string;
  readonly tree: string;
  /** The others in its room, and those of its project on other machines. */
  readonly mates: readonly string[];
  readonly others: readonly string[];
  /** The built program. */
  readonly program: string;
  readonly pace: number;
  readonly seed: number;
}

/** One process of an agent. */
export interface Life {
  readonly agentId: string;
  readonly roomId: string;
  readonly deeds: readonly Deed[];
  /** When it was killed, or ended by itself; null if it went on to the end. */
  readonly endedUs: number | null;
}

/** What the log of a room says at the end. */
export interface RoomLog {
  readonly roomId: string;
  readonly grants: readonly { readonly turnId: number; readonly agentId: string }[];
  /** Each turn that ended with a handoff, and what it says is true now. */
  readonly handoffs: ReadonlyMap<number, string>;
  /** Each message, and to which agent it was sent. */
  readonly messages: ReadonlyMap<string, string>;
}
