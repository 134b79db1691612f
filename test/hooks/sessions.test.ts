import { beforeEach, describe, expect, test } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { type ProcessRef, processKey } from "../../src/core/process.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { accepted } from "../support/service-world.ts";
import { idOf } from "../support/session-clues.ts";
import { HookService } from "./hook-service.ts";

const [OLD, NEW, OTHER] = ["session-old", "session-new", "session-other"];
let service: HookService;

beforeEach(() => {
  service = new HookService();
});

const idIn = (session: string) => asAgentId(idOf("claude", session));

async function room() {
  const { rooms } = await service.deps.store.readRooms({});
  return rooms[0];
}

async function members(): Promise<string[]> {
  return [...((await room())?.state.members.keys() ?? [])].toSorted();
}

async function rowOf(session: string) {
  const { rooms } = await service.deps.store.readRooms({});
  const project = rooms[0]?.project ?? `${service.tree}/.git`;
  return (await service.deps.store.readSessions(project)).find(({ agentId }) => agentId === idIn(session));
}

/** The session holds the stick of a room in which bob waits, and has mail. */
async function holding(process: string | null = OLD): Promise<void> {
  await service.peer("codex:bob");
  await service.hook("session-start", OLD, { process });
  const { roomId } = await service.peer("codex:bob");
  const stick = createTalkingStick(service.deps, service.caller(OLD, process));
  accepted(await stick.waitForTurn({ roomId, maxWaitMs: 0 }));
  await service.send("codex:bob", OLD, "hello");
  expect((await room())?.state.owner).toBe(idIn(OLD));
}

describe("what is written down about a session", () => {
  test("that hooks show it its mail, by which process, and what it is doing", async () => {
    await service.hook("session-start", OLD);
    expect(await rowOf(OLD)).toMatchObject({ hooked: true, sessionId: OLD, activity: { state: "idle" } });
    expect((await rowOf(OLD))?.process).toEqual(service.caller(OLD).process);
    await service.hook("prompt", OLD);
    expect(await rowOf(OLD)).toMatchObject({ activity: { state: "busy" } });
    await service.hook("session-start", OLD, { source: "compact" });
    expect(await rowOf(OLD)).toMatchObject({ activity: { state: "busy" } });
    await service.hook("stop", OLD);
    expect(await rowOf(OLD)).toMatchObject({ activity: { state: "idle" } });
    await service.hook("session-end", OLD, { reason: "logout" });
    expect(await rowOf(OLD)).toMatchObject({ hooked: false, process: null, activity: { state: "unknown" } });
  });

  test("it stays busy while a turn goes on for its mail", async () => {
    await service.peer("codex:bob");
    await service.hook("session-start", OLD);
    await service.hook("prompt", OLD);
    await service.send("codex:bob", OLD, "hello");
    expect(await service.hook("stop", OLD)).toContain("hello");
    expect(await rowOf(OLD)).toMatchObject({ activity: { state: "busy" } });
  });
});

const seen = async () => {
  const { stick, roomId } = await service.peer("codex:bob");
  const sent = accepted(await stick.sendMessage({ roomId, to: idIn(OLD), body: "hello" }));
  return sent.deliveries[0]?.willBeSeen;
};

describe("when a message will be seen", () => {
  beforeEach(async () => {
    await service.peer("codex:bob");
    await service.hook("session-start", OLD);
  });

  test("at the next tool call, by a session that is at work", async () => {
    await service.hook("prompt", OLD);
    expect(await seen()).toBe("next_tool_call");
  });

  test("at the end of its turn, by a session at work whose tool hooks cannot be told", async () => {
    await service.hook("prompt", OLD);
    const { flags: _, ...unflagged } = service.deps;
    for (const flags of [{ ...service.deps.flags, raise: () => new Set<string>() }, undefined]) {
      service.deps = { ...unflagged, ...(flags && { flags }) } as typeof service.deps;
      expect(await seen()).toBe("turn_end");
    }
  });

  test("nobody knows, of a session that rests", async () => {
    expect(await seen()).toBe("unknown");
  });

  test("nobody knows, of a session at work whose process is gone", async () => {
    await service.hook("prompt", OLD);
    service.world.gone.add(service.caller(OLD).process?.startTicks ?? "");
    expect(await seen()).toBe("unknown");
  });

  test("what the harness itself says counts more than what hooks have told", async () => {
    await service.hook("prompt", OLD);
    const unseen = { unseen: "", next: "" };
    const sights = { transcriptPath: () => null, transcript: async () => unseen };
    const panes = { pane: () => unseen, paneCalled: () => null };
    service.deps = {
      ...service.deps,
      sights: { ...sights, ...panes, activity: () => ({ state: "idle", since: null }) },
    };
    expect(await seen()).toBe("unknown");
  });
});

