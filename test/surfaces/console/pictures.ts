/** Pictures and events for the console's drawing. */

import type { RoomEvent } from "../../../src/core/event.ts";
import { type AgentId, asAgentId, asEventId, asRoomId } from "../../../src/core/ids.ts";
import type { RoomPicture } from "../../../src/peers/rules/picture.ts";
import type { AgentRow } from "../../../src/peers/rules/picture-agents.ts";
import { paint } from "../../../src/surfaces/cli/text/paint.ts";
import type { TalkView } from "../../../src/surfaces/console/talk.ts";
import type { StepInQuestion } from "../../../src/surfaces/picture/step-in.ts";

export const ME = asAgentId("human:ann");
export const HOSTILE = "a\u001b[2J\u001b]0;owned\u0007\u202e\u0000漢字e\u0301👩🏽‍💻 \u200b\u2028 end";

export function row(name: string, fields: Partial<AgentRow> = {}): AgentRow {
  return {
    agentId: asAgentId(name),
    harness: "claude",
    isPerson: false,
    mark: "idle",
    needs: null,
    holdsStick: false,
    isNext: false,
    queuePosition: null,
    machine: null,
    card: null,
    branch: null,
    activity: { state: "unknown", since: null },
    lastSeenAt: null,
    unread: 0,
    waitsFor: [],
    ...fields,
  };
}

export function picture(fields: Partial<RoomPicture> = {}): RoomPicture {
  const names: Record<AgentId, string> = {};
  for (const { agentId } of fields.agents ?? []) names[agentId] = agentId.split(":")[0] ?? "";
  return {
    roomId: asRoomId("room"),
    path: "/projects/tree",
    machine: null,
    // No drawing uses it.
    detail: {} as RoomPicture["detail"],
    asOf: "2026-01-15T14:02:07.000Z",
    lastSeq: 9,
    me: ME,
    names,
    now: {
      state: "idle",
      turnId: 3,
      holder: null,
      queue: [],
      reservation: null,
      paused: null,
      guard: "off",
      protection: null,
      openNotes: 0,
    },
    agents: [],
    folded: { gone: [], away: [], notListed: 0 },
    why: { reason: { kind: "free", waiting: [] }, isStuck: false, step: null },
    talk: [],
    turns: [],
    ...fields,
  };
}

let events = 0;

export function message(body: string, from = "claude:1", to: string | null = null): RoomEvent {
  events += 1;
  return {
    seq: events,
    eventId: asEventId(`event-${events}`),
    roomId: asRoomId("room"),
    turnId: 1,
    type: "message_sent",
    fromAgentId: asAgentId(from),
    toAgentId: to === null ? null : asAgentId(to),
    handoff: null,
    reason: null,
    createdAt: "2026-01-15T14:02:07.000Z",
    payload: { body, bodyBytes: body.length, origin: "peer", deliveryHint: "normal", chainId: "chain", hops: 0 },
  };
}

export function viewOf(width: number): TalkView {
  return { width, paint: paint(false), me: ME, nameOf: (agentId) => agentId };
}

export function asking(words: string): StepInQuestion {
  return { words, steps: [], roomId: picture().roomId, isTrueIn: () => true };
}
