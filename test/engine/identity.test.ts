import { describe, expect, it } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import type { ProcessRef } from "../../src/core/process.ts";
import { lookUpAgent } from "../../src/engine/look-up-agent.ts";
import { claimSession } from "../../src/session/claim-session.ts";
import { getMySession } from "../../src/session/get-my-session.ts";
import type { SessionName } from "../../src/session/rules/evidence.ts";
import { identify } from "../../src/session/rules/identify.ts";
import type { NotYet } from "../../src/stick/rules/answers.ts";
import { perform } from "../../src/surfaces/door.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { HANDOFF } from "../support/room-world.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";
import { type ClueOptions, clues, hash, idOf, processWith } from "../support/session-clues.ts";

const OLD = "claude:old";
const NEW = "claude:new";
const GEMINI = { env: { GEMINI_CLI: "1" }, above: ["node /usr/bin/gemini"] };
const CLAUDE = { env: { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "c-1" }, above: ["claude"] };

/** A caller whose session id became known after it had joined under its provisional name. */
function verified(world: ServiceWorld, agentId = NEW, formerId = OLD) {
  const caller = { harness: "claude", isPerson: false, process: null, sessionId: "s-1", tmuxPane: "%4" };
  return createTalkingStick(world.deps, { ...caller, agentId: asAgentId(agentId), formerId: asAgentId(formerId) });
}