test("a session at work with hooks can be given the stick; an idle one cannot be reached", async () => {
  const { stick: bob, roomId } = await service.peer("codex:bob");
  await service.hook("session-start", OLD);
  const turn = accepted(await bob.waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error(turn.status);
  const handoff = { status: "half done", nextAction: "finish it" };
  const pass = { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId, toAgentId: "claude", handoff };
  expect(await bob.passStick(pass)).toMatchObject({ error: "recipient_unreachable" });
  await service.hook("prompt", OLD);
  const { members: inRoom } = accepted(await bob.getRoomState({ roomId }));
  expect(inRoom.find(({ agentId }) => agentId === idIn(OLD))?.reachable).toBe(true);
  expect(await bob.passStick(pass)).toMatchObject({ status: "passed", reservedFor: idIn(OLD) });
  expect(service.flags).toEqual(new Set([OLD]));
  expect(await service.hook("pre-tool", OLD)).toContain("was passed to you: take it with wait_for_turn");
  expect(service.flags).toEqual(new Set());
  for (const event of ["pre-tool", "prompt", "stop"] as const) expect(await service.hook(event, OLD)).toBe("");
});

test("a stick that was offered too long ago is not told of as passed", async () => {
  const { stick: bob, roomId } = await service.peer("codex:bob");
  await service.hook("session-start", OLD);
  await service.hook("prompt", OLD);
  const turn = accepted(await bob.waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error(turn.status);
  const handoff = { status: "half done", nextAction: "finish it" };
  const { leaseId, turnId: expectedTurnId } = turn;
  accepted(await bob.passStick({ roomId, leaseId, expectedTurnId, toAgentId: "claude", handoff }));
  service.world.nowMs += service.deps.policy.claimTtlMs;
  expect(await service.hook("pre-tool", OLD)).toBe("");
});

describe("the next session of a process", () => {
  test("within the grace has everything that the one before it had", async () => {
    await holding();
    await service.hook("session-end", OLD, { reason: "clear" });
    expect(await members()).toContain(idIn(OLD));
    service.world.nowMs += 14_000;
    const said = await service.hook("session-start", NEW, { source: "clear", process: OLD });
    expect(said).toContain("You hold the stick (turn 1)");
    expect((await room())?.state.owner).toBe(idIn(NEW));
    expect(await members()).not.toContain(idIn(OLD));
    expect(await service.hook("prompt", NEW, { process: OLD })).toContain("hello");
    const { stick, roomId } = await service.peer("codex:bob");
    accepted(await stick.sendMessage({ roomId, to: idIn(OLD), body: "by its old name" }));
    expect(await service.hook("prompt", NEW, { process: OLD })).toContain("by its old name");
    expect(await service.deps.store.resolveAlias(idIn(OLD))).toBe(idIn(NEW));
  });

  test("after the grace has nothing, and the one before it leaves", async () => {
    await holding();
    await service.hook("session-end", OLD, { reason: "clear" });
    service.world.nowMs += 15_001;
    await service.hook("session-start", NEW, { source: "clear", process: OLD });
    expect(await members()).toEqual([idIn(NEW), "codex:bob"].toSorted());
    expect((await room())?.state.owner).toBeNull();
    expect(await service.deps.store.resolveAlias(idIn(OLD))).toBe(idIn(OLD));
  });

  test("shows that the one before it is over, if nobody has said so", async () => {
    await holding();
    await service.hook("session-start", NEW, { process: OLD });
    expect(await members()).toEqual([idIn(NEW), "codex:bob"].toSorted());
    expect((await room())?.state.owner).toBeNull();
  });

  test.each(["clear", "resume"])(
    "by %s has everything, also if the end of the one before was not told",
    async (source) => {
      await holding();
      expect(await service.hook("session-start", NEW, { source, process: OLD })).toContain(
        "You hold the stick (turn 1)",
      );
      expect(await members()).toEqual([idIn(NEW), "codex:bob"].toSorted());
    },
  );

  test.each([
    ["clear", idIn(NEW)],
    ["startup", null],
  ])("by %s follows one of which nothing but its claim was known", async (source, owner) => {
    const { process } = service.caller(OLD);
    const { roomId } = await service.peer("codex:bob");
    const claimed = createTalkingStick(service.deps, service.caller(OLD));
    accepted(await claimed.joinPath({ contextPath: service.tree }));
    accepted(await claimed.waitForTurn({ roomId, maxWaitMs: 0 }));
    service.claims.set(processKey(process as ProcessRef), { harness: "claude", sessionId: OLD });
    await service.hook("session-start", NEW, { source, process: OLD });
    expect((await room())?.state.owner).toBe(owner);
    expect(await members()).toEqual([idIn(NEW), "codex:bob"].toSorted());
  });

  test("has everything also if only its first prompt shows that it began", async () => {
    await holding();
    await service.hook("session-end", OLD, { reason: "clear" });
    const said = await service.hook("prompt", NEW, { process: OLD });
    expect(said).toContain("You hold the stick (turn 1)");
    expect(said).toContain("hello");
    expect(said.length).toBeLessThanOrEqual(9900);
    expect((await room())?.state.owner).toBe(idIn(NEW));
    expect(await members()).toEqual([idIn(NEW), "codex:bob"].toSorted());
    expect(await rowOf(NEW)).toMatchObject({ hooked: true, activity: { state: "busy" } });
    await service.hook("stop", NEW, { process: OLD });
    expect(await service.hook("prompt", NEW, { process: OLD })).toBe("");
  });

  test("whose first prompt comes after the grace has nothing, and nobody holds for the one before it", async () => {
    await holding();
    await service.hook("session-end", OLD, { reason: "clear" });
    service.world.nowMs += 15_001;
    await service.hook("prompt", NEW, { process: OLD });
    expect(await members()).toEqual([idIn(NEW), "codex:bob"].toSorted());
    expect((await room())?.state.owner).toBeNull();
  });

  test("of a process that serves many is nobody's successor: its predecessor left", async () => {
    await holding(null);
    await service.hook("session-end", OLD, { reason: "clear", process: null });
    expect(await members()).toEqual(["codex:bob"]);
    await service.hook("session-start", NEW, { source: "clear", process: null });
    expect(await service.deps.store.resolveAlias(idIn(OLD))).toBe(idIn(OLD));
    expect((await room())?.state.owner).toBeNull();
  });

  test("alone in its project is still alone: its own past is no company", async () => {
    await service.hook("session-start", OLD);
    await service.hook("session-end", OLD, { reason: "clear" });
    expect(await service.hook("session-start", NEW, { source: "clear", process: OLD })).toBe("");
    expect(await service.hook("prompt", NEW, { process: OLD })).toBe("");
    expect(await room()).toBeUndefined();
    expect(await rowOf(OLD)).toMatchObject({ hooked: false, process: null });
  });
});

describe("a session that is superseded and comes back", () => {
  beforeEach(async () => {
    await holding();
    await service.hook("session-end", OLD, { reason: "clear" });
    await service.hook("session-start", NEW, { source: "clear", process: OLD });
  });

  test("in another process is an agent of its own", async () => {
    expect(await service.hook("session-start", OLD, { source: "resume", process: "second" })).not.toContain("You hold");
    expect(await members()).toEqual([idIn(OLD), idIn(NEW), "codex:bob"].toSorted());
    expect((await room())?.state.owner).toBe(idIn(NEW));
    expect(await service.hook("prompt", OLD, { process: "second" })).toBe("");
    expect(await service.hook("prompt", NEW, { process: OLD })).toContain("hello");
  });

  test("in another process is one also if its start was not told", async () => {
    expect(await service.hook("prompt", OLD, { process: "second" })).toContain("You are claude-2");
    expect((await room())?.state.owner).toBe(idIn(NEW));
  });

  test("in the same process has everything back", async () => {
    await service.hook("session-end", NEW, { reason: "resume", process: OLD });
    expect(await service.hook("session-start", OLD, { source: "resume" })).toContain("You hold the stick");
    expect(await members()).toEqual([idIn(OLD), "codex:bob"].toSorted());
    expect(await service.deps.store.resolveAlias(idIn(NEW))).toBe(idIn(OLD));
  });

  test("what a late hook of it says is its successor's", async () => {
    expect(await service.hook("prompt", OLD)).toContain("hello");
    expect(await members()).toEqual([idIn(NEW), "codex:bob"].toSorted());
  });
});

const post = async (to: string, body: string) => {
  const { stick, roomId } = await service.peer("codex:bob");
  return stick.sendMessage({ roomId, to, body });
};

describe("a session that is resumed", () => {
  test("after its end has what was sent to it before and meanwhile, and is the one member that it was", async () => {
    await holding();
    await service.hook("session-end", OLD, { reason: "prompt_input_exit" });
    expect((await room())?.state.owner).toBeNull();
    for (const name of [idIn(OLD), OLD]) {
      expect(await post(name, `by ${name}`)).toMatchObject({
        deliveries: [{ to: idIn(OLD), willBeSeen: "when_it_returns" }],
      });
    }
    expect(await service.hook("session-start", OLD, { source: "resume", process: "second" })).toContain("3 unread");
    const said = await service.hook("prompt", OLD, { process: "second" });
    for (const body of ["hello", `by ${idIn(OLD)}`, `by ${OLD}`]) expect(said.split(body)).toHaveLength(2);
    expect(await service.hook("stop", OLD, { process: "second" })).toBe("");
    expect(await members()).toEqual([idIn(OLD), "codex:bob"].toSorted());
  });

  test("gets a reply that was given after its end", async () => {
    const { stick, roomId } = await service.peer("codex:bob");
    await service.hook("session-start", OLD);
    const mine = createTalkingStick(service.deps, service.caller(OLD));
    const { messageId } = accepted(await mine.sendMessage({ roomId, to: "codex:bob", body: "which port?" }));
    await service.hook("session-end", OLD, { reason: "other" });
    expect(await stick.replyToMessage({ roomId, messageId, body: "8080" })).toMatchObject({
      deliveries: [{ to: idIn(OLD), willBeSeen: "when_it_returns" }],
    });
    await service.hook("session-start", OLD, { source: "resume", process: "second" });
    expect(await service.hook("prompt", OLD, { process: "second" })).toContain("8080");
  });

  test("after its process was killed holds its stick, and nobody can take it from the one that it has now", async () => {
    await holding();
    service.world.gone.add(service.caller(OLD).process?.startTicks ?? "");
    service.world.nowMs += 15_001;
    const { stick, roomId } = await service.peer("codex:bob");
    const state = async () => accepted(await stick.getRoomState({ roomId })).room.state;
    expect(await state()).toBe("owner_gone");
    expect(await service.hook("session-start", OLD, { source: "resume", process: "second" })).toContain("You hold");
    service.world.nowMs += 15_001;
    expect(await state()).toBe("owned");
    expect(await members()).toEqual([idIn(OLD), "codex:bob"].toSorted());
  });

  test("cannot be written to while it is away by its own will, nor by a name that others may have now", async () => {
    const { roomId } = await service.peer("codex:bob");
    await service.hook("session-start", OLD);
    accepted(await createTalkingStick(service.deps, service.caller(OLD)).leaveRoom({ roomId }));
    expect(await post(idIn(OLD), "x")).toMatchObject({ error: "unknown_recipient" });
    await service.hook("session-start", OTHER);
    await service.hook("session-end", OTHER, { reason: "other" });
    expect(await post("claude", "x")).toMatchObject({ error: "unknown_recipient" });
    expect(await post("claude-2", "x")).toMatchObject({ error: "unknown_recipient" });
  });
});

describe("a session with two processes", () => {
  test.each(["prompt_input_exit", "clear"])("goes on in one when it ends in the other by %s", async (reason) => {
    await holding();
    await service.hook("session-start", OLD, { source: "resume", process: "second" });
    await service.hook("prompt", OLD, { process: "second" });
    await service.hook("session-end", OLD, { reason, process: "second" });
    await service.hook("session-start", NEW, { source: "clear", process: "second" });
    expect((await room())?.state.owner).toBe(idIn(OLD));
    expect((await room())?.presence.get(idIn(OLD))?.process).toEqual(service.caller(OLD).process);
    expect(await rowOf(OLD)).toMatchObject({ hooked: true, process: service.caller(OLD).process });
  });

  test.each(["is gone", "has ended it"])("leaves when the other one %s already", async (what) => {
    await holding();
    await service.hook("session-start", OLD, { source: "resume", process: "second" });
    if (what === "is gone") service.world.gone.add(service.caller(OLD).process?.startTicks ?? "");
    else await service.hook("session-end", OLD, { reason: "logout" });
    expect(await members()).toContain(idIn(OLD));
    await service.hook("session-end", OLD, { reason: "prompt_input_exit", process: "second" });
    expect(await members()).toEqual(["codex:bob"]);
  });

  test("is not gone while one of them lives, whichever was killed", async () => {
    await holding();
    await service.hook("session-start", OLD, { source: "resume", process: "second" });
    const { stick, roomId } = await service.peer("codex:bob");
    const stateAfter = async (killed: string) => {
      service.world.gone.add(service.caller(OLD, killed).process?.startTicks ?? "");
      service.world.nowMs += 15_001;
      return accepted(await stick.getRoomState({ roomId })).room.state;
    };
    expect(await stateAfter("second")).toBe("owned");
    expect(await stateAfter(OLD)).toBe("owner_gone");
  });

  test("takes nothing over from one that ended in the first of them, if it lives in the second", async () => {
    await holding();
    await service.hook("session-start", NEW, { process: "second" });
    await service.hook("session-end", OLD, { reason: "resume" });
    await service.hook("session-start", NEW, { source: "resume", process: OLD });
    expect(await members()).toEqual([idIn(NEW), "codex:bob"].toSorted());
    expect((await room())?.state.owner).toBeNull();
  });
});
