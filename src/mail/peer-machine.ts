/** While an agent waits for an answer: whether the machine of the asked agent is silent. */
import type { AgentId, RoomId } from "../core/ids.ts";
import { elapsedMs, type Instant } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { lookAtRoom } from "../engine/evidence.ts";
import { alivenessIn } from "../room/rules/liveness.ts";
import { type SilentMachine, silentMachineOf } from "./rules/silent-machine.ts";

/** Nothing is expected of the machine, or it is silent: what will change that is not known. */
const LOOK_AGAIN_MS = 30_000;

export class PeerMachine {
  readonly #deps: Deps;
  readonly #roomId: RoomId;
  readonly #peer: AgentId;
  #silent: SilentMachine | null;
  #lookedAt: Instant | null = null;
  #againInMs = 0;

  /** `roomId`: the room that saw the peer last. `silent`: as the question was sent. */
  constructor(deps: Deps, roomId: RoomId, peer: AgentId, silent: SilentMachine | null) {
    this.#deps = deps;
    this.#roomId = roomId;
    this.#peer = peer;
    this.#silent = silent;
    if (silent) this.#againIn(LOOK_AGAIN_MS);
  }

  get silent(): SilentMachine | null {
    return this.#silent;
  }

  /** When to look again. */
  get changesInMs(): number {
    const spentMs = this.#lookedAt ? elapsedMs(this.#lookedAt, this.#deps.clock.now().instant) : 0;
    return Math.max(0, this.#againInMs - spentMs);
  }

  /** Whether the machine has become silent since the last look, or is back. */
  async look(): Promise<boolean> {
    const snapshot = await this.#deps.store.readRoom(this.#roomId);
    this.#againIn(LOOK_AGAIN_MS);
    if (!snapshot) return false;
    const { room, moment } = snapshot;
    const given = await lookAtRoom(this.#deps, snapshot, { about: [this.#peer] });
    const wasSilent = this.#silent !== null;
    this.#silent = silentMachineOf([room], this.#peer, given, this.#deps.probe.self());
    const due = alivenessIn(room, this.#peer, given).silenceDeadline;
    if (due) this.#againIn(-elapsedMs(due, moment.instant));
    return wasSilent !== (this.#silent !== null);
  }

  #againIn(ms: number): void {
    this.#lookedAt = this.#deps.clock.now().instant;
    this.#againInMs = ms;
  }
}