async function heldBy(world: ServiceWorld, agent: string) {
  const { roomId } = accepted(await world.as(agent).joinPath({ contextPath: world.directory("project") }));
  const turn = accepted(await world.as(agent).waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error("nobody else wants it");
  return { roomId, token: { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId } };
}

describe("a session whose id becomes known", () => {
  it("releases with the lease it was given under its old name", async () => {
    const world = new ServiceWorld();
    const { token } = await heldBy(world, OLD);
    expect(await verified(world).releaseStick({ ...token, handoff: HANDOFF })).toMatchObject({ status: "released" });
  });

  it("is one member when it joins again, with its pane", async () => {
    const world = new ServiceWorld();
    const { roomId } = await heldBy(world, OLD);
    const joined = accepted(await verified(world).joinPath({ contextPath: world.directory("project") }));
    expect(joined).toMatchObject({ agentId: NEW, handle: "claude", roomId });
    expect(joined.members.map(({ agentId }) => agentId)).toEqual([NEW]);
    const room = (await world.deps.store.readRoom(joined.roomId))?.room;
    expect(room?.presence.get(asAgentId(NEW))).toMatchObject({ tmuxPane: "%4", sessionId: "s-1" });
  });

  it("lets a wait that began under the old name end with the turn", async () => {
    const world = new ServiceWorld();
    const { roomId, token } = await heldBy(world, "a");
    let looked: ((seen: NotYet) => void) | null = null;
    const nextLook = () =>
      new Promise<NotYet>((resolve) => {
        looked = resolve;
      });
    const first = nextLook();
    const waiting = world.as(OLD).waitForTurn({ roomId, maxWaitMs: 60_000, onLook: (seen) => looked?.(seen) });
    await first;
    const renamed = nextLook();
    await verified(world).addNote({ roomId, body: "it is me" });
    expect(await renamed).toMatchObject({ queuePosition: 1 });
    await world.as("a").releaseStick({ ...token, handoff: HANDOFF });
    expect(await waiting).toMatchObject({ status: "your_turn", turnId: 2 });
    const { members, room } = accepted(await world.as("a").getRoomState({ roomId }));
    expect(room.owner).toBe(NEW);
    expect(members.map(({ agentId }) => agentId)).toEqual(["a", NEW]);
  });

  it("is meant when a stick is passed to its old name, or its old name is kicked", async () => {
    const world = new ServiceWorld();
    const { roomId, token } = await heldBy(world, "a");
    await world.as(OLD).joinPath({ contextPath: world.directory("project") });
    const cancel = new AbortController();
    const waiting = verified(world).waitForTurn({
      roomId,
      maxWaitMs: 60_000,
      signal: cancel.signal,
      onLook: () => undefined,
    });
    await expect.poll(async () => (await world.deps.store.readRoom(roomId as never))?.room.waits.size).toBe(1);
    expect(await world.as("a").kickMember({ roomId, targetAgentId: OLD })).toMatchObject({
      error: "target_active",
      facts: { target_agent_id: NEW },
    });
    expect(await verified(world).kickMember({ roomId, targetAgentId: OLD })).toMatchObject({
      error: "cannot_kick_self",
    });
    expect(await world.as("a").passStick({ ...token, toAgentId: OLD, handoff: HANDOFF })).toMatchObject({
      reservedFor: NEW,
    });
    expect(await waiting).toMatchObject({ status: "your_turn", reason: "direct_pass" });
  });

  it("goes by its present name in a call that still uses the old one", async () => {
    const world = new ServiceWorld();
    const { roomId, token } = await heldBy(world, OLD);
    await verified(world).heartbeat(token);
    expect(await world.as(OLD).joinPath({ contextPath: world.directory("project") })).toMatchObject({ agentId: NEW });
    expect(await world.as(OLD).releaseStick({ ...token, handoff: HANDOFF })).toMatchObject({ status: "released" });
    expect(accepted(await world.as("a").getRoomState({ roomId })).members).toHaveLength(1);
  });
});

describe("a session that ends inside a process that goes on, as after /clear", () => {
  it("takes nothing of its sibling's, and its sibling takes nothing of its", async () => {
    const world = new ServiceWorld();
    const { roomId, token } = await heldBy(world, OLD);
    const first = verified(world, "claude:first");
    await first.heartbeat(token);
    const second = verified(world, "claude:second");
    expect(await second.waitForTurn({ roomId, maxWaitMs: 0 })).toMatchObject({ status: "not_yet" });
    expect(await second.releaseStick({ ...token, handoff: HANDOFF })).toMatchObject({ error: "stale_lease" });
    await second.leaveRoom({ roomId });
    const { room, members } = accepted(await world.as("a").getRoomState({ roomId }));
    expect(room.owner).toBe("claude:first");
    expect(members.map(({ agentId, status }) => [agentId, status])).toContainEqual(["claude:first", "active"]);
    expect(await first.releaseStick({ ...token, handoff: HANDOFF })).toMatchObject({ status: "released" });
  });

  it("keeps its mail for itself", async () => {
    const world = new ServiceWorld();
    const { roomId, token } = await heldBy(world, OLD);
    const first = verified(world, "claude:first");
    await first.heartbeat(token);
    accepted(await world.as("a").sendMessage({ roomId, to: "claude:first", body: "for the first" }));
    const second = verified(world, "claude:second");
    expect(accepted(await second.takeMessages({})).answer.count).toBe(0);
    expect(accepted(await first.takeMessages({})).answer.count).toBe(1);
  });
});

describe("looking up a name", () => {
  it("says whether an agent is alive under it, and in which process", async () => {
    const world = new ServiceWorld({ goneGraceMs: 0 });
    await world.as("codex:1").joinPath({ contextPath: world.directory("project") });
    expect(await lookUpAgent(world.deps, asAgentId("codex:1"))).toMatchObject({
      live: true,
      processes: [{ startTicks: "codex:1" }],
    });
    world.gone.add("codex:1");
    expect(await lookUpAgent(world.deps, asAgentId("codex:1"))).toMatchObject({ live: false });
    expect(await lookUpAgent(world.deps, asAgentId("nobody:1"))).toMatchObject({ live: false, processes: [] });
  });

  it("follows an old name to the present one", async () => {
    const world = new ServiceWorld();
    await heldBy(world, OLD);
    await verified(world).joinPath({ contextPath: world.directory("project") });
    expect(await lookUpAgent(world.deps, asAgentId(OLD))).toMatchObject({ agentId: NEW, live: true });
  });
});

describe("asking who one is", () => {
  it("says so without joining", async () => {
    const world = new ServiceWorld();
    expect(await ask(world, CLAUDE)).toEqual({
      agentId: idOf("claude", "c-1"),
      handle: null,
      harness: "claude",
      sessionId: "c-1",
      idSource: "environment",
      verified: true,
      roomId: null,
    });
    expect(accepted(await world.as("a").listRooms({})).rooms).toEqual([]);
  });

  it("names the room and the handle, be it still under the provisional name", async () => {
    const world = new ServiceWorld();
    const { identity } = identify(clues(CLAUDE));
    if (!("formerId" in identity) || identity.formerId === null) throw new Error("it has a process");
    const { roomId } = accepted(
      await world.as(identity.formerId).joinPath({ contextPath: world.directory("project") }),
    );
    expect(await ask(world, CLAUDE)).toMatchObject({ roomId, handle: "claude" });
  });

  it("explains itself on demand, and a refusal too", async () => {
    const world = new ServiceWorld();
    expect(await ask(world, GEMINI, true)).toMatchObject({
      verified: false,
      strategies: expect.anything(),
      next: expect.anything(),
    });
    const refused = await ask(world, {}, true);
    const shape = { name: expect.any(String), outcome: "abstain", reason: expect.any(String) };
    expect(refused).toMatchObject({
      error: "agent_id_required",
      facts: { strategies: expect.arrayContaining([shape]) },
    });
  });
});

describe("claiming a session", () => {
  const written: [ProcessRef, SessionName][] = [];
  const claim = (given: ClueOptions, sessionId: string, harness?: string) => {
    written.length = 0;
    const write = (process: ProcessRef, what: SessionName) => void written.push([process, what]);
    const claims = { write, forget: () => false };
    const { deps, root: directory } = new ServiceWorld();
    const identified = { identification: identify(clues(given)), claims, hash };
    const door = { directory, deps: async () => deps, caller: async () => null, identify: async () => identified };
    return perform(claimSession, door, { sessionId, harness });
  };

  it("binds the harness's process to it", async () => {
    expect(await claim(GEMINI, "g-1")).toEqual({
      agentId: idOf("gemini", "g-1"),
      sessionId: "g-1",
      transcriptPath: null,
    });
    expect(written).toEqual([[processWith(100), { harness: "gemini", sessionId: "g-1" }]]);
  });

  it("binds a terminal without a harness to it", async () => {
    expect(await claim({ tty: true, leader: "-bash" }, "x-1", "aider")).toMatchObject({
      agentId: idOf("aider", "x-1"),
    });
    expect(written).toEqual([[processWith(50), { harness: "aider", sessionId: "x-1" }]]);
  });

  it("cannot contradict the harness, but may agree with it", async () => {
    expect(await claim(CLAUDE, "another")).toMatchObject({ error: "not_authorized" });
    expect(written).toEqual([]);
    expect(await claim(CLAUDE, "c-1")).toMatchObject({ agentId: idOf("claude", "c-1") });
    expect(written).toEqual([]);
  });

  it("cannot contradict the harness where its process is not to be seen either, and is told so", async () => {
    const sandboxed = { env: CLAUDE.env, complete: false };
    expect(await claim(sandboxed, "another")).toMatchObject({
      error: "not_authorized",
      next: `Go on as ${idOf("claude", "c-1")}; there is nothing to claim.`,
    });
    expect(await claim(sandboxed, "c-1")).toEqual({
      agentId: idOf("claude", "c-1"),
      sessionId: "c-1",
      transcriptPath: null,
    });
    const daemon = { env: { CODEX_SESSION_ID: "x-1" }, above: ["codex app-server"] };
    expect(await claim(daemon, "another")).toMatchObject({ next: expect.stringContaining(idOf("codex", "x-1")) });
    expect(await claim(daemon, "x-1")).toMatchObject({ agentId: idOf("codex", "x-1") });
  });

  it("is refused to a caller that gives itself a name that it may not use", async () => {
    const named = { agentId: asAgentId("me:new") };
    expect(await claim({ ...CLAUDE, named }, "another")).toMatchObject({ error: "not_authorized" });
    expect(await claim({ ...GEMINI, named }, "g-1")).toMatchObject({ error: "not_authorized" });
    expect(written).toEqual([]);
  });

  it("cannot contradict what came with the call of an MCP client", async () => {
    const call = { clientName: "codex-mcp-client", meta: { sessionId: "x-1" } };
    expect(await claim({ above: ["codex"], call }, "another")).toMatchObject({ error: "not_authorized" });
    expect(written).toEqual([]);
    expect(await claim({ above: ["codex"], call }, "x-1")).toMatchObject({ agentId: idOf("codex", "x-1") });
  });

  it("stands until another claim, or a new session of the process, replaces it", () => {
    const call = { clientName: "gemini-cli-mcp-client", meta: {} };
    const as = (records: ClueOptions["records"]) => identify(clues({ ...GEMINI, call, ...(records && { records }) }));
    const [first, second, third] = ["g-1", "g-2", "g-3"].map((sessionId) => ({ harness: "gemini", sessionId }));
    const card = { ...third!, transcriptPath: null };
    const ids = [
      as({ claim: first! }),
      as({ claim: first! }),
      as({ claim: second! }),
      as({ claim: second!, card }),
    ].map(({ identity }) => (identity as { sessionId: string }).sessionId);
    expect(ids).toEqual(["g-1", "g-1", "g-2", "g-3"]);
  });

  it("that the harness contradicts later may be repeated or put right, and nothing else", async () => {
    const later = { ...CLAUDE, records: { claim: { harness: "claude", sessionId: "c-0" } } };
    expect(await claim(later, "c-0")).toMatchObject({ agentId: idOf("claude", "c-0") });
    expect(await claim(later, "another")).toMatchObject({
      error: "not_authorized",
      next: `Go on as ${idOf("claude", "c-0")}, as was claimed here, or claim c-1.`,
    });
    expect(written).toEqual([]);
    expect(await claim(later, "c-1")).toMatchObject({ agentId: idOf("claude", "c-1") });
    expect(written).toEqual([[processWith(100), { harness: "claude", sessionId: "c-1" }]]);
  });

  it("is refused where one process serves many sessions, and for what is no session id", async () => {
    expect(await claim({ above: ["opencode"] }, "ses_1")).toMatchObject({ error: "not_authorized" });
    expect(await claim(GEMINI, "../x")).toMatchObject({ error: "invalid_input", facts: { field: "session_id" } });
    expect(written).toEqual([]);
  });
});

function ask(world: ServiceWorld, given: ClueOptions, explain = false) {
  const identified = {
    identification: identify(clues(given)),
    claims: { write: () => undefined, forget: () => false },
    hash,
  };
  const door = {
    directory: world.directory("project"),
    deps: async () => world.deps,
    caller: async () => null,
    identify: async () => identified,
  };
  return perform(getMySession, door, { explain });
}
