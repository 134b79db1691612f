import { describe, expect, it } from "vitest";
import type { EventOf, EventPayloads, EventType, RoomEvent } from "../../../../src/core/event.ts";
import { type AgentId, asAgentId, asEventId, asRoomId } from "../../../../src/core/ids.ts";
import type { RoomPicture } from "../../../../src/peers/rules/picture.ts";
import {
  agentsToChoose,
  groupOf,
  isFiltering,
  LOG_GROUPS,
  messageLine,
  NO_FILTER,
  namesOfAgent,
  testOf,
} from "../../../../src/surfaces/page/views/log/log-filter.ts";
import { logItemOf, logPlaceOf } from "../../../../src/surfaces/page/views/log/log-place.ts";
import { leftToLook, NEW_SEARCH, searchedOn, within } from "../../../../src/surfaces/page/views/log/log-search.ts";

const [CLAUDE, CODEX, ME] = ["claude:1", "codex:1", "human:me"].map(asAgentId) as [AgentId, AgentId, AgentId];
const READER = { me: ME, nameOf: (agentId: AgentId) => agentId.split(":")[0] ?? "" };
const MESSAGE = { body: "", bodyBytes: 0, origin: "peer", deliveryHint: "normal", chainId: "c", hops: 0 } as const;

function event<Type extends EventType>(
  seq: number,
  type: Type,
  payload: EventPayloads[Type],
  fields: Partial<RoomEvent> = {},
): RoomEvent {
  const columns = { eventId: asEventId(`e${seq}`), roomId: asRoomId("room"), turnId: 1, handoff: null, reason: null };
  const who = { fromAgentId: CLAUDE, toAgentId: null, createdAt: "2026-01-01T12:00:00.000Z" };
  return { seq, type, payload, ...columns, ...who, ...fields } as RoomEvent;
}

function messages(from: number, to: number): readonly RoomEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) =>
    event(from + index, "message_sent", { ...MESSAGE, body: `number ${from + index}` }),
  );
}

function shown(events: readonly RoomEvent[], filter: Partial<typeof NO_FILTER>): readonly number[] {
  const whole = { ...NO_FILTER, ...filter };
  const test = testOf(whole, namesOfAgent(events, whole.agent), READER);
  return events.filter(test).map(({ seq }) => seq);
}

describe("the filters of the log", () => {
  const log = [
    event(1, "member_joined", { reason: "first", harness: "claude", handle: "claude" as never }),
    event(2, "message_sent", { ...MESSAGE, body: "Where is the PARSER?", kind: "ask" }, { toAgentId: CODEX }),
    event(3, "given", { revokedAgentId: CODEX }, { fromAgentId: ME, toAgentId: CLAUDE }),
    event(4, "session_superseded", { supersededAgentId: asAgentId("codex:0") }, { fromAgentId: CODEX }),
    event(5, "paused", {}, { fromAgentId: asAgentId("codex:0"), reason: "the tree is broken" }),
    { ...event(6, "paused", {}), type: "dreamt_of_sheep", payload: { woolly: true } } as unknown as RoomEvent,
    event(7, "release", { reservedFor: null }, { handoff: { status: "half done", nextAction: "mend the lexer" } }),
  ];

  it("show everything until one is chosen, an event of a newer program too", () => {
    expect(shown(log, {})).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(shown(log, { group: "unknown" })).toEqual([6]);
  });

  it("put every type of event into exactly one group that can be chosen", () => {
    expect(log.map(({ type }) => groupOf(type))).toEqual("people messages stick people stick unknown stick".split(" "));
    expect(groupOf("constructor")).toBe("unknown");
    expect(LOG_GROUPS).toContain("unknown");
  });

  it("show what an agent did and what was done to it, under its former names too", () => {
    expect(shown(log, { agent: CODEX })).toEqual([2, 3, 4, 5]);
    expect(shown(log, { agent: ME })).toEqual([3]);
  });

  it("find words in bodies, in sentences, in handoffs and in what no sentence is known for", () => {
    expect(shown(log, { text: " parser " })).toEqual([2]);
    expect(shown(log, { text: "asks and waits" })).toEqual([2]);
    expect(shown(log, { text: "TREE" })).toEqual([5]);
    expect(shown(log, { text: "lexer" })).toEqual([7]);
    expect(shown(log, { text: "woolly" })).toEqual([6]);
    expect(shown(log, { text: "you gave the stick" })).toEqual([3]);
  });

  it("narrow each other", () => {
    expect(shown(log, { agent: CODEX, group: "stick", text: "broken" })).toEqual([5]);
  });
});

function at(time: string): number {
  return Date.parse(`2026-01-01T${time}:00.000Z`);
}

describe("the span of the log", () => {
  const log = ["12:00", "12:30", "09:00", "13:00"].map((time, index) =>
    event(index + 1, "resumed", { reservedFor: null }, { createdAt: new Date(at(time)).toISOString() }),
  );

  it("has its first moment and not its last", () => {
    expect(shown(log, { from: at("12:30") })).toEqual([2, 4]);
    expect(shown(log, { until: at("12:30") })).toEqual([1, 3]);
    expect(shown(log, { from: at("12:00"), until: at("12:30") })).toEqual([1]);
  });

  it("goes by the clock that an event was written with, also where that clock jumped back", () => {
    expect(shown(log, { from: at("08:00"), until: at("10:00") })).toEqual([3]);
    expect(shown(log, {})).toEqual([1, 2, 3, 4]);
  });

  it("counts as a filter", () => {
    expect(isFiltering(NO_FILTER)).toBe(false);
    expect(isFiltering({ ...NO_FILTER, until: 0 })).toBe(true);
    expect(isFiltering({ ...NO_FILTER, text: "  " })).toBe(false);
  });
});

