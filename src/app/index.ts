/** The library. What is exported here is public. */

export { Fault, type FaultCode } from "../core/fault.ts";
export type { Artifact, Handoff, HandoffEvidence } from "../core/handoff.ts";
export type { Policy } from "../core/policy.ts";
export { isRefusal, type Refusal, type RefusalCode } from "../core/refusal.ts";
export type { PeerEntry, SessionList } from "../peers/list-project-sessions.ts";
export type { PaneAnswer, TranscriptAnswer } from "../peers/read-session.ts";
export type { EventView } from "../room/rules/event-view.ts";
export type { Note } from "../room/rules/note.ts";
export type { MemberView, RoomDetail, RoomSummary } from "../room/rules/view.ts";
export type { Heard, ListenAnswer, ListenInput, ReservationLost } from "../stick/listen.ts";
export type { NotYet, TakeoverAvailable, TurnAnswer, YourTurn } from "../stick/rules/answers.ts";
export type { TalkingStick } from "../surfaces/library/talking-stick.ts";
export { type OpenOptions, openTalkingStick } from "./open-talking-stick.ts";
