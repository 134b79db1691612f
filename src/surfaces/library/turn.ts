/**
 * A held turn. States: held; over (released, passed or given up by the program); lost (taken, or ended by another).
 *
 * While it is held, its room is watched: the lease is renewed as long as the program makes calls, and a loss aborts the
 * signal. A program that hangs without a call does not keep the stick until it is killed.
 */
import type { RoomId } from "../../core/ids.ts";
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import type { Held } from "../../engine/operation.ts";
import { keepLease } from "../../stick/heartbeat.ts";
import { giveUpTurn } from "../../stick/release-stick.ts";
import type { YourTurn } from "../../stick/rules/answers.ts";
import type { HandoffInput, HeldTurn } from "./api.ts";
import type { Client } from "./client.ts";
import { orThrow, TalkingStickError } from "./error.ts";

type Granted = Pick<YourTurn, "turnId" | "leaseId" | "handoff" | "fromAgentId">;

/** With one of these a holder learns that the turn is no longer its own. */
const LOSSES: readonly string[] = ["turn_mismatch", "stale_lease", "room_closed", "room_not_found"];

export class KeptTurn implements HeldTurn {
  readonly turnId: number;
  readonly handoff: YourTurn["handoff"];
  readonly fromAgentId: string | null;
  readonly #client: Client;
  readonly #roomId: RoomId;
  readonly #token: Held;
  readonly #lost = new AbortController();
  /** Ends the watch, whether the turn is over or lost. */
  readonly #ended = new AbortController();
  readonly #forget: () => void;
  #handingOver: Promise<unknown> = Promise.resolve();
  #givingUp: Promise<void> | null = null;

  constructor(client: Client, roomId: RoomId, { turnId, leaseId, handoff, fromAgentId }: Granted) {
    this.turnId = turnId;
    this.handoff = handoff;
    this.fromAgentId = fromAgentId;
    this.#client = client;
    this.#roomId = roomId;
    this.#token = { leaseId, expectedTurnId: turnId };
    this.#forget = client.beforeClosing(() => this.close());
    client.background(this.#watch());
  }

  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  release(handoff: HandoffInput) {
    return this.#handOver(() => this.#client.stick.releaseStick({ ...this.#named, handoff }));
  }

  pass(toAgentId: string, handoff: HandoffInput) {
    return this.#handOver(() => this.#client.stick.passStick({ ...this.#named, toAgentId, handoff }));
  }

  async renew(): Promise<void> {
    await this.#client.call(() => this.#asHolder(() => this.#client.stick.heartbeat(this.#named)));
  }

  /** A turn that was lost, or is over, has nothing to give up. */
  close(): Promise<void> {
    return (this.#givingUp ??= this.#giveUp().finally(() => {
      this.#givingUp = null;
    }));
  }

  /** If the store fails, the turn is still held, and can be given up once more. */
  async #giveUp(): Promise<void> {
    await Promise.allSettled([this.#handingOver]);
    if (this.#ended.signal.aborted) return;
    const { deps, caller } = this.#client;
    await orThrow(async () => {
      const answer = await giveUpTurn(deps, caller, this.#roomId, this.#token);
      return isRefusal(answer) && LOSSES.includes(answer.error) ? null : answer;
    });
    this.#end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #named() {
    return { roomId: this.#roomId, ...this.#token };
  }

  #handOver<Answer>(work: () => Promise<Answer | Refusal>): Promise<Answer> {
    const handingOver = this.#client
      .call(() => this.#asHolder(work))
      .then((answer) => {
        this.#end();
        return answer;
      });
    this.#handingOver = handingOver;
    return handingOver;
  }

  /** A refusal may say that the turn is lost. */
  async #asHolder<Answer>(work: () => Promise<Answer | Refusal>): Promise<Answer | Refusal> {
    const answer = await work();
    if (isRefusal(answer) && LOSSES.includes(answer.error)) this.#lose(answer);
    return answer;
  }

  #lose(refusal: Refusal): void {
    if (this.#ended.signal.aborted || this.#givingUp) return;
    this.#end();
    this.#lost.abort(new TalkingStickError(refusal.error, refusal));
  }

  #end(): void {
    this.#ended.abort();
    this.#forget();
  }

  async #watch(): Promise<void> {
    const { deps, caller } = this.#client;
    const loss = await keepLease(deps, {
      turn: () => ({ caller, roomId: this.#roomId, token: this.#token }),
      isActive: (withinMs) => this.#client.isActive(withinMs),
      cancel: this.#ended.signal,
      name: caller.agentId,
    });
    if (!loss) return;
    // A turn that is being handed over is lost only if that fails.
    await Promise.allSettled([this.#handingOver]);
    this.#lose(loss);
  }
}
