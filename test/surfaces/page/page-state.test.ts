/** What the page knows follows from the lines of its streams, however they are cut. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asEventId, asRoomId, type RoomId } from "../../../src/core/ids.ts";
import type { EventView } from "../../../src/room/rules/event-view.ts";
import { EMPTY_LOG, firstSeqOf, lastSeqOf, withNewer, withOlder } from "../../../src/surfaces/page/event-log.ts";
import { EMPTY_STATE, opened, openPicture, received } from "../../../src/surfaces/page/page-state.ts";
import { addressOf, placeAt, START } from "../../../src/surfaces/page/place.ts";
import type { StreamLine } from "../../../src/surfaces/wire/stream-line.ts";
import { picture } from "../console/pictures.ts";

const ROOM = asRoomId("room");

function view(seq: number): EventView {
  return {
    eventSeq: seq,
    eventId: asEventId(`e${seq}`),
    roomId: ROOM,
    turnId: 0,
    eventType: "resumed",
    fromAgentId: null,
    toAgentId: null,
    handoff: null,
    reason: null,
    createdAt: "2026-01-15T14:02:07.000Z",
    payload: {},
  };
}

const views = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => view(from + index));
const logLine = (from: number, to: number, isNewest: boolean): StreamLine => ({
  line: "log",
  roomId: ROOM,
  events: views(from, to),
  isNewest,
});

describe("the log of the open room", () => {
  test("a stream that is opened again after any cut gives each event once, in its order", () => {
    const cuts = fc.array(fc.record({ sent: fc.nat(7), repeats: fc.nat(3) }), { maxLength: 20 });
    fc.assert(
      fc.property(cuts, (streams) => {
        let state = received(opened(EMPTY_STATE, ROOM), logLine(11, 15, true));
        let written = 15;
        for (const { sent, repeats } of streams) {
          const after = lastSeqOf(state.open?.log ?? EMPTY_LOG) ?? 0;
          written += sent;
          if (written > after) state = received(state, logLine(after + 1, written, false));
          // A line that was on its way when the stream was cut comes a second time.
          if (repeats > 0) state = received(state, logLine(Math.max(11, written - repeats), written, false));
        }
        const seqs = state.open?.log.events.map(({ seq }) => seq);
        expect(seqs).toEqual(views(11, written).map(({ eventSeq }) => eventSeq));
      }),
    );
  });

  test("older events come in front once, and what would leave a gap is left out", () => {
    const log = withNewer(EMPTY_LOG, views(20, 30));
    const whole = withOlder(withOlder(log, views(10, 22)), views(5, 12));
    expect([firstSeqOf(whole), lastSeqOf(whole), whole.events.length]).toEqual([5, 30, 26]);
    expect(withOlder(log, views(1, 15))).toBe(log);
  });

  test("a page that is open for long lets the oldest go and says so", () => {
    const log = withNewer(withNewer(EMPTY_LOG, views(1, 20_000)), views(20_001, 20_001));
    expect([firstSeqOf(log), lastSeqOf(log), log.isCut]).toEqual([10_002, 20_001, true]);
    expect(withNewer(EMPTY_LOG, views(1, 20_000)).isCut).toBe(false);
  });

  test("a page that was away for too long begins again with the newest", () => {
    const before = received(opened(EMPTY_STATE, ROOM), logLine(1, 5, true));
    const after = received(before, logLine(900, 950, true));
    expect(after.open?.log.events.map(({ seq }) => seq)).toEqual(views(900, 950).map(({ eventSeq }) => eventSeq));
  });

  test("lines about a room that is not open any more change nothing", () => {
    const state = opened(EMPTY_STATE, asRoomId("other"));
    expect(received(state, logLine(1, 5, true))).toBe(state);
  });
});

test("a page that is open for days keeps the marks of the newest messages", () => {
  const marked = (from: number, to: number): StreamLine => ({
    line: "marks",
    roomId: ROOM,
    marks: views(from, to).map(({ eventId }) => ({ messageId: eventId, marks: [] })),
  });
  const first = received(opened(EMPTY_STATE, ROOM), marked(1, 20_000));
  const then = received(first, marked(20_001, 20_003));
  expect(first.open?.marks.size).toBe(20_000);
  expect(then.open?.marks.size).toBe(20_000);
  expect([3, 4, 20_003].map((seq) => then.open?.marks.has(view(seq).eventId))).toEqual([false, true, true]);
});

const rooms = (order: readonly string[], changed: readonly string[]): StreamLine => ({
  line: "rooms",
  order: order as RoomId[],
  changed: changed.map((name) => picture({ roomId: asRoomId(name), path: `/${name}` })),
});

describe("the rooms", () => {
  test("given rooms, when one changes, then the others stay as they are", () => {
    const before = received(EMPTY_STATE, rooms(["a", "b"], ["a", "b"]));
    const after = received(before, rooms(["b", "a"], ["b"]));
    expect(after.rooms.map(({ path }) => path)).toEqual(["/b", "/a"]);
    expect(after.rooms[1]).toBe(before.rooms[0]);
  });

  test("given an open room, when it is removed, then it stays as it was last seen, and that is said", () => {
    const before = opened(received(EMPTY_STATE, rooms(["a", "b"], ["a", "b"])), asRoomId("a"));
    const after = received(before, rooms(["b"], []));
    expect(after.isOpenRemoved).toBe(true);
    expect(openPicture(after)?.path).toBe("/a");
    expect(received(after, rooms(["a", "b"], ["a"])).isOpenRemoved).toBe(false);
  });

  test("an empty list is known to be empty only after the first line about rooms", () => {
    expect(EMPTY_STATE.hasRooms).toBe(false);
    expect(received(EMPTY_STATE, rooms([], [])).hasRooms).toBe(true);
  });

  test("a line of an unknown kind changes nothing", () => {
    expect(received(EMPTY_STATE, { line: "later" } as unknown as StreamLine)).toBe(EMPTY_STATE);
  });
});

describe("the address", () => {
  test("every place comes back from its address", () => {
    const unit = fc.constantFrom("a", "/", "#", "%", "%2F", " ", "é", "漢", "😀", "\u0000", "\u202e");
    const name = fc.string({ unit, minLength: 1 });
    const place = fc.record({
      roomId: name,
      view: fc.constantFrom("talk" as const, "turns" as const, "log" as const),
      item: fc.option(name),
    });
    fc.assert(
      fc.property(place, (there) => {
        expect(placeAt(addressOf(there))).toEqual(there);
      }),
    );
    expect(placeAt(addressOf(START))).toEqual(START);
  });

  test.each([
    ["", START],
    ["#secret=x", START],
    ["#/room/", START],
    ["#/room/a/nowhere/3", { roomId: "a", view: "talk", item: "3" }],
    ["#/room/%E0%A4%A/log", { roomId: "%E0%A4%A", view: "log", item: null }],
  ])("%s is taken for as much as is right of it", (address, place) => {
    expect(placeAt(address)).toEqual(place);
  });
});
