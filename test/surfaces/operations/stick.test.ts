/** Whatever an operation of the stick or of the log lists as a refusal can be provoked, and gives exactly this code. */
import { describe, expect, it } from "vitest";
import type { RefusalCode } from "../../../src/core/refusal.ts";
import type { Call, Operation } from "../../../src/engine/operation.ts";
import { closeRoom } from "../../../src/room/close-room.ts";
import { getRoomEvents, waitForEvents } from "../../../src/room/events.ts";
import { joinPath } from "../../../src/room/join-path.ts";
import { kickMember } from "../../../src/room/kick-member.ts";
import { nameMyself } from "../../../src/room/name-myself.ts";
import type { Caller } from "../../../src/session/rules/decision-input.ts";
import { giveStick } from "../../../src/stick/give-stick.ts";
import { heartbeat } from "../../../src/stick/heartbeat.ts";
import { passStick } from "../../../src/stick/pass-stick.ts";
import { pauseRoom } from "../../../src/stick/pause-room.ts";
import { releaseStick } from "../../../src/stick/release-stick.ts";
import { requestStick } from "../../../src/stick/request-stick.ts";
import { takeoverStick } from "../../../src/stick/takeover-stick.ts";
import { waitForTurn } from "../../../src/stick/wait-with-mail.ts";
import { perform } from "../../../src/surfaces/door.ts";
import { agentCalled } from "../../support/service-ports.ts";
import { accepted, ServiceWorld } from "../../support/service-world.ts";
import { A_FLAG, toldToModel } from "../../support/told-to-model.ts";

const HANDOFF = { status: "the parser is done", next_action: "write its tests" };

/** A room in which `a:1` holds the stick, and `b:2` is a member. */
class HeldRoom extends ServiceWorld {
  readonly tree = this.directory("tree");
  token = {};

  static async open(): Promise<HeldRoom> {
    const room = new HeldRoom({ handoffMaxBytes: 256, messageMaxBytes: 256, sendRatePerMin: 1 });
    for (const agent of ["a:1", "b:2"]) accepted(await room.by(agent, joinPath));
    const { leaseId, turnId } = accepted(await room.by("a:1", waitForTurn)) as { leaseId: string; turnId: number };
    room.token = { lease_id: leaseId, expected_turn_id: turnId };
    return room;
  }

  by(agent: string | Caller, of: object, input: object = {}, call: Call = {}) {
    const caller = typeof agent === "string" ? agentCalled(agent) : agent;
    const door = { directory: this.tree, deps: async () => this.deps, caller: async () => caller };
    return perform(of as Operation, door, { ...input }, call);
  }

  /** As the holder, with its token. */
  asHolder(of: object, input: object = {}) {
    return this.by("a:1", of, { ...this.token, handoff: HANDOFF, ...input });
  }

  byPerson(of: object, input: object) {
    return this.by(agentCalled("human:eve", { person: true }), of, input);
  }

  /** Only a member may. */
  async kick(agent: string): Promise<void> {
    accepted(await this.byPerson(joinPath, {}));
    accepted(await this.byPerson(kickMember, { target_agent_id: agent, force: true }));
  }

  async close(): Promise<void> {
    accepted(await this.byPerson(closeRoom, { operator_requested: true }));
  }
}

type Provoke = (room: HeldRoom) => Promise<unknown>;

/** What every holder's call refuses. */
function ofHolder(of: object, input: object = {}): Readonly<Record<string, Provoke>> {
  return {
    room_closed: async (room) => {
      await room.close();
      return room.by("a:1", of, { ...room.token, ...input });
    },
    turn_mismatch: (room) => room.by("a:1", of, { ...room.token, expected_turn_id: 9, ...input }),
    stale_lease: (room) => room.by("a:1", of, { ...room.token, lease_id: "another", ...input }),
  };
}

/** The holder is judged first: it is the holder who owes a handoff. */
function ofHandingOver(of: object, input: object = {}): Readonly<Record<string, Provoke>> {
  return {
    ...ofHolder(of, input),
    invalid_handoff: (room) => room.by("a:1", of, { ...room.token, ...input }),
    handoff_too_large: (room) => room.asHolder(of, { ...input, handoff: { ...HANDOFF, status: "x".repeat(300) } }),
  };
}

function ofLog(of: object): Readonly<Record<string, Provoke>> {
  return {
    invalid_cursor: (room) => room.by("b:2", of, { after_event_seq: 99 }),
    invalid_event_type_filter: (room) => room.by("b:2", of, { event_type: "relaese" }),
  };
}

const TAKEN = { expected_turn_id: 1, reason: "it is gone" };

