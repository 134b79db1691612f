/** What a screen reader says of messages that came while the page is open. Pure. */
import type { RoomEvent } from "../../../core/event.ts";
import { oneLine } from "../../../core/visible.ts";
import { readersName, type WordsReader } from "../../picture/happening-words.ts";

/** More are counted: a reader who is told everything hears nothing. */
const MOST_READ_OUT = 2;
const MOST_CHARACTERS = 120;

/** `newer`: the events since the last time. Empty if they have no message of another one. */
export function announcementOf(newer: readonly RoomEvent[], reader: WordsReader): string {
  const messages = newer.filter(({ type, fromAgentId }) => type === "message_sent" && fromAgentId !== reader.me);
  if (messages.length > MOST_READ_OUT) {
    const toMe = messages.filter(({ toAgentId }) => toAgentId === reader.me && reader.me !== null).length;
    return `${messages.length} new messages${toMe === 0 ? "" : `, ${toMe} to you`}.`;
  }
  return messages.map((event) => sentenceOf(event, reader)).join(" ");
}

function sentenceOf({ type, fromAgentId, toAgentId, payload }: RoomEvent, reader: WordsReader): string {
  const from = fromAgentId === null ? "tt" : readersName(fromAgentId, reader);
  const to = toAgentId === null ? "the room" : readersName(toAgentId, reader);
  const body = type === "message_sent" ? oneLine(payload.body) : "";
  const shown = body.length > MOST_CHARACTERS ? `${body.slice(0, MOST_CHARACTERS)}…` : body;
  return `${from} to ${to}: ${shown}`;
}
