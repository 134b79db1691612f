/** The library `talking-stick`. What is exported here is public. */
import { isRefusal } from "../core/refusal.ts";
import type { OpenOptions, Participant } from "../surfaces/library/api.ts";
import { orThrow } from "../surfaces/library/error.ts";
import { createParticipant } from "../surfaces/library/participant.ts";
import { openAs } from "./open-talking-stick.ts";

export type { EventType } from "../core/event.ts";
export type { Artifact, Handoff, HandoffEvidence } from "../core/handoff.ts";
export type { OperationName } from "../core/operation-names.ts";
export type { Policy } from "../core/policy.ts";
export type { Asked } from "../mail/ask-peer.ts";
export type { SentAnswer } from "../mail/post-message.ts";
export type { PeerEntry } from "../peers/list-project-sessions.ts";
export type { EventBatch } from "../room/events.ts";
export type { RoomStateAnswer } from "../room/get-room-state.ts";
export type { NoteList } from "../room/notes.ts";
export type { EventView } from "../room/rules/event-view.ts";
export type { Note } from "../room/rules/note.ts";
export type { MemberView, RoomDetail, RoomSummary } from "../room/rules/view.ts";
export type { Passed } from "../stick/rules/pass.ts";
export type { Released } from "../stick/rules/release.ts";
export type {
  AskInput,
  EventsInput,
  FollowInput,
  HandoffInput,
  HeldTurn,
  InboxMessage,
  JoinedRoom,
  JoinInput,
  KickInput,
  MessagesInput,
  NamedOperation,
  NoteInput,
  NotesInput,
  OpenOptions,
  Participant,
  PeersInput,
  RoomEvents,
  RoomNotes,
  RoomsInput,
  SendInput,
  TakeOverInput,
  WaitInput,
} from "../surfaces/library/api.ts";
export { TalkingStickError, type TalkingStickErrorCode } from "../surfaces/library/error.ts";

/** Opens the store, and creates it if there is none. */
export function openTalkingStick(options: OpenOptions): Promise<Participant> {
  return orThrow(async () => {
    const opened = await openAs(options);
    return isRefusal(opened) ? opened : createParticipant(opened);
  });
}
