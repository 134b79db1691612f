import { describe, expect, it } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { evolve } from "../../../src/room/rules/evolve.ts";
import { INITIAL_STATE } from "../../../src/room/rules/room.ts";
import { needsSettling } from "../../../src/room/rules/settle.ts";
import { SeededRandom } from "../../support/random.ts";
import { codeOf, HANDOFF, RoomWorld, statusOf } from "../../support/room-world.ts";

const OLD = "claude:provisional";
const NEW = "claude:verified";

function merging(): RoomWorld {
  return new RoomWorld().remember(NEW, OLD);
}

function members(world: RoomWorld): string[] {
  return [...world.room.state.members.keys()].toSorted();
}

describe("a provisional name becomes the verified one", () => {
  it("with one event and without leaving the room", () => {
    const world = merging();
    world.join(OLD);
    world.join(NEW);
    expect(members(world)).toEqual([NEW]);
    expect(world.eventTypes()).toEqual(["member_joined", "session_superseded"]);
    expect(world.events.at(-1)).toMatchObject({
      fromAgentId: NEW,
      toAgentId: OLD,
      payload: { supersededAgentId: OLD },
    });
  });

  it("with its handle and its presence", () => {
    const world = merging();
    world.join(OLD);
    world.join(NEW);
    expect([...world.room.presence.keys()]).toEqual([NEW]);
    expect(world.room.presence.get(asAgentId(NEW))).toMatchObject({ agentId: NEW, handle: "claude" });
  });

  it("with the stick: the lease that was given out stays valid", () => {
    const world = merging();
    world.wait(OLD);
    const token = world.token();
    expect(statusOf(world.heartbeat(NEW, token))).toBe("ok");
    expect(world.room.state.owner).toBe(NEW);
    expect(statusOf(world.release(NEW, HANDOFF, token))).toBe("released");
  });

  it("by its very release", () => {
    const world = merging();
    world.wait(OLD);
    expect(statusOf(world.release(NEW))).toBe("released");
    expect(world.room.cooldown?.agentId).toBe(NEW);
  });

  it("with its place in the queue and its registered wait", () => {
    const world = merging();
    world.wait("a");
    world.join(OLD);
    world.wait("b");
    world.wait(OLD);
    world.heartbeat("a");
    world.addNote(NEW, "hello");
    expect(world.room.waits.get(asAgentId(NEW))).toMatchObject({ agentId: NEW, claims: true });
    expect(world.room.waits.has(asAgentId(OLD))).toBe(false);
    world.release("a");
    expect(world.room.state.reservation?.agentId).toBe(NEW);
  });

  it("with its reservation", () => {
    const world = merging();
    world.wait("a");
    world.wait(OLD);
    world.release("a");
    expect(world.room.state.reservation?.agentId).toBe(OLD);
    expect(statusOf(world.wait(NEW))).toBe("your_turn");
    expect(world.room.state.owner).toBe(NEW);
  });

  it("with the handoff it gave and its cooldown", () => {
    const world = merging();
    world.wait(OLD);
    world.release(OLD);
    world.join(NEW);
    expect(world.room.state.handoff?.fromAgentId).toBe(NEW);
    expect(world.room.cooldown?.agentId).toBe(NEW);
  });

  it("also when it leaves, is refused something, or kicks", () => {
    const world = merging();
    world.join(OLD);
    expect(statusOf(world.leave(NEW))).toBe("left");
    expect(members(world)).toEqual([]);
    world.join(OLD);
    world.join("b");
    expect(codeOf(world.kick(NEW, "b"))).toBe("target_active");
    expect(members(world)).toEqual(["b", NEW]);
  });

  it("cannot kick itself by its old name", () => {
    const world = merging();
    world.join(OLD);
    expect(codeOf(world.kick(NEW, OLD))).toBe("unknown_target");
    expect(members(world)).toEqual([NEW]);
  });
});

