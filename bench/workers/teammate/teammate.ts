import type { TalkingStick } from "../../../src/surfaces/library/talking-stick.ts";
import type { Traits } from "../../scale/records.ts";
import type { Pace } from "./pace.ts";

/** One agent of the team: a member of a room, with what it needs for its day. */
export interface Teammate extends Omit<Traits, "pace"> {
  readonly stick: TalkingStick;
  readonly roomId: string;
  readonly pace: Pace;
  /** Aborted when it is told to rest: it begins nothing new, and still takes its mail. */
  readonly resting: AbortSignal;
}
