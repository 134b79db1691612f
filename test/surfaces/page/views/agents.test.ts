import { describe, expect, it } from "vitest";
import type { RoomEvent } from "../../../../src/core/event.ts";
import { type AgentId, asAgentId, asEventId } from "../../../../src/core/ids.ts";
import type { RoomPicture } from "../../../../src/peers/rules/picture.ts";
import type { FoldedAgent } from "../../../../src/peers/rules/picture-agents.ts";
import type { Reason } from "../../../../src/peers/rules/wait-graph.ts";
import {
  agentLinesFor,
  bodyOf,
  findAgent,
  foreignWritesOf,
  isMemberAfter,
  isReasonAbout,
  knownAgents,
  lastMoveOf,
  standingOf,
  toneOf,
  turnsOf,
  waitersFor,
} from "../../../../src/surfaces/page/views/agents/agent-facts.ts";
import { row } from "../../console/pictures.ts";

const [CLAUDE, CODEX, GEMINI, GONE, AWAY, ME] = ["claude:1", "codex:1", "gemini:1", "gone:1", "away:1", "human:me"].map(
  asAgentId,
) as [AgentId, AgentId, AgentId, AgentId, AgentId, AgentId];
const NOW = Date.parse("2026-01-01T12:00:00.000Z");

function folded(agentId: AgentId, fields: Partial<FoldedAgent> = {}): FoldedAgent {
  return { agentId, harness: "x", holdsStick: false, isNext: false, unread: 0, lastSeenAt: null, ...fields };
}

function picture(fields: Partial<RoomPicture> = {}): RoomPicture {
  const folds = { gone: [folded(GONE)], away: [folded(AWAY)], notListed: 0 };
  const names = { [CLAUDE]: "claude", [CODEX]: "Kodex" } as RoomPicture["names"];
  return { agents: [row(CLAUDE), row(CODEX)], folded: folds, names, me: ME, ...fields } as RoomPicture;
}

function log(...events: readonly Partial<Record<keyof RoomEvent, unknown>>[]): readonly RoomEvent[] {
  const columns = { turnId: 1, fromAgentId: null, toAgentId: null, handoff: null, reason: null, payload: {} };
  return events.map((event, index) => ({
    ...columns,
    seq: index + 1,
    eventId: `e${index + 1}`,
    createdAt: "2026-01-01T11:00:00.000Z",
    ...event,
  })) as unknown as readonly RoomEvent[];
}

const nameOf = (agentId: AgentId) => ({ [CLAUDE]: "claude", [CODEX]: "Kodex" })[agentId as string] ?? agentId;

function lines(from: RoomPicture, words: string, known: Iterable<AgentId> = []): readonly string[] {
  return agentLinesFor(from, known, words, nameOf).map(({ kind, agentId }) => `${kind} ${agentId}`);
}

describe("the list of agents", () => {
  it("has those that are here, then the gone and the away, then how many are left out", () => {
    const many = picture({ folded: { gone: [folded(GONE)], away: [folded(AWAY)], notListed: 9_000 } });
    expect(lines(picture(), "")).toEqual(["here claude:1", "here codex:1", "gone gone:1", "away away:1"]);
    expect(lines(many, "  ").at(-1)).toBe("more null");
  });

  it("is searched by name and by id, in capitals or not, folded agents too", () => {
    expect(lines(picture(), " KODEX ")).toEqual(["here codex:1"]);
    expect(lines(picture(), "codex:")).toEqual(["here codex:1"]);
    expect(lines(picture(), "gone")).toEqual(["gone gone:1"]);
    expect(lines(picture(), "nobody has this")).toEqual([]);
  });

  it("finds agents that are not listed, each once", () => {
    const known = [CLAUDE, asAgentId("worker:41"), asAgentId("worker:42")];
    expect(lines(picture(), "worker:42", known)).toEqual(["unlisted worker:42"]);
    expect(lines(picture(), "claude", known)).toEqual(["here claude:1"]);
    expect(lines(picture(), "", known)).toHaveLength(4);
  });

  it("knows agents from the names of the picture and from the events that they caused", () => {
    const events = log({ type: "claim", fromAgentId: GEMINI }, { type: "reservation_expired" });
    expect([...knownAgents(picture(), events)]).toEqual([CLAUDE, CODEX, GEMINI]);
  });

  it("finds each of ten thousand agents, also by names that every object has", () => {
    const hostile = ["constructor", "__proto__", "toString"].map((name) => asAgentId(`${name}:1`));
    const known = [...Array.from({ length: 10_000 }, (_, index) => asAgentId(`worker:${index}`)), ...hostile];
    expect(lines(picture(), "worker:", known)).toHaveLength(10_000);
    expect(lines(picture(), "proto", known)).toEqual(["unlisted __proto__:1"]);
    expect(findAgent(picture(), "constructor")).toBeNull();
  });
});

