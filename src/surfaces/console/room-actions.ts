/** What a person does in a room from the console: the same operations as on the command line. */
import type { Fields, RawInput } from "../../core/field.ts";
import type { EventId, RoomId } from "../../core/ids.ts";
import type { Next } from "../../core/next.ts";
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import type { InFlight } from "../../engine/in-flight.ts";
import type { Needs, Operation } from "../../engine/operation.ts";
import { type Asked, askPeer } from "../../mail/ask-peer.ts";
import { replyToMessage } from "../../mail/reply-to-message.ts";
import { sendMessage } from "../../mail/send-message.ts";
import { type PaneAnswer, readSession, type TranscriptAnswer } from "../../peers/read-session.ts";
import { joinPath } from "../../room/join-path.ts";
import { kickMember } from "../../room/kick-member.ts";
import { giveStick } from "../../stick/give-stick.ts";
import { pauseRoom, resumeRoom } from "../../stick/pause-room.ts";
import { takeoverStick } from "../../stick/takeover-stick.ts";
import { waitForTurn } from "../../stick/wait-with-mail.ts";
import { diffTurn } from "../../turns/diff-turn.ts";
import type { CliContext } from "../cli/context.ts";
import { callOf, doorOf, type Known } from "../cli/form.ts";
import { perform } from "../door.ts";
import { type ActStep, isWithoutStick } from "../picture/step-in.ts";

const ACTS = {
  give_stick: giveStick,
  wait_for_turn: waitForTurn,
  takeover_stick: takeoverStick,
  pause_room: pauseRoom,
  resume_room: resumeRoom,
  join_path: joinPath,
  kick_member: kickMember,
} as unknown as Readonly<Record<ActStep["do"], Operation>>;

/** What a person has set off, until its answer is there. */
export type Act = () => Promise<object | Refusal>;

export interface ActionOptions {
  readonly context: CliContext;
  readonly roomId: RoomId;
  readonly cancel: AbortSignal;
  /** The reply to a question, in flight, and its place in the log. */
  readonly taken: (mail: InFlight, reply: EventId | null) => Promise<void>;
}

export class RoomActions {
  readonly #options: ActionOptions;

  constructor(options: ActionOptions) {
    this.#options = options;
  }

  send(to: string, body: string, interrupt: boolean): Promise<object | Refusal> {
    return this.#perform(sendMessage, { to, body, ...(interrupt && { deliveryHint: "interrupt" }) });
  }

  answer(messageId: string, body: string): Promise<object | Refusal> {
    return this.#perform(replyToMessage, { messageId, body });
  }

  /** Resolves when the answer is there, or when its time is up. */
  async ask(to: string, body: string): Promise<object | Refusal> {
    const taken: InFlight[] = [];
    const asked = await this.#perform(askPeer, { to, body }, (mail) => void taken.push(mail));
    const reply = isRefusal(asked) ? null : (asked.reply?.messageId ?? null);
    for (const mail of taken) await this.#options.taken(mail, reply);
    return asked;
  }

  join(contextPath: string): Promise<object | Refusal> {
    return this.#perform(joinPath, { contextPath });
  }

  /** Up to the first that is refused; resolves with the last answer. */
  async carryOut(steps: readonly ActStep[]): Promise<object | Refusal> {
    let answer: object | Refusal = {};
    for (const { do: name, with: input = {} } of steps) {
      answer = await this.#perform(ACTS[name], input);
      if (isRefusal(answer)) break;
    }
    return answer;
  }

  /** The newest of its transcript, or its terminal. */
  read(name: string): Promise<TranscriptAnswer | PaneAnswer | Refusal> {
    return this.#perform(readSession, { name });
  }

  /** What the present turn has changed, or the last one. */
  diff(): Promise<{ readonly turnId: number | null; readonly patch: string } | Refusal> {
    return this.#perform(diffTurn, {});
  }

  async #perform<N extends Needs, F extends Fields, Answer extends object>(
    operation: Operation<N, F, Answer>,
    input: RawInput,
    afterOutput?: (mail: InFlight) => void,
  ): Promise<Answer | Refusal> {
    const { context, roomId, cancel } = this.#options;
    const known: Known = { caller: null, identification: null, deps: null, taken: null };
    const door = doorOf(context, operation.needs.store, known);
    const { turns, heard } = callOf(context, known, () => undefined);
    const call = { cancel, transport: "chat", afterOutput, ...(turns && { turns }), ...(heard && { heard }) };
    const room = operation.needs.room === "none" ? {} : { roomId };
    return perform(operation, door, { ...room, ...input }, call);
  }
}

/** Why an answer is no success, as one text; null for a success. */
export function failureText(context: CliContext, answer: object): string | null {
  if (isRefusal(answer)) return refusalText(context, answer);
  const { timedOut, next } = answer as Partial<Asked> & { readonly next?: Next };
  if (timedOut === true) return "No answer came in time. One that comes later is shown here.";
  if (!isWithoutStick(answer)) return null;
  return `The stick is not yours yet. ${next === undefined ? "" : context.wordsOf(next)}`.trimEnd();
}

function refusalText(context: CliContext, refusal: Refusal): string {
  const { candidates } = refusal.facts;
  const names = Array.isArray(candidates) && candidates.length > 0 ? ` Candidates: ${candidates.join(", ")}` : "";
  return `${refusal.message} ${context.nextOf(refusal)}${names}`.trimEnd();
}
