/**
 * The part of the store that keeps mailboxes. A send goes through `Store.change`, together with its event; what
 * readers do with their own mail goes through `changeMailbox`, which touches no room. Changes of one mailbox happen
 * one after the other.
 */

import type { AgentId, EventId } from "../../core/ids.ts";
import type { Ask, Delivery, Receiver } from "../../core/mail-records.ts";
import type { Moment } from "../../core/time.ts";
import type { MessageSent } from "../../mail/rules/message.ts";
import type { MailboxWindow, MailDecision } from "../../mail/rules/take.ts";

/** What a send wants to know; see `Post`. */
export interface PostRequest {
  readonly sender: AgentId;
  /** One agent, possibly by a former name, or every member of the room. */
  readonly to: AgentId | "room";
  /** For a message to the room: the recipients besides the members. */
  readonly outside?: readonly AgentId[];
  readonly msgId: string | null;
  readonly cites: readonly EventId[];
  /** Whether the asks of all agents are wanted. */
  readonly asks: boolean;
}

/** Which deliveries of a mailbox are wanted, oldest first. */
export type MailWindow =
  /** The oldest of each sender, or of one, that are live and not shown; with `withShown` all that are shown as well. */
  | { readonly kind: "lanes"; readonly perSender: number; readonly from: AgentId | null; readonly withShown?: true }
  /** Those of certain messages, in any state. */
  | { readonly kind: "messages"; readonly ids: readonly EventId[] }
  /** Those with certain numbers, in any state. */
  | { readonly kind: "numbers"; readonly seqs: readonly number[] }
  /** Live ones that answer a certain message. */
  | { readonly kind: "replies"; readonly to: EventId }
  /** Those that answer an ask of the owner, in any state. The window then has that one ask, even if it has ended. */
  | { readonly kind: "ask"; readonly requestId: EventId }
  /** Those to which their senders gave this id, in any state. */
  | { readonly kind: "msg_id"; readonly msgId: string }
  /** All of them, or those after a number that was seen before. */
  | { readonly kind: "live"; readonly limit: number; readonly after?: number }
  /** Dead letters that were not purged, and deliveries in flight, because time may have made dead letters of them. */
  | { readonly kind: "dead_letters"; readonly limit: number; readonly after?: number }
  /** In any state, after a number that was seen before. */
  | { readonly kind: "after"; readonly seq: number; readonly limit: number };

export interface LoadedMailbox {
  readonly moment: Moment;
  /** Under the owner's present name. */
  readonly window: MailboxWindow;
  /** The number for a new delivery. */
  readonly freeSeq: number;
}

export interface MailOptions {
  /**
   * Which changes wait for the disk; all by default.
   * `ends`: mail is only taken or kept, possibly with the end of an ask, so no delivery is expected to end or begin.
   * The change waits for the disk only if one does end or begin. Otherwise, after a power failure, the mail comes
   * again.
   * `nothing`: not even the end of a delivery waits. For a door that has shown its mail: it reports the acknowledgement
   * to no caller, and every door promises to show mail again after a power failure.
   */
  readonly waitsForDisk?: "all" | "ends" | "nothing";
  /** Whether the caller wants the messages that are taken together with the decision, which saves a read. */
  readonly withMessages?: boolean;
}

export interface MailChanged<Answer> extends MailDecision<Answer> {
  /** The messages that were taken, if the caller wanted them and the store has read them. */
  readonly messages?: readonly MessageSent[];
}

export interface MailStore {
  changeMailbox<Answer>(
    owner: AgentId,
    look: MailWindow,
    decide: (loaded: LoadedMailbox) => MailDecision<Answer>,
    options?: MailOptions,
  ): Promise<MailChanged<Answer>>;

  readMailbox(owner: AgentId, look: MailWindow): Promise<{ readonly moment: Moment; readonly window: MailboxWindow }>;

  /** Messages by their ids. One that is not there is left out. */
  readMessages(ids: readonly EventId[]): Promise<readonly MessageSent[]>;

  /** The registered receivers of these agents, including those under a former name. */
  readReceivers(agents: readonly AgentId[]): Promise<readonly Receiver[]>;

  /** The asks of all agents that have not ended. */
  readWaitingAsks(): Promise<readonly Ask[]>;

  /** Asks by their ids, however they ended. One that is not there is left out. */
  readAsks(ids: readonly EventId[]): Promise<readonly Ask[]>;

  /**
   * The asks that were delivered to this agent and that it has not answered, whether or not their callers still wait.
   * Once the caller has stopped waiting, whatever the agent has written to the asker since the question is an answer,
   * unless it replies to another message. The newest `limit`, ascending.
   */
  readUnansweredAsks(peer: AgentId, limit: number): Promise<readonly Ask[]>;

  /** What became of these messages, for each recipient, in the order of the deliveries. */
  readDeliveries(messageIds: readonly EventId[]): Promise<readonly Delivery[]>;
}