describe("one agent", () => {
  it("is found wherever the picture has it", () => {
    expect(findAgent(picture(), CODEX)?.kind).toBe("here");
    expect(findAgent(picture(), GONE)?.kind).toBe("gone");
    expect(findAgent(picture(), AWAY)?.kind).toBe("away");
    expect(findAgent(picture(), GEMINI)).toBeNull();
  });

  it("says its mark once, and beside it what the mark does not say", () => {
    const needs = { kind: "answer", person: ME, messageId: asEventId("q"), question: "Why?" } as const;
    const asking = {
      kind: "here",
      agentId: CLAUDE,
      row: row(CLAUDE, { mark: "needs_you", needs, unread: 2 }),
    } as const;
    expect(standingOf(asking, picture(), NOW)).toEqual({
      sign: "■",
      words: "needs you",
      facts: ["asks a question", "2 unread"],
    });
    const idle = { state: "idle", since: null } as const;
    const resting = { kind: "here", agentId: CLAUDE, row: row(CLAUDE, { activity: idle }) } as const;
    expect(standingOf(resting, picture(), NOW)).toEqual({ sign: "○", words: "idle", facts: [] });
    expect(toneOf(asking)).toBe("tone-accent");
    expect(toneOf(resting)).toBe("");
  });

  it("on a silent machine says so instead of what was last known of it", () => {
    const machine = { name: "db-2", silentSince: new Date(NOW - 180_000).toISOString() };
    const activity = { state: "busy", since: null } as const;
    const silent = row(CLAUDE, { mark: "silent", machine, activity, holdsStick: true });
    const agent = { kind: "here", agentId: CLAUDE, row: silent } as const;
    expect(standingOf(agent, picture(), NOW)).toEqual({
      sign: "◐",
      words: "silent",
      facts: ["holds the stick", "on db-2 (not heard of for 3m)"],
    });
    expect(toneOf(agent)).toBe("tone-warn");
  });

  it("that went away says what it left behind", () => {
    const left = folded(GONE, { holdsStick: true, unread: 3 });
    const gone = { kind: "gone", agentId: GONE, folded: left } as const;
    expect(standingOf(gone, picture(), NOW)).toEqual({
      sign: "✗",
      words: "gone",
      facts: ["holds the stick", "3 unread"],
    });
    expect(toneOf(gone)).toBe("tone-bad");
    expect(toneOf({ ...gone, kind: "away" })).toBe("");
  });
});

describe("what the log tells of an agent", () => {
  it("is its last coming or going, not that of others", () => {
    const superseded = { supersededAgentId: GEMINI };
    const events = log(
      { type: "member_joined", fromAgentId: CLAUDE },
      { type: "member_joined", fromAgentId: CODEX },
      { type: "member_left", fromAgentId: CLAUDE },
      { type: "kick", fromAgentId: ME, toAgentId: CODEX },
      { type: "session_superseded", fromAgentId: asAgentId("gemini:2"), payload: superseded },
      { type: "claim", fromAgentId: CLAUDE },
    );
    expect(lastMoveOf(events, CLAUDE)?.seq).toBe(3);
    expect(lastMoveOf(events, CODEX)?.seq).toBe(4);
    expect(lastMoveOf(events, GEMINI)?.seq).toBe(5);
    expect(lastMoveOf(events, ME)).toBeNull();
    expect(isMemberAfter(lastMoveOf(events, CODEX))).toBe(false);
    expect(isMemberAfter(lastMoveOf(events.slice(0, 2), CODEX))).toBe(true);
    expect(isMemberAfter(null)).toBe(true);
  });

  it("is its turns, the newest first", () => {
    const events = log(
      { type: "claim", fromAgentId: CLAUDE, turnId: 1 },
      { type: "release", fromAgentId: CLAUDE, turnId: 1, payload: { reservedFor: null } },
      { type: "claim", fromAgentId: CODEX, turnId: 2 },
      { type: "takeover", fromAgentId: CLAUDE, turnId: 3, payload: { revokedAgentId: CODEX } },
    );
    expect(turnsOf(events, CLAUDE).map(({ turnId, ended }) => [turnId, ended])).toEqual([
      [3, null],
      [1, "release"],
    ]);
    expect(turnsOf(events, CODEX)[0]?.endedBy).toBe(CLAUDE);
  });

  it("is what it wrote without the stick, the newest first", () => {
    const write = { type: "foreign_write", payload: { paths: ["a"], more: 0 } };
    const events = log(
      { ...write, fromAgentId: CLAUDE },
      { ...write, fromAgentId: CODEX },
      { ...write, fromAgentId: CLAUDE },
    );
    expect(foreignWritesOf(events, CLAUDE).map(({ seq }) => seq)).toEqual([3, 1]);
  });

  it("is the whole text of a message that is loaded", () => {
    const events = log({ type: "message_sent", payload: { body: "Why?" } }, { type: "claim" });
    expect(bodyOf(events, asEventId("e1"))).toBe("Why?");
    expect(bodyOf(events, asEventId("e2"))).toBeNull();
    expect(bodyOf(events, undefined)).toBeNull();
  });
});

describe("who waits for an agent", () => {
  const edge = { from: CODEX, to: CLAUDE, awaits: "stick" } as const;

  it("are the agents with an edge to it", () => {
    const agents = [row(CLAUDE), row(CODEX, { waitsFor: [edge, { ...edge, to: GEMINI }] })];
    expect(waitersFor({ agents }, CLAUDE)).toEqual([edge]);
    expect(waitersFor({ agents }, CODEX)).toEqual([]);
  });

  it("the reason is about the agents that it names, also in a circle and among the others", () => {
    const circle = {
      kind: "circle",
      edges: [edge, { from: CLAUDE, to: CODEX, awaits: "answer" }],
    } as unknown as Reason;
    const gone = { kind: "holder_gone", holder: GONE, waiting: [CODEX] } as unknown as Reason;
    expect([CLAUDE, CODEX, GEMINI].map((agentId) => isReasonAbout(circle, agentId))).toEqual([true, true, false]);
    expect([GONE, CODEX, CLAUDE].map((agentId) => isReasonAbout(gone, agentId))).toEqual([true, true, false]);
  });
});
