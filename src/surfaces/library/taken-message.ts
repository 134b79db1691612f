/**
 * What a handle has dequeued and not answered for. Two senders may have given one id, so there may be several messages
 * under it: an answer means the last of them that has none yet, or that of the sender who is named. When all have their
 * answer, one more repeats the last.
 */
import type { AgentId, EventId } from "../../core/ids.ts";

export interface Taken {
  readonly messageId: EventId;
  /** Counted from 1. */
  readonly attempt: number;
  readonly from: AgentId;
}

interface UnderOneId {
  /** Oldest first. */
  readonly open: readonly Taken[];
  readonly answered: readonly Taken[];
}

/** A consumer that takes more without answering has long lost the oldest to their deadlines. */
const IDS_REMEMBERED = 10_000;

export class TakenRecord {
  readonly #known = new Map<string, UnderOneId>();

  took(owner: AgentId, msgId: string, taken: Taken): void {
    const isOther = (one: Taken) => one.messageId !== taken.messageId;
    const { open, answered } = this.#under(owner, msgId);
    this.#keep(owner, msgId, { open: [...open.filter(isOther), taken], answered: answered.filter(isOther) });
  }

  /** The one that an answer means, which then has its answer; null when this handle took none. */
  answering(owner: AgentId, msgId: string, from: AgentId | null): Taken | null {
    const { open, answered } = this.#under(owner, msgId);
    const isMeant = (one: Taken) => from === null || one.from === from;
    const meant = open.findLast(isMeant);
    if (!meant) return answered.findLast(isMeant) ?? null;
    this.#keep(owner, msgId, { open: open.filter((one) => one !== meant), answered: [...answered, meant] });
    return meant;
  }

  /** Its answer did not reach the store, so that the next one means it again. */
  notAnswered(owner: AgentId, msgId: string, taken: Taken): void {
    const { open, answered } = this.#under(owner, msgId);
    if (!answered.includes(taken)) return;
    this.#keep(owner, msgId, { open: [...open, taken], answered: answered.filter((one) => one !== taken) });
  }

  #under(owner: AgentId, msgId: string): UnderOneId {
    return this.#known.get(keyOf(owner, msgId)) ?? { open: [], answered: [] };
  }

  #keep(owner: AgentId, msgId: string, under: UnderOneId): void {
    const key = keyOf(owner, msgId);
    this.#known.delete(key);
    this.#known.set(key, under);
    if (this.#known.size <= IDS_REMEMBERED) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }
}

function keyOf(owner: AgentId, msgId: string): string {
  return JSON.stringify([owner, msgId]);
}
