/** One call of a tool: the caller, the room, how long it may take, and what to do after the answer. */

import type { RoomId } from "../../core/ids.ts";
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { lastKnown } from "../../engine/commit.ts";
import type { Deps } from "../../engine/deps.ts";
import { ignoringFaults } from "../../engine/ignoring-faults.ts";
import { type InFlight, NOTHING_IN_FLIGHT } from "../../engine/in-flight.ts";
import type { Call, ClaimBook } from "../../engine/operation.ts";
import type { OwnInbox } from "../../engine/ports/wake.ts";
import { refuseLeftover } from "../../engine/refuse-leftover.ts";
import type { QuestionSent } from "../../mail/ask-peer.ts";
import { silentMachineText } from "../../mail/rules/silent-machine.ts";
import type { Room } from "../../room/rules/room.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import type { CallEvidence } from "../../session/rules/evidence.ts";
import { callerOf, type Identification } from "../../session/rules/identity.ts";
import type { NotYet } from "../../stick/rules/answers.ts";
import { type LossMemory, lostFacts } from "../../stick/untold-loss.ts";
import type { Door } from "../door.ts";
import { longestWaitMs } from "./clients.ts";
import type { FlagKeepers } from "./flag-keepers.ts";
import type { LeaseKeeper } from "./lease-keeper.ts";
import type { LossTeller } from "./loss-teller.ts";
import { type OwnWaker, withWaker } from "./own-waker.ts";
import type { ProgressReporter } from "./progress.ts";
import type { ServedSessions } from "./served-sessions.ts";

/** The world outside, as main wires it. */
export interface McpPorts {
  readonly version: string;
  /** The client's project directory. */
  readonly directory: string;
  readonly openDeps: () => Promise<Deps | Refusal>;
  /** Identifies the caller again with every call, because a server outlives sessions. */
  readonly identify: (deps: Deps, call: CallEvidence) => Promise<Identification>;
  readonly claimBook: () => ClaimBook;
  /** What callers were told of sticks that they lost; shared with their hooks and commands. */
  readonly memory: () => LossMemory;
  /** The inbox of the session that started this server, if its harness has one. */
  readonly ownInbox?: OwnInbox | null;
  /** Whether other machines use the same store. */
  readonly isShared?: () => boolean;
}

interface Known {
  readonly deps: Deps;
  readonly caller: Caller;
}

export interface CallOptions {
  readonly ports: McpPorts;
  readonly deps: () => Promise<Deps | Refusal>;
  readonly evidence: CallEvidence;
  readonly keeper: LeaseKeeper;
  readonly waker: OwnWaker | null;
  readonly served: Pick<ServedSessions, "meet">;
  readonly flagKeepers: FlagKeepers | null;
  readonly losses: LossTeller;
  /** How far each receiver has read the log of its room. */
  readonly cursors: Map<string, number>;
  readonly signal: AbortSignal;
  readonly progress: ProgressReporter;
  /**
   * Called with the mail that was taken. It is acknowledged when the answer has left this process, and goes back if the
   * answer never does.
   */
  readonly afterAnswer: (taken: InFlight) => void;
}

export class ToolCall {
  readonly #options: CallOptions;
  /** While the call lasts, it is a sign of life of its agent. This function ends that. */
  #endSign: (() => void) | null = null;
  #session: Known | null = null;
  /** The room that the call is about, as it was found. */
  #room: Room | null = null;

  constructor(options: CallOptions) {
    this.#options = options;
  }

  /** The way into the operations. A reader need not be known. */
  get door(): Door {
    const { ports, deps: open, evidence } = this.#options;
    return {
      directory: ports.directory,
      deps: open,
      caller: async (_deps, { caller, store }) => {
        if (caller === "known") {
          const session = await this.session(store);
          return isRefusal(session) ? session : session.caller;
        }
        // Every caller may read, even an unknown one.
        const reader = await ignoringFaults(() => this.session(store));
        return reader === null || isRefusal(reader) ? null : reader.caller;
      },
      identify: async (deps) => {
        return { identification: await ports.identify(deps, evidence), ...ports.claimBook() };
      },
      isAbout: (_deps, _caller, room) => {
        this.#room = room;
      },
    };
  }

