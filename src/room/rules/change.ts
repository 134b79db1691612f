/** A change in the making: the room as it will be, and the events that say why. */

import type { EventPayloads, EventType, RoomEvent } from "../../core/event.ts";
import type { Handoff } from "../../core/handoff.ts";
import { type AgentId, asEventId, type EventId } from "../../core/ids.ts";
import type { MailChange } from "../../core/mail-records.ts";
import { wallTime } from "../../core/time.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { evolve } from "./evolve.ts";
import type { Room } from "./room.ts";

export interface Change {
  readonly room: Room;
  readonly events: readonly RoomEvent[];
  /** What the change does to mailboxes. Deliveries are not history, so they are not in the log. */
  readonly mail?: MailChange;
}

/**
 * A decision carries the change to commit and the answer to give. A refused command adds nothing to the
 * change, but what time had already made true (settle.ts) is committed with either answer.
 */
export interface Decision<Answer> {
  readonly change: Change;
  readonly answer: Answer;
}

export function begin(room: Room): Change {
  return { room, events: [] };
}

export interface EventDetails {
  readonly from: AgentId | null;
  readonly to?: AgentId | null;
  readonly turnId?: number;
  readonly handoff?: Handoff;
  readonly reason?: string | null;
}

/** The id that the next recorded event will have. */
export function nextEventId(change: Change, given: Given): EventId {
  return asEventId(`${given.commandId}-${change.events.length + 1}`);
}

/** Appends one event and lets the state follow. */
export function record<Type extends EventType>(
  change: Change,
  given: Given,
  type: Type,
  payload: EventPayloads[Type],
  details: EventDetails,
): Change {
  const { room } = change;
  const event = {
    seq: room.state.lastSeq + 1,
    eventId: nextEventId(change, given),
    roomId: room.id,
    turnId: details.turnId ?? room.state.turnId,
    type,
    fromAgentId: details.from,
    toAgentId: details.to ?? null,
    handoff: details.handoff ?? null,
    reason: details.reason ?? null,
    createdAt: wallTime(given.moment.wallMs),
    payload,
  } as unknown as RoomEvent;
  return {
    ...change,
    room: { ...room, state: evolve(room.state, event), updatedAt: event.createdAt },
    events: [...change.events, event],
  };
}

export function withRoom(change: Change, fields: Partial<Room>): Change {
  return { ...change, room: { ...change.room, ...fields } };
}
