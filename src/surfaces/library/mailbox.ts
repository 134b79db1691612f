/**
 * The mailbox protocol for one workspace. A handle remembers which messages, and which attempts at them, it dequeued
 * under an id: `ack` and `nack` mean these by default. Refusals are values here; mailbox-library.ts throws them.
 */
import type { RoomId } from "../../core/ids.ts";
import { LIMITS } from "../../core/limits.ts";
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { decodeText } from "../../engine/decode.ts";
import type { Deps } from "../../engine/deps.ts";
import type { Place } from "../../engine/ports/workspace.ts";
import { answerFor, dequeue } from "../../mail/mailbox-protocol/dequeue.ts";
import { type EnqueueInput, enqueue, mailboxRoom } from "../../mail/mailbox-protocol/enqueue.ts";
import { peek, peekDeadLetters, purge, purgeDead } from "../../mail/mailbox-protocol/peek.ts";
import {
  type DeadLetterEntry,
  deadLetterView,
  decodeMessage,
  decodeMsgId,
  decodeSession,
  decodeWhich,
  type EnqueueAck,
  type Message,
  type MessageSummary,
  messageView,
  summaryView,
} from "./mailbox-message.ts";
import { TakenRecord } from "./taken-message.ts";

export class MailboxHandle {
  readonly #deps: Deps;
  readonly #place: Place;
  readonly #taken = new TakenRecord();
  #roomId: RoomId | null = null;

  private constructor(deps: Deps, place: Place) {
    this.#deps = deps;
    this.#place = place;
  }

  /** The room is made when the first message needs it. */
  static async at(deps: Deps, path: unknown): Promise<MailboxHandle | Refusal> {
    const decoded = decodeText("path", path, LIMITS.pathCharacters);
    if (isRefusal(decoded)) return decoded;
    const place = await deps.workspace.locate(decoded);
    return isRefusal(place) ? place : new MailboxHandle(deps, place);
  }

  get project(): string {
    return this.#place.project;
  }

  async enqueue(message: unknown): Promise<EnqueueAck | Refusal> {
    const input = decodeMessage(message);
    if (isRefusal(input)) return input;
    const known = this.#roomId;
    const answer = await this.#enqueueIn(known ?? (await mailboxRoom(this.#deps, this.#place)), input);
    if (known === null || !isRefusal(answer) || answer.error !== "room_not_found") return answer;
    // Pruning has removed the room since.
    return this.#enqueueIn(await mailboxRoom(this.#deps, this.#place), input);
  }

  async #enqueueIn(roomId: RoomId, input: EnqueueInput): Promise<EnqueueAck | Refusal> {
    this.#roomId = roomId;
    const answer = await enqueue(this.#deps, roomId, input);
    return isRefusal(answer) ? answer : { msg_id: input.msgId, ...answer };
  }

  async dequeue(sessionId: unknown): Promise<Message | null | Refusal> {
    const owner = decodeSession("session_id", sessionId);
    if (isRefusal(owner)) return owner;
    const dequeued = await dequeue(this.#deps, owner);
    if (!dequeued) return null;
    const { message, messageId, attempt } = dequeued;
    this.#taken.took(owner, message.msgId, { messageId, attempt, from: message.from });
    return messageView(message);
  }

  ack(sessionId: unknown, msgId: unknown, which?: unknown): Promise<null | Refusal> {
    return this.#answer(sessionId, msgId, which, null);
  }

  async nack(sessionId: unknown, msgId: unknown, reason: unknown, which?: unknown): Promise<null | Refusal> {
    const decoded = decodeText("reason", reason, LIMITS.reasonCharacters);
    return isRefusal(decoded) ? decoded : this.#answer(sessionId, msgId, which, decoded);
  }

  async peek(sessionId: unknown): Promise<MessageSummary[] | Refusal> {
    const owner = decodeSession("session_id", sessionId);
    return isRefusal(owner) ? owner : (await peek(this.#deps, owner)).map(summaryView);
  }

  async purge(sessionId: unknown): Promise<null | Refusal> {
    const owner = decodeSession("session_id", sessionId);
    if (isRefusal(owner)) return owner;
    await purge(this.#deps, owner);
    return null;
  }

  async peekDeadLetter(sessionId: unknown): Promise<DeadLetterEntry[] | Refusal> {
    const owner = decodeSession("session_id", sessionId);
    return isRefusal(owner) ? owner : (await peekDeadLetters(this.#deps, owner)).map(deadLetterView);
  }

  async purgeDeadLetter(sessionId: unknown): Promise<null | Refusal> {
    const owner = decodeSession("session_id", sessionId);
    if (isRefusal(owner)) return owner;
    await purgeDead(this.#deps, owner);
    return null;
  }

  async #answer(sessionId: unknown, msgId: unknown, which: unknown, nackReason: string | null) {
    const owner = decodeSession("session_id", sessionId);
    if (isRefusal(owner)) return owner;
    const id = decodeMsgId(msgId);
    if (isRefusal(id)) return id;
    const named = decodeWhich(which);
    if (isRefusal(named)) return named;
    const { from } = named;
    // Chosen before anything is waited for, so that two answers at once mean two messages.
    const taken = this.#taken.answering(owner, id, from);
    const attempt = named.attempt === null ? (taken?.attempt ?? null) : named.attempt + 1;
    const command = { msgId: id, messageId: taken?.messageId ?? null, from, attempt, nackReason };
    try {
      const state = await answerFor(this.#deps, owner, command);
      return isRefusal(state) ? state : null;
    } catch (error) {
      if (taken) this.#taken.notAnswered(owner, id, taken);
      throw error;
    }
  }
}
