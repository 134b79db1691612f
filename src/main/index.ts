/** The library. What is exported here is public. */
export type { EventView } from "../domain/event-view.ts";
export type { Artifact, Handoff, HandoffEvidence } from "../domain/handoff.ts";
export type { Note } from "../domain/note/note.ts";
export { isRefusal, type Refusal, type RefusalCode } from "../domain/refusal.ts";
export type { Policy } from "../domain/room/policy.ts";
export type { MemberView, RoomDetail, RoomSummary } from "../domain/room/view.ts";
export type { NotYet, TakeoverAvailable, TurnAnswer, YourTurn } from "../domain/stick/answers.ts";
export { Fault, type FaultCode } from "../ports/fault.ts";
export type { Heard, ListenAnswer, ListenInput, ReservationLost } from "../service/listen.ts";
export type { PeerEntry, SessionList } from "../service/sessions/list-project-sessions.ts";
export type { PaneAnswer, TranscriptAnswer } from "../service/sessions/read-session.ts";
export type { TalkingStick } from "../service/talking-stick.ts";
export { type OpenOptions, openTalkingStick } from "./open.ts";
