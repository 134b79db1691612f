/**
 * A session has a new name, and one of its rooms still knows it by the former one. It is one session: the stick, kicks,
 * lists, joins and names agree about whether it lives, whichever name they meet.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { DEFAULT_POLICY } from "../../src/core/policy.ts";
import type { Instant } from "../../src/core/time.ts";
import type { Deps } from "../../src/engine/deps.ts";
import { lookUpAgent } from "../../src/engine/look-up-agent.ts";
import { comeIn } from "../../src/hooks/auto-join.ts";
import type { HookDeps } from "../../src/hooks/hook-deps.ts";
import type { Caller } from "../../src/session/rules/decision-input.ts";
import { flagSessionsWithoutRoom } from "../../src/session/sessions-without-room.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { makeRepository } from "../support/git-repository.ts";
import { HANDOFF, processOf } from "../support/room-world.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

const OLD = "claude:old";
const NEW = "claude:new";

class RenamedSession {
  readonly world = new ServiceWorld();
  readonly here = this.world.directory("tree");
  readonly below = this.world.directory("tree/below");
  sign: Instant | null = null;
  readonly flags: string[] = [];
  readonly deps: Deps = {
    ...this.world.deps,
    activity: { lastSign: (id) => (id === "session" ? this.sign : null) },
    flags: {
      raise: (ids) => {
        this.flags.push(...ids);
        return new Set(ids);
      },
      look: () => null,
      lower: () => undefined,
    },
  };
  roomAbove = "";
  roomBelow = "";

  caller(agent: string, given: Partial<Caller> = {}): Caller {
    return {
      agentId: asAgentId(agent),
      harness: agent.split(":")[0] ?? agent,
      isPerson: false,
      process: processOf(agent),
      sessionId: null,
      formerId: null,
      tmuxPane: null,
      facts: { idSource: "environment", harnessVersion: null, cwd: null, transcriptPath: null },
      ...given,
    };
  }

  as(agent: string, given: Partial<Caller> = {}) {
    return createTalkingStick(this.deps, this.caller(agent, given));
  }

  /** Under its own name, in the first process or in the one that it was resumed in. */
  session(process: "first" | "second") {
    const formerId = asAgentId(process === "first" ? OLD : "claude:second");
    return this.caller(NEW, { process: processOf(process), sessionId: "session", formerId });
  }

  /** It holds the stick of the room below by its former name. In the room above it has its own. */
  async begin(): Promise<void> {
    makeRepository(this.here);
    const provisional = this.as(OLD, { process: processOf("first") });
    this.roomAbove = accepted(await provisional.joinPath({ contextPath: this.here })).roomId;
    const { roomId } = accepted(await provisional.joinPath({ contextPath: this.below, forceNew: true }));
    this.roomBelow = roomId;
    accepted(await provisional.waitForTurn({ roomId, maxWaitMs: 0 }));
    accepted(await this.as("codex:1").joinPath({ contextPath: this.below }));
    accepted(await createTalkingStick(this.deps, this.session("first")).joinPath({ contextPath: this.here }));
  }

  /** Its process dies, and it goes on in another one, where it calls in the room above alone. */
  async resume(): Promise<void> {
    this.world.gone.add("first");
    this.pass(2 * DEFAULT_POLICY.goneGraceMs);
    accepted(await createTalkingStick(this.deps, this.session("second")).joinPath({ contextPath: this.here }));
  }

  pass(ms: number): void {
    this.world.nowMs += ms;
  }

  async peer() {
    const { sessions } = accepted(await this.as("codex:1").listProjectSessions({ contextPath: this.here, all: true }));
    return sessions.find(({ agentId }) => agentId === NEW);
  }

  async stateBelow() {
    return accepted(await this.as("codex:1").getRoomState({ roomId: this.roomBelow }));
  }

  memberBelow = async () => (await this.stateBelow()).members.find(({ agentId }) => agentId === OLD);
}

let renamed: RenamedSession;
beforeEach(async () => {
  renamed = new RenamedSession();
  await renamed.begin();
});

