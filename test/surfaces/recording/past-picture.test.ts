/** A recording shows of each moment what the room was then, as far as its log tells. */
import { describe, expect, it } from "vitest";
import type { Store } from "../../../src/engine/ports/store.ts";
import type { RoomPicture } from "../../../src/peers/rules/picture.ts";
import { pruneRooms } from "../../../src/room/prune-rooms.ts";
import { PastLog } from "../../../src/surfaces/page/recorded/past-log.ts";
import type { Recording } from "../../../src/surfaces/wire/recording.ts";
import { accepted } from "../../support/service-world.ts";
import { ToldRoom } from "./told-room.ts";

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
const STEPS = 150;

/** The states of a look that follow from processes, leases and presence, as the log has them. */
const TOLD: Readonly<Partial<Record<RoomPicture["now"]["state"], string>>> = {
  stale_owner: "owned",
  owner_gone: "owned",
  dormant: "idle",
};

function told(picture: RoomPicture) {
  const { now, agents, folded, lastSeq, path } = picture;
  const { state, turnId, holder, reservation, paused, guard, openNotes } = now;
  const members = [...agents, ...folded.gone, ...folded.away].map(({ agentId, harness, holdsStick, isNext }) => ({
    agentId,
    harness,
    holdsStick,
    isNext,
  }));
  return {
    lastSeq,
    path,
    state: TOLD[state] ?? state,
    turnId,
    holder: holder && { ...holder, leaseUntil: null },
    reservation: reservation && { ...reservation, until: null },
    paused,
    guard,
    openNotes,
    members: members.toSorted((a, b) => (a.agentId < b.agentId ? -1 : 1)),
    cards: Object.fromEntries(agents.map(({ agentId, card }) => [agentId, card])),
    handoff: picture.detail.handoff,
  };
}

type Told = ReturnType<typeof told>;

/** A card or a policy from before the log is not known if it has changed since, nor is a member that was away. */
function asFarAsLeft(picture: Told): Told {
  return {
    ...picture,
    guard: "off",
    cards: {},
    members: [],
    holder: picture.holder && { ...picture.holder, purpose: null },
  };
}

/** Agents that are away have no row, and so show no card. */
function cardsAmong(was: Told, shown: Told): Told {
  return {
    ...shown,
    cards: Object.fromEntries(Object.keys(was.cards).map((agent) => [agent, shown.cards[agent] ?? null])),
  };
}

/** Each look at the room with what the recording shows of that moment. */
function compare(world: ToldRoom, recording: Recording, only = (picture: Told): Told => picture) {
  const log = new PastLog(recording);
  const before = (recording.events[0]?.seq ?? 1) - 1;
  let compared = 0;
  // Backwards, too: a look may begin anywhere.
  for (const [seq, picture] of [...world.pictures].toReversed()) {
    const position = seq - before;
    if (position < 1 || log.isEnd(position)) continue;
    const was = told(picture);
    const shown = cardsAmong(was, told(log.pictureAt(position)));
    expect(was.members).toEqual(expect.arrayContaining(shown.members));
    expect(only(shown), `after event ${seq}`).toEqual(only(was));
    expect(log.eventAt(position)?.seq).toBe(seq);
    compared += 1;
  }
  return { log, compared };
}

describe("given a room in which much has happened", () => {
  it.each(SEEDS)("when any moment is shown, then it is as it was then (seed %i)", async (seed) => {
    const world = await new ToldRoom(seed).play(STEPS);
    const { log, compared } = compare(world, await world.recorded());
    expect(log.last).toBeGreaterThan(STEPS / 4);
    expect(compared).toBeGreaterThan(STEPS / 4);
  });

  it.each(SEEDS)("when only a part of it is recorded, then that part is the same (seed %i)", async (seed) => {
    const world = await new ToldRoom(seed).play(STEPS);
    const whole = new PastLog(await world.recorded());
    const [since, until] = [0.4, 0.7].map((part) => whole.timeAt(Math.floor(whole.last * part)));
    const part = new PastLog(await world.recorded({ since: since ?? null, until: until ?? null }));
    const [first] = part.recording.events;
    expect(part.last).toBeGreaterThan(0);
    expect(part.last).toBeLessThan(whole.last);
    expect(part.recording.end).toBeNull();
    for (let position = 1; position <= part.last; position += 1) {
      expect(part.pictureAt(position)).toEqual({
        ...whole.pictureAt((first?.seq ?? 0) + position - 1),
      });
    }
  });

  it("when the last moment is shown, then it has what was known then, and a moment before has not", async () => {
    const world = await new ToldRoom(7).play(60);
    const recording = await world.recorded();
    const log = new PastLog(recording);
    const atEnd = log.pictureAt(log.last);
    expect(atEnd).toEqual(recording.end?.picture);
    expect([...atEnd.agents, ...atEnd.folded.away].some(({ lastSeenAt }) => lastSeenAt !== null)).toBe(true);
    const before = log.pictureAt(log.last - 1);
    expect(before).toMatchObject({ now: { queue: [], protection: null }, me: null, talk: [], turns: [] });
    const isUnknown = before.agents.map(
      ({ lastSeenAt, unread, needs }) => lastSeenAt === null && unread === 0 && !needs,
    );
    expect(new Set(isUnknown)).toEqual(new Set([true]));
  });

  it("when an agent notes something while the log is read, then the recording has no note of later", async () => {
    const world = await new ToldRoom(3).play(20);
    const { roomId, store } = world;
    const noting: Store["readEvents"] = async (...which) => {
      const events = await store.readEvents(...which);
      accepted(await world.as("claude:1").addNote({ roomId, body: "from now on" }));
      return events;
    };
    const busy = new Proxy(store, {
      get: (target, name) => {
        const value: unknown = name === "readEvents" ? noting : Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const { start, notesBefore } = await world.recorded({}, { ...world.deps, store: busy });
    expect({ notesBefore, openNotes: start.openNotes }).toEqual({ notesBefore: [], openNotes: 0 });
  });

  it.each(SEEDS)("when older events were deleted, then the rest is as it was (seed %i)", async (seed) => {
    const world = await new ToldRoom(seed).play(STEPS);
    const { roomId } = world;
    await world.close();
    world.nowMs += 7 * 86_400_000;
    const { rooms } = accepted(await pruneRooms(world.deps, { roomId, carryOut: true }));
    expect(rooms).toMatchObject([{ pruned: true }]);
    await world.play(STEPS);
    const { log, compared } = compare(world, await world.recorded(), asFarAsLeft);
    expect(log.eventAt(1)?.seq).toBeGreaterThan(10);
    expect(compared).toBeGreaterThan(10);
  });
});

it("looks at few events of 20,000 to show a moment, so that it is there within a frame", async () => {
  const world = await new ToldRoom(11).play(300);
  const recording = await world.recorded();
  const said = recording.events.findLast(({ type }) => type === "message_sent");
  if (!said) throw new Error("nothing was said");
  const looked = new Set<number>();
  const more = Array.from({ length: 20_000 - recording.events.length }, (_, at) => {
    const seq = recording.events.length + 1 + at;
    const tell = () => {
      looked.add(seq);
      return seq;
    };
    return Object.defineProperty({ ...said }, "seq", { get: tell });
  });
  const log = new PastLog({ ...recording, events: [...recording.events, ...more], end: null });
  expect(log.pictureAt(log.last).lastSeq).toBe(20_000);
  for (let look = 1; look < 50; look += 1) {
    looked.clear();
    const position = (look * 7919) % log.last;
    expect(log.pictureAt(position).lastSeq).toBe(position);
    expect(looked.size).toBeLessThanOrEqual(200);
  }
});
