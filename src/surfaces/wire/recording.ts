/** What `tt export --html` puts into a page: the log of a span of time, and what the page would otherwise ask its server. */
import type { RoomEvent } from "../../core/event.ts";
import type { EventId } from "../../core/ids.ts";
import type { Past, PastPlace } from "../../peers/rules/past.ts";
import type { RoomPicture } from "../../peers/rules/picture.ts";
import type { MarkedRecipient } from "../../peers/rules/picture-talk.ts";
import type { Note } from "../../room/rules/note.ts";
import type { Member } from "../../room/rules/room.ts";
import type { TurnToRecord } from "../../turns/turns-to-record.ts";

/** The room before the first event, as JSON has it. */
export interface RecordedStart extends Omit<Past, "state"> {
  readonly state: Omit<Past["state"], "members"> & { readonly members: readonly Member[] };
}

/** The room at the moment of the recording: what no log tells is known then. */
export interface RecordedEnd {
  readonly picture: RoomPicture;
  readonly marks: readonly { readonly messageId: EventId; readonly marks: readonly MarkedRecipient[] }[];
}

export interface Recording {
  readonly version: string;
  readonly madeAt: string;
  /** When the span begins and ends. */
  readonly from: string;
  readonly to: string;
  /** Whether events of before its first one were deleted. */
  readonly isCut: boolean;
  readonly place: PastPlace;
  readonly start: RecordedStart;
  /** The notes that were open at the start. */
  readonly notesBefore: readonly Note[];
  /** Without a gap, with the texts of messages and notes. */
  readonly events: readonly RoomEvent[];
  /** Null if the span ends before the moment of the recording. */
  readonly end: RecordedEnd | null;
  /** Those that went on in the span, by number. */
  readonly turns: readonly TurnToRecord[];
  readonly hasDiffs: boolean;
}

/** The element of the page that holds a recording: JSON, compressed by gzip, in base64. */
export const RECORDING_ELEMENT = "recording";
