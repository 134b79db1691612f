import { expect, test } from "vitest";
import type { EventType, RoomEvent } from "../../../../src/core/event.ts";
import type { AgentId, EventId, RoomId } from "../../../../src/core/ids.ts";
import {
  countNew,
  firstShown,
  foldOver,
  furtherBack,
  rowNamed,
  shownFrom,
  type TalkRow,
  talkRows,
  withNewLine,
} from "../../../../src/surfaces/page/views/talk/talk-rows.ts";

const NONE: ReadonlySet<number> = new Set();
/** Noon, so that a few minutes more are the same day in every time zone of the tests. */
const NOON_MS = Date.UTC(2026, 10, 19, 12);

function at(minute: number): string {
  return new Date(NOON_MS + minute * 60_000).toISOString();
}

function event(seq: number, type: EventType, payload: object, more: Partial<RoomEvent> = {}): RoomEvent {
  return {
    seq,
    type,
    payload,
    eventId: `e${seq}` as EventId,
    roomId: "room1" as RoomId,
    turnId: 1,
    fromAgentId: "codex:1" as AgentId,
    toAgentId: null,
    handoff: null,
    reason: null,
    createdAt: at(0),
    ...more,
  } as RoomEvent;
}

function said(seq: number, body: string, replyTo?: number, more: Partial<RoomEvent> = {}): RoomEvent {
  const payload = {
    body,
    bodyBytes: body.length,
    origin: "peer",
    deliveryHint: "normal",
    chainId: "c",
    hops: 0,
    ...(replyTo !== undefined && { replyTo: `e${replyTo}` }),
  };
  return event(seq, "message_sent", payload, more);
}

function happened(seq: number, more: Partial<RoomEvent> = {}): RoomEvent {
  return event(seq, "claim", { reason: "sequence", gitHead: null }, more);
}

/** Rows in short: `m1`, a level of indent as `>`, `~3` for a fold of three. */
function short(rows: readonly TalkRow[]): readonly string[] {
  return rows.flatMap((row) => {
    switch (row.kind) {
      case "day":
        return [];
      case "new":
        return "new";
      case "message":
        return `${">".repeat(row.depth)}m${row.message.seq}${row.answers ? `(${row.answers.seq})` : ""}`;
      case "handoff":
        return `h${row.item.seq}`;
      case "note":
        return `n${row.item.seq}`;
      case "quiet":
        return `q${row.event.seq}`;
      case "fold":
        return `~${row.count}${row.isOpen ? "open" : ""}`;
    }
  });
}

test("two agents that answer each other thousands of times get rows, each message once", () => {
  const messages = Array.from({ length: 5000 }, (_, index) =>
    said(index + 1, "again", index === 0 ? undefined : index),
  );
  const rows = talkRows(messages, NONE);
  expect(rows.flatMap((row) => (row.kind === "message" ? row.message.seq : []))).toEqual(
    messages.map(({ seq }) => seq),
  );
});

test("an answer stands below its question, before what was said between", () => {
  const rows = talkRows([said(1, "why?"), said(2, "else"), said(3, "so", 1), said(4, "really", 3)], NONE);
  expect(short(rows)).toEqual(["m1", ">m3", ">>m4", "m2"]);
});

test("an answer whose question is not loaded stands for itself", () => {
  expect(short(talkRows([said(5, "else"), said(6, "so", 1)], NONE))).toEqual(["m5", "m6"]);
});

test("an answer that comes after much else stands where it was said, and tells its question", () => {
  const between = [2, 3, 4, 5, 6, 7, 8].map((seq) => said(seq, "else"));
  const rows = talkRows([said(1, "why?"), ...between, said(9, "so", 1), said(10, "thanks", 9)], NONE);
  expect(short(rows)).toEqual(["m1", ...between.map(({ seq }) => `m${seq}`), "m9(1)", ">m10"]);
});

test("a long thread does not draw new answers up to an old question", () => {
  const others = [2, 4, 6, 8, 10, 12, 14].map((seq) => said(seq, "else"));
  const answers = [3, 5, 7, 9, 11, 13].map((seq) => said(seq, "so", seq === 3 ? 1 : seq - 2));
  const late = said(15, "so", 13);
  const all = [said(1, "why?"), ...others, ...answers, late].toSorted((a, b) => a.seq - b.seq);
  expect(short(talkRows(all, NONE)).at(-1)).toBe("m15(13)");
});

test("a few happenings stand in quiet lines where they happened", () => {
  expect(short(talkRows([said(1, "a"), happened(2), happened(3), said(4, "b")], NONE))).toEqual([
    "m1",
    "q2",
    "q3",
    "m4",
  ]);
});

test("a long run is folded but for its newest, and opens", () => {
  const run = [2, 3, 4, 5, 6, 7].map((seq) => happened(seq));
  const all = [said(1, "a"), ...run, said(8, "b")];
  expect(short(talkRows(all, NONE))).toEqual(["m1", "~4", "q6", "q7", "m8"]);
  expect(short(talkRows(all, new Set([2])))).toEqual(["m1", "~4open", "q2", "q3", "q4", "q5", "q6", "q7", "m8"]);
});

test("a run that was opened stays open when it grows at its start", () => {
  const run = [2, 3, 4, 5, 6, 7].map((seq) => happened(seq));
  expect(short(talkRows(run, new Set([4])))[0]).toBe("~4open");
});