describe("a session that was resumed in another process lives in the room that has its former name", () => {
  beforeEach(() => renamed.resume());

  it("for lists and for the state of the room", async () => {
    expect(await renamed.peer()).toMatchObject({ status: "active", holdsStick: true });
    const { room } = await renamed.stateBelow();
    expect(room.state).toBe("owned");
    expect(await renamed.memberBelow()).toMatchObject({ status: "active" });
  });

  it("for the stick", async () => {
    const { roomBelow: roomId } = renamed;
    expect(await renamed.as("codex:1").waitForTurn({ roomId, maxWaitMs: 0 })).toMatchObject({ status: "not_yet" });
    const takeover = { roomId, expectedTurnId: 1, reason: "its process is gone" };
    expect(await renamed.as("codex:1").takeoverStick(takeover)).toMatchObject({ error: "takeover_not_available" });
  });

  it.each([OLD, NEW])("for a kick of %s", async (targetAgentId) => {
    const kick = { roomId: renamed.roomBelow, targetAgentId };
    expect(await renamed.as("codex:1").kickMember(kick)).toMatchObject({ error: "target_active" });
  });

  it("for a claim of its name", async () => {
    accepted(
      await createTalkingStick(renamed.deps, renamed.session("second")).leaveRoom({ roomId: renamed.roomAbove }),
    );
    expect(await lookUpAgent(renamed.deps, asAgentId(OLD))).toMatchObject({ agentId: NEW, live: true });
  });

  it("for a sender that misspells a name", async () => {
    const own = createTalkingStick(renamed.deps, renamed.session("second"));
    accepted(await own.leaveRoom({ roomId: renamed.roomAbove }));
    const sent = await renamed.as("codex:1").sendMessage({ roomId: renamed.roomBelow, to: "clude", body: "hello" });
    expect(sent).toMatchObject({ error: "unknown_recipient", facts: { candidates: [`claude (${OLD})`] } });
  });

  it("until that process is gone, too", async () => {
    renamed.world.gone.add("second");
    renamed.pass(2 * DEFAULT_POLICY.goneGraceMs);
    expect(await renamed.peer()).toMatchObject({ status: "inactive" });
    expect((await renamed.stateBelow()).room.state).toBe("owner_gone");
    const turn = await renamed.as("codex:1").waitForTurn({ roomId: renamed.roomBelow, maxWaitMs: 0 });
    expect(turn).toMatchObject({ status: "takeover_available", reason: "owner_gone" });
  });

  it("and goes on there with what it had, under its own name", async () => {
    const own = createTalkingStick(renamed.deps, renamed.session("second"));
    const turn = accepted(await own.waitForTurn({ roomId: renamed.roomBelow, maxWaitMs: 0 }));
    expect(turn).toMatchObject({ status: "your_turn", reason: "already_owner", turnId: 1 });
    const { room, members } = await renamed.stateBelow();
    expect(room.owner).toBe(NEW);
    expect(members.map(({ agentId }) => agentId).toSorted()).toEqual([NEW, "codex:1"]);
  });

  it("and is no company for itself", async () => {
    accepted(await renamed.as("codex:1").leaveRoom({ roomId: renamed.roomBelow }));
    const place = await renamed.deps.workspace.locate(renamed.below);
    if ("error" in place) throw new Error(place.message);
    renamed.world.gone.add("codex:1");
    const deps = { ...renamed.deps, isMarked: () => false } as unknown as HookDeps;
    const came = await comeIn(deps, renamed.session("second"), place, { starts: false });
    expect(came).toMatchObject({ hasCompany: false });
  });
});

