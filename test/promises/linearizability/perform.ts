/** Carries out one request on the real program and writes its answer down in the experiment's words. */
import { Fault } from "../../../src/core/fault.ts";
import { isRefusal, type Refusal } from "../../../src/core/refusal.ts";
import type { EventView } from "../../../src/room/rules/event-view.ts";
import type { RoomSummary } from "../../../src/room/rules/view.ts";
import type { TurnAnswer } from "../../../src/stick/rules/answers.ts";
import type { TalkingStick } from "../../../src/surfaces/library/talking-stick.ts";
import type { Answer, Request } from "./operation.ts";

/** Where the experiment takes place. The room is known once its path was joined. */
export interface Place {
  readonly path: string;
  roomId: string;
}

type RequestOf<Kind extends Request["kind"]> = Extract<Request, { readonly kind: Kind }>;

type Performers = {
  readonly [Kind in Request["kind"]]: (
    stick: TalkingStick,
    place: Place,
    request: RequestOf<Kind>,
  ) => Promise<Answer | Refusal>;
};

export async function perform(stick: TalkingStick, place: Place, request: Request): Promise<Answer> {
  const performer = PERFORMERS[request.kind] as (
    stick: TalkingStick,
    place: Place,
    request: Request,
  ) => Promise<Answer | Refusal>;
  try {
    const answer = await performer(stick, place, request);
    return isRefusal(answer) ? { is: "refused", code: answer.error, facts: answer.facts } : answer;
  } catch (error) {
    if (!(error instanceof Fault)) return { is: "crash", text: String(error) };
    return { is: "fault", code: error.code, outcomeUnknown: error.outcomeUnknown, text: error.message };
  }
}

const NEXT_ACTION = "go on";

const PERFORMERS: Performers = {
  async join(stick, place) {
    const joined = await stick.joinPath({ contextPath: place.path });
    if (isRefusal(joined)) return joined;
    place.roomId = joined.roomId;
    const { cursorEventSeq: cursor, roomState: state, members } = joined;
    return { is: "joined", cursor, state, memberCount: members.length };
  },
  async wait(stick, { roomId }, { maxWaitMs, claim }) {
    const answer = await stick.waitForTurn({ roomId, maxWaitMs, claim });
    return isRefusal(answer) ? answer : turnAnswer(answer);
  },
  async release(stick, { roomId }, { leaseId, turnId, tag }) {
    const handoff = { status: tag, nextAction: NEXT_ACTION };
    const answer = await stick.releaseStick({ roomId, leaseId, expectedTurnId: turnId, handoff });
    return isRefusal(answer) ? answer : { is: "released", seq: answer.eventSeq, reservedFor: answer.reservedFor };
  },
  async pass(stick, { roomId }, { leaseId, turnId, tag, to }) {
    const handoff = { status: tag, nextAction: NEXT_ACTION };
    const answer = await stick.passStick({ roomId, leaseId, expectedTurnId: turnId, handoff, toAgentId: to });
    return isRefusal(answer) ? answer : { is: "passed", seq: answer.eventSeq, reservedFor: answer.reservedFor };
  },
  async heartbeat(stick, { roomId }, { leaseId, turnId }) {
    const answer = await stick.heartbeat({ roomId, leaseId, expectedTurnId: turnId });
    return isRefusal(answer) ? answer : { is: "renewed", turnId: answer.turnId };
  },
  async takeover(stick, { roomId }, { turnId, tag }) {
    const answer = await stick.takeoverStick({ roomId, expectedTurnId: turnId, reason: tag });
    if (isRefusal(answer)) return answer;
    const { leaseId, revokedAgentId: revoked, ground, reason, handoff } = answer;
    return { is: "taken", turnId: answer.turnId, leaseId, revoked, ground, tag: reason, handoff: tagOf(handoff) };
  },
  async leave(stick, { roomId }) {
    const answer = await stick.leaveRoom({ roomId });
    return isRefusal(answer) ? answer : { is: "left", remaining: answer.remainingMembers };
  },
  async note(stick, { roomId }, { tag, turnId }) {
    const note = await stick.addNote({ roomId, body: tag, turnId });
    return isRefusal(note) ? note : { is: "noted", tag: note.body, turnId: note.turnId };
  },
  async state(stick, { roomId }) {
    const answer = await stick.getRoomState({ roomId });
    if (isRefusal(answer)) return answer;
    return { is: "state", ...sightOf(answer.room), handoff: tagOf(answer.room.handoff) };
  },
  async list(stick, { roomId, path }) {
    const answer = await stick.listRooms({ contextPath: path });
    if (isRefusal(answer)) return answer;
    const room = answer.rooms.find((candidate) => candidate.roomId === roomId);
    return room ? { is: "listed", ...sightOf(room) } : { is: "crash", text: "the room is in no list" };
  },
  async events(stick, { roomId }, { after, limit }) {
    const answer = await stick.getRoomEvents({ roomId, limit, ...(after !== null && { afterEventSeq: after }) });
    if (isRefusal(answer)) return answer;
    return { is: "events", cursor: answer.cursorEventSeq, events: answer.events.map(seen) };
  },
  async watch(stick, { roomId }, { maxWaitMs }) {
    const answer = await stick.waitForEvents({ roomId, maxWaitMs, targetAgentId: "any", eventTypes: ["takeover"] });
    if (isRefusal(answer)) return answer;
    return { is: "events", cursor: answer.cursorEventSeq, events: answer.events.map(seen) };
  },
};

function turnAnswer(answer: TurnAnswer): Answer {
  switch (answer.status) {
    case "your_turn": {
      const { turnId, leaseId, handoff, fromAgentId: from, reason } = answer;
      return { is: "your_turn", turnId, leaseId, handoff: tagOf(handoff), from, reason };
    }
    case "takeover_available":
      return { is: "takeover_available", turnId: answer.turnId, owner: answer.currentOwner, state: answer.roomState };
    case "not_yet": {
      const { turnId, currentOwner: owner = null, reservedFor = null, roomState: state } = answer;
      return { is: "not_yet", turnId, owner, reservedFor, state };
    }
    case "closed":
      return { is: "closed" };
    default:
      return answer satisfies never;
  }
}

function sightOf({ turnId, owner, reservedFor, state, memberCount }: RoomSummary) {
  return { turnId, owner, reservedFor, state, memberCount };
}

function tagOf(handoff: { readonly status: string } | null): string | null {
  return handoff?.status ?? null;
}

const seen = ({ eventSeq, eventId }: EventView) => [eventSeq, eventId] as const;