test("a write without the stick is never folded away", () => {
  const write = event(3, "foreign_write", { paths: ["a"], more: 0, evidence: "tool_call", duringTurn: null });
  const rows = talkRows([happened(2), write, ...[4, 5, 6, 7].map((seq) => happened(seq))], NONE);
  expect(short(rows)).toEqual(["~3", "q3", "q6", "q7"]);
});

test("a release with a handoff is said, one without it only happened", () => {
  const handoff = { status: "done", nextAction: "review" };
  const rows = talkRows(
    [event(1, "release", { reservedFor: null }, { handoff }), event(2, "release", { reservedFor: null })],
    NONE,
  );
  expect(short(rows)).toEqual(["h1", "q2"]);
});

test("what git says later about a handoff stands in the handoff, and has no row of its own", () => {
  const handoff = { status: "done", nextAction: "review", evidence: { pendingUntil: at(1) } } as never;
  const evidence = { head: "abc", branch: "main", dirty: true, diffStat: "" };
  const rows = talkRows(
    [
      event(1, "release", { reservedFor: null }, { handoff }),
      happened(2),
      event(3, "evidence_attached", { handoffSeq: 1, evidence }),
    ],
    NONE,
  );
  expect(short(rows)).toEqual(["h1", "q2"]);
  expect(rows.find(({ kind }) => kind === "handoff")).toMatchObject({
    item: { handoff: { status: "done", evidence } },
  });
});

test("each day begins with its own line, also inside of a run", () => {
  const nextDay = at(24 * 60);
  const rows = talkRows(
    [happened(1), happened(2, { createdAt: nextDay }), said(3, "a", undefined, { createdAt: nextDay })],
    NONE,
  );
  expect(rows.map(({ kind }) => kind)).toEqual(["day", "quiet", "day", "quiet", "message"]);
});

test("a clock that went back begins a day again, and no key is there twice", () => {
  const rows = talkRows(
    [at(24 * 60), at(0), at(24 * 60 + 1)].map((createdAt, index) => said(index + 1, "a", undefined, { createdAt })),
    NONE,
  );
  expect(rows.map(({ kind }) => kind)).toEqual(["day", "message", "day", "message", "day", "message"]);
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
});

test("an event of a type that this program does not know is a quiet line", () => {
  expect(short(talkRows([event(1, "teleported" as EventType, { to: "moon" })], NONE))).toEqual(["q1"]);
});

test.each([
  ["e2", "seq:2"],
  ["seq:3", "seq:3"],
  ["e9", null],
  ["to:codex:1", null],
  [null, null],
])("the address %s names the row %s", (item, key) => {
  expect(rowNamed(item, [said(1, "a"), said(2, "b"), happened(3)])?.key ?? null).toBe(key);
});

test("an event in a folded run names the run that must be opened", () => {
  const rows = talkRows([said(1, "a"), ...[2, 3, 4, 5, 6, 7].map((seq) => happened(seq))], NONE);
  expect(foldOver(rows, 3)).toBe(2);
  expect(foldOver(rows, 7)).toBeNull();
});

test("of a long log the newest are shown, from where it began when the room was opened", () => {
  const many = Array.from({ length: 3000 }, (_, index) => happened(index + 101));
  const first = firstShown(many, null);
  expect(first).toBe(2101);
  expect(shownFrom(many, first).map(({ seq }) => seq)[0]).toBe(2101);
  expect(firstShown([...many, happened(3101)], first)).toBe(2101);
  expect(firstShown(many, 1)).toBe(101);
});

test("going back shows a thousand more, until the log itself must be loaded", () => {
  const many = Array.from({ length: 1500 }, (_, index) => happened(index + 101));
  expect(furtherBack(many, 601)).toBe(101);
  expect(furtherBack(many, 101)).toBeNull();
});

test("a log that was replaced because the page was away is shown from its newest", () => {
  const many = Array.from({ length: 3000 }, (_, index) => happened(index + 10_001));
  expect(firstShown(many, 50)).toBe(10_001);
  expect(firstShown(many.slice(0, 10), 20_000)).toBe(10_001);
});

const ME = "human:me" as AgentId;
const MINE = { fromAgentId: ME };

test.each([
  ["nothing was left", null, ["m1", "m2"]],
  ["all was seen", 2, ["m1", "m2"]],
  ["the second is new", 1, ["m1", "new", "m2"]],
  ["all is new", 0, ["new", "m1", "m2"]],
])("the line of what is new: %s", (_, after, expected) => {
  expect(short(withNewLine(talkRows([said(1, "a"), said(2, "b")], NONE), after, ME))).toEqual(expected);
});

test("the person's own messages are not new, and what happened alone is not", () => {
  const events = [said(1, "a"), said(2, "mine", undefined, MINE), happened(3), said(4, "b")];
  expect(short(withNewLine(talkRows(events, NONE), 1, ME))).toEqual(["m1", "m2", "q3", "new", "m4"]);
});

test("no line stands within a thread: what follows it may be old", () => {
  const rows = talkRows([said(1, "why?"), said(2, "else"), said(3, "so", 1)], NONE);
  expect(short(withNewLine(rows, 2, ME))).toEqual(["m1", ">m3", "m2"]);
});

test("new messages are counted, but not the person's own", () => {
  const events = [said(1, "a"), said(2, "b"), happened(3), said(4, "mine", undefined, MINE), said(5, "c")];
  expect([0, 1, 2, 5].map((after) => countNew(events, after, ME))).toEqual([3, 2, 1, 0]);
});
