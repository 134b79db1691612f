/**
 * What the page and its server say to each other beside the operations: the page opens one stream, and the server sends one
 * JSON document a line. Both come from one build, so names are those of the program, not those of the wire.
 *
 *   hello, rooms, log (the newest, or what follows the page's cursor), marks, then each of them again when it changes
 *
 * A page that was cut off opens a stream again and names the last event that it has. So it gets each event once.
 */
import type { AgentId, EventId, RoomId } from "../../core/ids.ts";
import type { RoomPicture } from "../../peers/rules/picture.ts";
import type { MarkedRecipient } from "../../peers/rules/picture-talk.ts";
import type { EventView } from "../../room/rules/event-view.ts";

/** The body of `POST /api/stream`. */
export interface StreamRequest {
  /** The room whose log is followed; null while the page shows the list of rooms. */
  readonly room: RoomId | null;
  /** The last event of that room that the page has; null: it has none. */
  readonly afterSeq: number | null;
}

export interface HelloLine {
  readonly line: "hello";
  readonly version: string;
  readonly me: AgentId | null;
  /** Why the page may change nothing; null if it may. */
  readonly readOnly: string | null;
  /** The room of the directory in which `tt ui` was started. */
  readonly here: RoomId | null;
}

/** The pictures are without talk and turns, which the page makes of the log. */
export interface RoomsLine {
  readonly line: "rooms";
  /** The hundred rooms that changed last, those that changed last first. */
  readonly order: readonly RoomId[];
  /** The rooms that changed since the last such line of this stream. */
  readonly changed: readonly RoomPicture[];
}

export interface LogLine {
  readonly line: "log";
  readonly roomId: RoomId;
  /** Without a gap, in their order. */
  readonly events: readonly EventView[];
  /** Whether they replace what the page has: it has nothing yet, or was away for so long that a gap would remain. */
  readonly isNewest: boolean;
}

export interface MarksLine {
  readonly line: "marks";
  readonly roomId: RoomId;
  readonly marks: readonly { readonly messageId: EventId; readonly marks: readonly MarkedRecipient[] }[];
}

/** How much mail waits for the person, from any room. */
export interface MailLine {
  readonly line: "mail";
  readonly unread: number;
}

/** The store cannot be read at the moment; null: it can again. */
export interface TroubleLine {
  readonly line: "trouble";
  readonly words: string | null;
}

/** Says that the server is still there. */
export interface BeatLine {
  readonly line: "beat";
}

export type StreamLine = HelloLine | RoomsLine | LogLine | MarksLine | MailLine | TroubleLine | BeatLine;

/** A page that has heard nothing for twice this time is cut off. */
export const BEAT_MS = 10_000;
