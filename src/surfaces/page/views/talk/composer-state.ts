/**
 * What a person is about to say in a room. Pure. It stays while the person looks at something else, and until it is sent.
 * The same text sent again after a failure has the same name, so that it is one message.
 */
import type { AgentId, EventId, RoomId } from "../../../../core/ids.ts";
import type { PlainInput } from "../../source.ts";

export const ROOM = "room";

/** `ask`: its sender waits for the answer. */
export type LetterKind = "message" | "interrupt" | "ask";

export interface AnsweredMessage {
  readonly messageId: EventId;
  readonly from: AgentId;
  /** Its beginning. */
  readonly words: string;
}

export interface LetterState {
  readonly text: string;
  readonly to: AgentId | typeof ROOM;
  readonly kind: LetterKind;
  readonly answers: AnsweredMessage | null;
  readonly isSending: boolean;
  readonly fault: string | null;
  /** The recipient of what was sent last, until the person writes again. */
  readonly sentTo: AgentId | typeof ROOM | null;
  /** The last try to send, as long as it is not known to have arrived. */
  readonly tried: { readonly letter: string; readonly msgId: string } | null;
  /** Questions whose answer is awaited, and those that were refused. */
  readonly asked: readonly AskedByMe[];
}

/** `refused`: nothing was sent. `unknown`: there was no answer from tt ui. Their `words` say why. `late`: nobody waits any more; an answer comes as mail. */
export interface AskedByMe {
  readonly msgId: string;
  readonly to: AgentId;
  readonly text: string;
  readonly state: "awaited" | "answered" | "late" | "refused" | "unknown";
  readonly words: string | null;
}

export const EMPTY_COMPOSER: LetterState = {
  text: "",
  to: ROOM,
  kind: "message",
  answers: null,
  isSending: false,
  fault: null,
  sentTo: null,
  tried: null,
  asked: [],
};

export function typed(state: LetterState, text: string): LetterState {
  return { ...state, text, fault: null, sentTo: null };
}

/** The room as a whole can be neither interrupted nor asked. */
export function addressed(state: LetterState, to: LetterState["to"]): LetterState {
  return { ...state, to, kind: to === ROOM ? "message" : state.kind, answers: null, fault: null };
}

export function ofKind(state: LetterState, kind: LetterKind): LetterState {
  return { ...state, kind: state.to === ROOM ? "message" : kind, fault: null };
}

export function answering(state: LetterState, answers: AnsweredMessage | null): LetterState {
  return { ...state, answers, fault: null };
}

export interface SentLetter {
  readonly operation: "send_message" | "reply_to_message" | "ask_peer";
  readonly input: PlainInput;
  readonly msgId: string;
  readonly to: LetterState["to"];
}

/** A connection to the server is taken as long as an answer is awaited, and a browser has six. */
const MOST_AWAITED = 3;

export function awaitedIn({ asked }: LetterState): number {
  return asked.filter(({ state }) => state === "awaited").length;
}

/** Why it cannot be sent now; null if it can. Nothing is said of a text that is empty. `awaited`: in all rooms. */
export function whyNotSent({ text, isSending, kind, answers }: LetterState, awaited: number): string | null {
  if (text.trim() === "" || isSending) return "";
  return kind === "ask" && answers === null && awaited >= MOST_AWAITED
    ? `You await ${MOST_AWAITED} answers already. Wait for one of them, or send this as a message.`
    : null;
}

/** `fresh` is a name that no message has yet. */
export function letterOf(state: LetterState, roomId: RoomId, fresh: string): SentLetter {
  const { text, to, kind, answers, tried } = state;
  const msgId = tried !== null && tried.letter === nameOfLetter(state) ? tried.msgId : fresh;
  const base = { room_id: roomId, body: text, msg_id: msgId };
  if (answers !== null) {
    const input = { ...base, message_id: answers.messageId };
    return { operation: "reply_to_message", input, msgId, to: answers.from };
  }
  if (kind === "ask" && to !== ROOM) return { operation: "ask_peer", input: { ...base, to }, msgId, to };
  const input = { ...base, to, ...(kind === "interrupt" && { delivery_hint: "interrupt" }) };
  return { operation: "send_message", input, msgId, to };
}

function nameOfLetter({ text, to, kind, answers }: LetterState): string {
  return JSON.stringify(answers === null ? [to, kind, text] : [answers.messageId, text]);
}

export function sending(state: LetterState, { msgId }: SentLetter): LetterState {
  return { ...state, isSending: true, fault: null, tried: { letter: nameOfLetter(state), msgId } };
}

/** What was typed meanwhile stays. */
export function arrived(state: LetterState, sent: LetterState): LetterState {
  const isSame = state.text === sent.text;
  const rest = isSame ? { text: "", answers: null, kind: "message" as const } : {};
  const sentTo = sent.answers?.from ?? sent.to;
  return { ...state, ...rest, isSending: false, fault: null, tried: null, sentTo };
}

export function failed(state: LetterState, words: string): LetterState {
  return { ...state, isSending: false, fault: words };
}

/** A question leaves the field at once: its answer may take minutes. */
export function asking(state: LetterState, { msgId, to }: SentLetter): LetterState {
  if (to === ROOM) return state;
  const question: AskedByMe = { msgId, to, text: state.text, state: "awaited", words: null };
  const others = state.asked.filter((one) => one.msgId !== msgId);
  return { ...state, text: "", kind: "message", fault: null, tried: null, asked: [...others, question] };
}

export function askEnded(state: LetterState, msgId: string, end: Pick<AskedByMe, "state" | "words">): LetterState {
  return { ...state, asked: state.asked.map((one) => (one.msgId === msgId ? { ...one, ...end } : one)) };
}

export function askDismissed(state: LetterState, msgId: string): LetterState {
  return { ...state, asked: state.asked.filter((one) => one.msgId !== msgId) };
}

/**
 * A question that was refused comes back to be mended, unless the field has another text, which would be lost. Sent
 * unchanged, it is the same message.
 */
export function askAgain(state: LetterState, { msgId, to, text }: AskedByMe): LetterState {
  if (state.text.trim() !== "") return failed(state, "Send or clear the text below first.");
  const back: LetterState = { ...askDismissed(state, msgId), text, to, kind: "ask", answers: null, fault: null };
  return { ...back, tried: { letter: nameOfLetter(back), msgId } };
}