describe("a session whose other process is gone lives in the one that the room knows", () => {
  it("and so does another member in that process", async () => {
    const own = renamed.session("second");
    accepted(await createTalkingStick(renamed.deps, own).joinPath({ contextPath: renamed.here }));
    const beside = renamed.as("claude:beside", { process: processOf("first") });
    accepted(await beside.joinPath({ contextPath: renamed.below }));
    renamed.world.gone.add("second");
    renamed.pass(5 * DEFAULT_POLICY.presenceTtlMs);
    const { room, members } = await renamed.stateBelow();
    expect(room.state).not.toBe("owner_gone");
    accepted(await renamed.as("codex:2").joinPath({ contextPath: renamed.below }));
    expect((await renamed.stateBelow()).members.map(({ agentId }) => agentId)).toEqual([
      ...members.map(({ agentId }) => agentId),
      "codex:2",
    ]);
  });

  it("and a dead member of the former process is not taken for alive", async () => {
    const beside = renamed.as("claude:beside", { process: processOf("first") });
    accepted(await beside.joinPath({ contextPath: renamed.below }));
    await renamed.resume();
    const { members } = await renamed.stateBelow();
    expect(members.find(({ agentId }) => agentId === "claude:beside")).toMatchObject({ status: "inactive" });
    expect(members.find(({ agentId }) => agentId === OLD)).toMatchObject({ status: "active" });
  });
});

describe("hooks of a session with a new name", () => {
  beforeEach(async () => {
    const changed = { agentId: asAgentId(NEW), project: accepted(await renamed.stateBelow()).room.project };
    const activity = { state: "busy", since: null } as const;
    await renamed.deps.store.changeSession(changed, (row) => ({ ...row!, hooked: true, activity }));
  });

  it("keep the lease that it has under the former one", async () => {
    renamed.pass(DEFAULT_POLICY.leaseTtlMs + 1000);
    renamed.sign = { epoch: "boot-1", ms: renamed.world.nowMs - 500 };
    expect((await renamed.stateBelow()).room.state).toBe("owned");
    const turn = await renamed.as("codex:1").waitForTurn({ roomId: renamed.roomBelow, maxWaitMs: 0 });
    expect(turn).toMatchObject({ status: "not_yet" });
  });

  it("show it its mail, so it is reachable by the former one", async () => {
    accepted(await createTalkingStick(renamed.deps, renamed.session("first")).leaveRoom({ roomId: renamed.roomAbove }));
    expect(await renamed.peer()).toMatchObject({ reachable: true });
    expect(await renamed.memberBelow()).toMatchObject({ reachable: true });
  });

  it("are not called into a room that it is in", async () => {
    accepted(await createTalkingStick(renamed.deps, renamed.session("first")).leaveRoom({ roomId: renamed.roomAbove }));
    const { room } = (await renamed.deps.store.readRoom(renamed.roomBelow as never))!;
    renamed.flags.length = 0;
    await flagSessionsWithoutRoom(renamed.deps, renamed.caller("codex:1"), room);
    expect(renamed.flags).toEqual([]);
  });

  it("let the stick be passed to it by either name", async () => {
    const { roomBelow: roomId } = renamed;
    const first = renamed.as(OLD, { process: processOf("first") });
    const turn = accepted(await first.waitForTurn({ roomId, maxWaitMs: 0 }));
    if (turn.status !== "your_turn") throw new Error(turn.status);
    const token = { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId, handoff: HANDOFF };
    accepted(await first.releaseStick(token));
    const other = accepted(await renamed.as("codex:1").waitForTurn({ roomId, maxWaitMs: 0 }));
    if (other.status !== "your_turn") throw new Error(other.status);
    const pass = { roomId, leaseId: other.leaseId, expectedTurnId: other.turnId, handoff: HANDOFF, toAgentId: NEW };
    renamed.flags.length = 0;
    expect(await renamed.as("codex:1").passStick(pass)).toMatchObject({ status: "passed", reservedFor: OLD });
    expect(renamed.flags).toEqual(["session"]);
  });

  it("are called for mail to the room, and its receipt says so", async () => {
    renamed.flags.length = 0;
    const { deliveries } = accepted(
      await renamed.as("codex:1").sendMessage({ roomId: renamed.roomBelow, to: "room", body: "hello" }),
    );
    expect(deliveries).toMatchObject([{ willBeSeen: "next_tool_call" }]);
    expect(renamed.flags).toContain("session");
  });
});
