/** What makes and writes a recording of a room. */
import type { Refusal } from "../../core/refusal.ts";
import type { Deps } from "../../engine/deps.ts";
import type { Room } from "../../room/rules/room.ts";
import type { Recording } from "../wire/recording.ts";
import type { WantedRecording } from "./gather-recording.ts";
import type { RecordingCounts } from "./recording-page.ts";

export interface Recorder {
  /** Null once it is cancelled. */
  readonly gather: (deps: Deps, room: Room, wanted: WantedRecording) => Promise<Recording | Refusal | null>;
  readonly page: (recording: Recording) => Promise<{ readonly html: string; readonly counts: RecordingCounts }>;
  /** Why the file cannot be written there, as far as that can be seen before. */
  readonly obstacleTo: (file: RecordedFile) => Refusal | null;
  /** Writes all of it, or nothing and says why. */
  readonly write: (file: RecordedFile, html: string) => Refusal | null;
}

interface RecordedFile {
  readonly path: string;
  /** Whether a file that is there may be replaced. */
  readonly replace: boolean;
}