  /** The callbacks and limits that operations use during this call. */
  get ofOperation(): Call {
    const { keeper, cursors, signal, progress, evidence, afterAnswer } = this.#options;
    return {
      cancel: signal,
      afterOutput: afterAnswer,
      onLook: (seen) => progress.tell(progressText(seen)),
      renamed: async () => void (await this.session()),
      entered: (deps, _caller, roomId) => this.#hasEntered(deps, roomId),
      waitMs: (wantedMs) => Math.min(wantedMs, longestWaitMs(evidence.clientName)),
      heard: {
        recall: ({ agentId }, roomId) => cursors.get(JSON.stringify([agentId, roomId])),
        remember: ({ agentId }, roomId, seq) => void cursors.set(JSON.stringify([agentId, roomId]), seq),
      },
      turns: {
        known: (caller, roomId) => keeper.turnOf(caller, roomId),
        granted: async (caller, roomId, { turnId, leaseId }) => {
          const deps = await this.#options.deps();
          if (!isRefusal(deps)) keeper.keep(deps, { caller, roomId, token: { leaseId, expectedTurnId: turnId } });
        },
        over: (caller, roomId) => keeper.forget(caller, roomId),
      },
    };
  }

  /** The caller. For a read it may also be a process that an ended session left behind. */
  async session(purpose: "read" | "change" = "change"): Promise<Known | Refusal> {
    const deps = await this.#options.deps();
    if (isRefusal(deps)) return deps;
    const identification = await this.#options.ports.identify(deps, this.#options.evidence);
    if (isRefusal(identification.identity)) return identification.identity;
    const { waker, served, flagKeepers } = this.#options;
    const caller = withWaker(waker, deps, callerOf(identification.identity, identification.facts));
    const ended = refuseLeftover(deps, caller);
    if (ended && purpose === "change") return ended;
    if (ended) return { deps, caller };
    this.#session = { deps, caller };
    this.#endSign ??= this.#options.keeper.begin(deps, caller);
    if (purpose === "change") await served.meet(deps, caller);
    waker?.meet(deps, caller.agentId);
    flagKeepers?.meet(deps, caller);
    return { deps, caller };
  }

  end(): void {
    this.#options.progress.end();
    this.#endSign?.();
  }

  #hasEntered(deps: Deps, roomId: RoomId): void {
    this.#room = lastKnown(deps, roomId)?.room ?? null;
  }

  /** The answer, with news of the stick or the place that its caller lost. A read does not record that it told this. */
  async withLoss(answer: object | Refusal, { reads }: { readonly reads: boolean }): Promise<object | Refusal> {
    if (!this.#session) return answer;
    const { deps, caller } = this.#session;
    const { losses, afterAnswer } = this.#options;
    const room = this.#room;
    const lost = await (room ? losses.look(deps, caller, room) : losses.lookAround(deps, caller));
    if (!lost) return answer;
    if (!reads) afterAnswer({ ...NOTHING_IN_FLIGHT, confirm: async () => losses.told(caller, lost) });
    if (!isRefusal(answer)) return { ...answer, lost: lostFacts(lost.end) };
    // If the refusal itself says how the turn ended, nothing is added.
    return answer.facts["ended"] === undefined
      ? { ...answer, facts: { ...answer.facts, lost: lostFacts(lost.end) } }
      : answer;
  }
}

/** What a wait sees, for a client that shows progress. */
function progressText({ currentOwner, queuePosition, to, sent }: Partial<NotYet & QuestionSent>): string {
  const [peer] = sent?.deliveries ?? [];
  const silent = peer ? silentMachineText("Its", peer).map((text) => `. ${text.trimEnd()}`) : [];
  if (to !== undefined) return [`waiting for ${to} to answer`, ...silent].join("");
  return `${currentOwner ?? "nobody"} holds the stick; you are number ${queuePosition ?? "-"}`;
}
