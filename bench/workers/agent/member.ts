import type { TalkingStick } from "../../../src/surfaces/library/talking-stick.ts";

/** This process in its room. */
export interface Member {
  readonly stick: TalkingStick;
  readonly roomId: string;
  /** The last event that it has heard. */
  cursor: number;
}
