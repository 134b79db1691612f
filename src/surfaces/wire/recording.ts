/** What `tt export --html` puts into a page: the log of a span of time, and what the page would otherwise ask its server. */
import type { RoomEvent } from "../../core/event.ts";
import type { EventId } from "../../core/ids.ts";
import type { RoomPicture } from "../../peers/rules/picture.ts";
import type { MarkedRecipient } from "../../peers/rules/picture-talk.ts";
import type { PageAnswers } from "./page-answers.ts";

export interface Recording {
  readonly version: string;
  readonly madeAt: string;
  /** The room as it was when the recording was made. */
  readonly picture: RoomPicture;
  /** What came before the span, as far as the state at its beginning follows from it: no texts. */
  readonly before: readonly RoomEvent[];
  readonly events: readonly RoomEvent[];
  readonly marks: readonly { readonly messageId: EventId; readonly marks: readonly MarkedRecipient[] }[];
  readonly turns: PageAnswers["list_turns"];
  /** By turn. */
  readonly shownTurns: Readonly<Record<number, PageAnswers["show_turn"]>>;
  /** By turn; empty unless diffs were asked for. */
  readonly diffs: Readonly<Record<number, PageAnswers["diff_turn"]>>;
  readonly notes: PageAnswers["list_notes"];
}

/** The element of the page that holds a recording: JSON, compressed by gzip, in base64. */
export const RECORDING_ELEMENT = "recording";