const ROWS: readonly (readonly [Pick<Operation, "name" | "refusals">, Readonly<Record<string, Provoke>>])[] = [
  [heartbeat, ofHolder(heartbeat)],
  [releaseStick, ofHandingOver(releaseStick)],
  [
    passStick,
    {
      ...ofHandingOver(passStick, { to_agent_id: "b:2" }),
      unknown_recipient: (room) => room.asHolder(passStick, { to_agent_id: "nobody" }),
      ambiguous_recipient: async (room) => {
        accepted(await room.by("b:3", joinPath));
        // Until then it has the name of their harness.
        accepted(await room.by("b:2", nameMyself, { handle: "parser" }));
        return room.asHolder(passStick, { to_agent_id: "b" });
      },
      recipient_unreachable: (room) => room.asHolder(passStick, { to_agent_id: "b:2" }),
      self_send: (room) => room.asHolder(passStick, { to_agent_id: "a:1" }),
      not_authorized: (room) => room.asHolder(passStick, { to_agent_id: "b:2", operator_requested: true }),
      room_paused: async (room) => {
        accepted(await room.byPerson(pauseRoom, {}));
        return room.asHolder(passStick, { to_agent_id: "b:2" });
      },
    },
  ],
  [
    takeoverStick,
    {
      room_closed: async (room) => {
        await room.close();
        return room.by("b:2", takeoverStick, TAKEN);
      },
      turn_mismatch: (room) => room.by("b:2", takeoverStick, { ...TAKEN, expected_turn_id: 9 }),
      takeover_ineligible: (room) => room.by("a:1", takeoverStick, TAKEN),
      takeover_not_available: (room) => room.by("b:2", takeoverStick, TAKEN),
      not_authorized: (room) => room.by("b:2", takeoverStick, { ...TAKEN, operator_requested: true }),
      room_paused: async (room) => {
        accepted(await room.byPerson(pauseRoom, {}));
        return room.by("b:2", takeoverStick, TAKEN);
      },
    },
  ],
  [
    giveStick,
    {
      not_authorized: (room) => room.by("b:2", giveStick, { to_agent_id: "b:2" }),
      room_closed: async (room) => {
        await room.close();
        return room.byPerson(giveStick, { to_agent_id: "b:2" });
      },
      unknown_recipient: (room) => room.byPerson(giveStick, { to_agent_id: "nobody" }),
      ambiguous_recipient: async (room) => {
        accepted(await room.by("b:3", joinPath));
        accepted(await room.by("b:2", nameMyself, { handle: "parser" }));
        return room.byPerson(giveStick, { to_agent_id: "b" });
      },
      recipient_unreachable: async (room) => {
        room.gone.add("b:2");
        room.nowMs += 60_000;
        return room.byPerson(giveStick, { to_agent_id: "b:2" });
      },
      takeover_ineligible: (room) => room.byPerson(giveStick, { to_agent_id: "a:1" }),
      target_active: (room) => room.byPerson(giveStick, { to_agent_id: "b:2" }),
      turn_mismatch: (room) => room.byPerson(giveStick, { to_agent_id: "b:2", expected_turn_id: 9 }),
    },
  ],
  [
    requestStick,
    {
      room_closed: async (room) => {
        await room.close();
        return room.by("b:2", requestStick, { why: "mine waits" });
      },
      self_send: (room) => room.by("a:1", requestStick, { why: "mine waits" }),
      unknown_recipient: async (room) => {
        accepted(await room.asHolder(releaseStick));
        return room.by("b:2", requestStick, { why: "mine waits" });
      },
      recipient_unreachable: async (room) => {
        room.gone.add("a:1");
        room.nowMs += 60_000;
        return room.by("b:2", requestStick, { why: "mine waits" });
      },
      invalid_body: (room) => room.by("b:2", requestStick, { why: " " }),
      message_too_large: (room) => room.by("b:2", requestStick, { why: "x".repeat(300) }),
      rate_limited: async (room) => {
        for (const why of ["one", "two"]) accepted(await room.by("b:2", requestStick, { why }));
        return room.by("b:2", requestStick, { why: "three" });
      },
    },
  ],
  [
    waitForTurn,
    {
      room_closed: async (room) => {
        await room.close();
        return room.by("c:3", waitForTurn, { max_wait_ms: 0 });
      },
      unknown_member: (room) => {
        let kicking: Promise<unknown> | undefined;
        const onLook = () => {
          kicking ??= room.kick("b:2");
        };
        return room.by("b:2", waitForTurn, { max_wait_ms: 60_000 }, { onLook });
      },
      not_authorized: (room) => {
        const subagent = { ...agentCalled("b:2"), facts: { isSubagent: true } } as Caller;
        return room.by(subagent, waitForTurn, { claim: false });
      },
    },
  ],
  [getRoomEvents, ofLog(getRoomEvents)],
  [waitForEvents, ofLog(waitForEvents)],
];

describe.each(ROWS.map(([operation, provoked]) => ({ ...operation, provoked })))("$name", ({ refusals, provoked }) => {
  it("has a row here for each refusal that it lists, and lists each", () => {
    expect(Object.keys(provoked).toSorted()).toEqual([...refusals].toSorted());
  });

  it.each(Object.entries(provoked) as [RefusalCode, Provoke][])("refuses with %s", async (error, provoke) => {
    const answer = await provoke(await HeldRoom.open());
    expect(answer).toMatchObject({ error });
    expect(toldToModel(answer)).not.toMatch(A_FLAG);
  });
});

it.each(["", "…", "WHY"])("a takeover with %j for a reason is refused, because that says nothing", async (reason) => {
  const room = await HeldRoom.open();
  expect(await room.by("b:2", takeoverStick, { ...TAKEN, reason })).toMatchObject({
    error: "invalid_input",
    facts: { field: "reason" },
  });
});

it.each(["2h", "yesterday", "two hours ago", "2026", "2026-11-18T14:02:07", "2026-13-01T00:00:00Z", 7])(
  "the log since %j is refused, because that is no time",
  async (since) => {
    const room = await HeldRoom.open();
    for (const more of [{}, { after_event_seq: 0 }]) {
      expect(await room.by("b:2", getRoomEvents, { since, ...more })).toMatchObject({
        error: "invalid_input",
        next: expect.stringMatching(/ISO 8601/),
        facts: { field: "since" },
      });
    }
  },
);

it.each([
  ["1970-01-01T00:16:40.000Z", 3],
  ["1970-01-01T00:16:40Z", 3],
  ["1970-01-01T02:16:40+02:00", 3],
  ["1970-01-01T00:16:41Z", 0],
  ["1970-01-01T00:16:40.001Z", 0],
])("the log since %s has what happened then or later, however the time is written", async (since, howMany) => {
  const room = await HeldRoom.open();
  const { events } = accepted(await room.by("b:2", getRoomEvents, { since })) as { events: object[] };
  expect(events).toHaveLength(howMany);
});