/** The line of a message that claude sends. */
function lineOf(fields: Partial<RoomEvent>, payload: Partial<EventPayloads["message_sent"]> = {}): string {
  return messageLine(event(1, "message_sent", { ...MESSAGE, ...payload }, fields) as EventOf<"message_sent">, READER);
}

describe("the line of a message", () => {
  it("says the sender, the recipient, and what kind of message it is", () => {
    expect(lineOf({ toAgentId: CODEX })).toBe("claude → codex");
    expect(lineOf({ toAgentId: null })).toBe("claude → the room");
    expect(lineOf({ fromAgentId: ME, toAgentId: CODEX })).toBe("you → codex");
    expect(lineOf({ toAgentId: ME }, { kind: "ask" })).toBe("claude → you (asks and waits)");
    expect(lineOf({ toAgentId: ME }, { deliveryHint: "interrupt" })).toBe("claude → you (interrupts)");
    expect(lineOf({ fromAgentId: null, toAgentId: ME })).toBe("nobody → you");
  });
});

/** Each event is by another agent. */
function byGuests(count: number): readonly RoomEvent[] {
  return Array.from({ length: count }, (_, index) =>
    event(index + 1, "resumed", { reservedFor: null }, { fromAgentId: asAgentId(`guest:${index}`) }),
  );
}

describe("the agents that the log can be filtered by", () => {
  const picture = {
    agents: [{ agentId: CLAUDE }],
    folded: { gone: [{ agentId: CODEX }], away: [] },
  } as unknown as RoomPicture;

  it("are those of the room, then those that acted last, and the one that is chosen", () => {
    expect(agentsToChoose(picture, byGuests(2), null)).toEqual([CLAUDE, CODEX, "guest:1", "guest:0"]);
    expect(agentsToChoose(picture, [], ME)).toEqual([ME, CLAUDE, CODEX]);
  });

  it("are no more than a person can choose from", () => {
    expect(agentsToChoose(picture, byGuests(9_999), null)).toHaveLength(200);
    expect(agentsToChoose(picture, byGuests(9_999), null)[2]).toBe("guest:9998");
  });
});

describe("the address of the log", () => {
  it("brings back what it was made of", () => {
    const agent = asAgentId("codex:s&1=/ü");
    for (const place of [
      { filter: NO_FILTER, seq: null },
      { filter: NO_FILTER, seq: 12 },
      { filter: { ...NO_FILTER, group: "stick", agent, text: "a & b" }, seq: 3 },
      { filter: { ...NO_FILTER, from: 1_767_268_800_000, until: 1_767_272_400_000 }, seq: null },
      { filter: { ...NO_FILTER, text: "seq:9" }, seq: null },
    ] as const) {
      expect(logPlaceOf(logItemOf(place))).toEqual(place);
    }
  });

  it("opens nothing if it is not one of ours", () => {
    expect(logPlaceOf("seq:-1")).toEqual({ filter: NO_FILTER, seq: null });
    expect(logPlaceOf("from=yesterday&until=NaN")).toEqual({ filter: NO_FILTER, seq: null });
    expect(logPlaceOf("type=nonsense&seq=1e9")).toEqual({ filter: NO_FILTER, seq: null });
  });
});

const even = ({ seq }: RoomEvent) => seq % 2 === 0;
const atOnce = () => false;
const stopAfterPiece = () => true;

describe("a search through the log", () => {
  it("finds the newest first, and in the end all, in their order", () => {
    const log = messages(1, 200);
    let search = searchedOn(NEW_SEARCH, log, even, stopAfterPiece);
    expect(search.found.at(-1)?.seq).toBe(200);
    expect(leftToLook(search, log)).toBe(136);
    while (leftToLook(search, log) > 0) search = searchedOn(search, log, even, stopAfterPiece);
    expect(search.found).toEqual(log.filter(even));
  });

  it("looks at each event once, however many come on both sides", () => {
    const looks: number[] = [];
    const counting = (each: RoomEvent) => {
      looks.push(each.seq);
      return even(each);
    };
    let search = searchedOn(NEW_SEARCH, messages(500, 600), counting, atOnce);
    search = searchedOn(search, messages(500, 700), counting, atOnce);
    search = searchedOn(search, messages(1, 700), counting, atOnce);
    expect(search.found.map(({ seq }) => seq)).toEqual(Array.from({ length: 350 }, (_, index) => 2 * index + 2));
    expect(looks.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 700 }, (_, index) => index + 1));
  });

  it("forgets what the page has let go, and what a slider has taken back", () => {
    const search = searchedOn(NEW_SEARCH, messages(1, 100), even, atOnce);
    expect(within(search, messages(51, 100)).found[0]?.seq).toBe(52);
    expect(within(search, messages(1, 10)).found.at(-1)?.seq).toBe(10);
    expect(within(search, messages(400, 500))).toBe(NEW_SEARCH);
    expect(within(search, [])).toBe(NEW_SEARCH);
    const back = within(search, messages(1, 10));
    expect(searchedOn(back, messages(1, 100), even, atOnce).found).toHaveLength(50);
  });

  it("still stands while its log only grows", () => {
    const search = searchedOn(NEW_SEARCH, messages(50, 100), even, atOnce);
    expect(within(search, messages(1, 200))).toBe(search);
    expect(leftToLook(search, messages(1, 200))).toBe(149);
  });
});