describe("when both names are members", () => {
  it("the earlier joining counts for the place in the queue", () => {
    const world = new RoomWorld();
    world.join(OLD);
    world.join("b");
    world.join(NEW);
    world.remember(NEW, OLD).join(NEW);
    expect(members(world)).toEqual(["b", NEW]);
    expect(world.room.state.members.get(asAgentId(NEW))?.joinedSeq).toBe(1);
  });

  it("the earlier joining is the verified one's own, if that was earlier", () => {
    const world = new RoomWorld();
    world.join(NEW);
    world.join(OLD);
    world.remember(NEW, OLD).join(NEW);
    expect(world.room.state.members.get(asAgentId(NEW))?.joinedSeq).toBe(1);
  });

  it.each([OLD, NEW])("a turn that %s has had is not given back: a member that never held comes first", (holder) => {
    const world = new RoomWorld({ priorOwnerCooldownMs: 0 });
    for (const agent of [OLD, "b", NEW, "c"]) world.join(agent);
    world.wait(holder);
    world.release(holder);
    const heldSeq = world.events.at(-1)?.seq;
    world.wait("c");
    world.remember(NEW, OLD).wait(NEW);
    world.wait("b");
    expect(world.room.state.members.get(asAgentId(NEW))).toMatchObject({ joinedSeq: 1, heldSeq });
    expect(world.release("c")).toMatchObject({ reservedFor: "b", waitingCount: 2 });
  });

  it("of two turns that were had the later one counts", () => {
    const world = new RoomWorld({ priorOwnerCooldownMs: 0 });
    for (const agent of [NEW, OLD]) {
      world.wait(agent);
      world.release(agent);
    }
    const heldSeq = world.events.at(-1)?.seq;
    world.remember(NEW, OLD).join(NEW);
    expect(world.room.state.members.get(asAgentId(NEW))).toMatchObject({ joinedSeq: 1, heldSeq });
  });

  it("the stick, the longer wait and the verified one's handle are kept", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait(OLD, { forMs: 90_000 });
    world.advance(1000);
    world.wait(NEW, { forMs: 10_000 });
    const since = world.room.waits.get(asAgentId(OLD))?.sinceAt;
    const deadline = world.room.waits.get(asAgentId(OLD))?.deadline;
    world.remember(NEW, OLD).join(NEW);
    expect(world.room.waits.get(asAgentId(NEW))).toMatchObject({ sinceAt: since, deadline });
    expect(world.room.presence.get(asAgentId(NEW))?.handle).toBe("claude-2");
  });
});

describe("nothing is merged", () => {
  it("for a caller that was never a member under another name", () => {
    const world = merging();
    world.join(NEW);
    expect(world.eventTypes()).toEqual(["member_joined"]);
  });

  it("twice: a merged room is settled", () => {
    const world = merging();
    world.join(OLD);
    world.join(NEW);
    expect(needsSettling(world.room, world.given(NEW))).toBe(false);
    world.join(NEW);
    expect(world.eventTypes().filter((type) => type === "session_superseded")).toHaveLength(1);
  });

  it("of two verified sessions of one process", () => {
    const world = new RoomWorld().remember("claude:first", OLD).remember("claude:second", OLD);
    world.join(OLD);
    world.join("claude:first");
    world.join("claude:second");
    expect(members(world)).toEqual(["claude:first", "claude:second"]);
  });
});

describe("the log", () => {
  it("rebuilds the state of rooms in which names are merged at any time", () => {
    for (let seed = 1; seed <= 200; seed += 1) expectReplay(seed);
  });
});

describe("choosing a handle", () => {
  it("takes a free handle and keeps it", () => {
    const world = new RoomWorld();
    world.join("claude:1");
    expect(world.name("claude:1", "scribe")).toEqual({ status: "named", handle: "scribe" });
    world.join("claude:1");
    expect(world.room.presence.get(asAgentId("claude:1"))?.handle).toBe("scribe");
  });

  it("is refused a handle that a live member has, and told who", () => {
    const world = new RoomWorld();
    world.join("codex:1");
    expect(world.name("claude:1", "codex")).toMatchObject({
      error: "invalid_input",
      facts: { field: "handle", owner: "codex:1" },
    });
    expect(members(world)).toEqual(["codex:1"]);
  });

  it("may keep the handle of its former name", () => {
    const world = merging();
    world.join(OLD);
    expect(world.name(NEW, "claude")).toMatchObject({ status: "named" });
  });

  it.each(["", "-x", "Scribe", "a b", "ä", "a".repeat(33), "a/b"])("refuses %j as a handle", (handle) => {
    expect(codeOf(new RoomWorld().name("claude:1", handle))).toBe("invalid_input");
  });
});

function expectReplay(seed: number): void {
  const random = new SeededRandom(seed);
  const world = new RoomWorld({ priorOwnerCooldownMs: 0 });
  const pairs = ["claude", "codex", "gemini"];
  const acts = [
    (agent: string) => world.join(agent),
    (agent: string) => world.wait(agent),
    (agent: string) => world.release(agent),
    (agent: string) => world.heartbeat(agent),
    (agent: string) => world.leave(agent),
    (agent: string) => world.pass(agent, random.pick(pairs)),
    (agent: string) => world.addNote(agent, "a note"),
    (agent: string) => world.takeover(agent),
  ];
  for (let step = 0; step < 40; step += 1) {
    const harness = random.pick(pairs);
    const verified = random.chance(0.4);
    if (verified) world.remember(`${harness}:new`, `${harness}:old`);
    random.pick(acts)(`${harness}:${verified ? "new" : "old"}`);
    const { state, presence, waits, lease } = world.room;
    const named = [...presence.keys(), ...waits.keys(), ...(state.owner === null ? [] : [state.owner])];
    expect(
      named.filter((agentId) => !state.members.has(agentId)),
      `seed ${seed}`,
    ).toEqual([]);
    expect(lease !== null, `seed ${seed}`).toBe(state.owner !== null);
  }
  expect(world.events.reduce(evolve, INITIAL_STATE), `seed ${seed}`).toEqual(world.room.state);
}
