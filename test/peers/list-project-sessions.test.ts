import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SessionWorld } from "../session/session-world.ts";
import { accepted } from "../support/service-world.ts";

describe("the sessions of a project", () => {
  it("are listed whether or not they are in tmux, and none of another project", async () => {
    const world = new SessionWorld();
    await world.joined("claude:1");
    await world.joined("codex:1");
    await world.joined("gemini:1", world.elsewhere);
    expect(await world.peers()).toEqual([
      {
        agentId: "claude:1",
        handle: "claude",
        harness: "claude",
        sessionId: "session-of-claude-1",
        stateCard: null,
        activity: "unknown",
        activitySince: null,
        holdsStick: false,
        reachable: false,
        unread: 0,
        lastSeenAt: "1970-01-01T00:16:40.000Z",
      },
      expect.objectContaining({ agentId: "codex:1" }),
    ]);
  });

  it("come once each, however many rooms they are in, with what is true in any of them", async () => {
    const world = new SessionWorld();
    const { stick, roomId } = await world.joined("claude:1");
    const below = join(world.here, "below");
    mkdirSync(below);
    accepted(await stick.joinPath({ contextPath: below, forceNew: true }));
    accepted(await stick.waitForTurn({ roomId, maxWaitMs: 0 }));
    const peers = await world.peers();
    expect(peers).toHaveLength(1);
    expect(peers[0]).toMatchObject({ agentId: "claude:1", holdsStick: true });
  });

  it("show no unread mail that has expired, whether or not anybody has written that down", async () => {
    const world = new SessionWorld();
    const { roomId } = await world.joined("claude:1");
    await world.joined("codex:1");
    const unread = async () => (await world.peers({ all: true }))[1]?.unread;
    const send = async (body: string) =>
      accepted(await world.as("claude:1").sendMessage({ roomId, to: "codex:1", body }));
    await send("old");
    world.service.nowMs += world.deps.policy.messageTtlMs / 2;
    await send("new");
    expect(await unread()).toBe(2);
    world.service.nowMs += world.deps.policy.messageTtlMs / 2;
    expect(await unread()).toBe(1);
    world.service.nowMs += world.deps.policy.messageTtlMs;
    expect(await unread()).toBe(0);
  });

  it("show their cards, their unread mail and who can be reached now", async () => {
    const world = new SessionWorld();
    const { roomId } = await world.joined("claude:1");
    const { stick } = await world.joined("codex:1");
    accepted(await stick.setMyState({ roomId, purpose: "dates", files: ["a.ts"], blockedOn: "review" }));
    accepted(await world.as("claude:1").sendMessage({ roomId, to: "codex:1", body: "hello" }));
    accepted(await world.as("claude:1").waitForTurn({ roomId, maxWaitMs: 0 }));
    const ended = new AbortController();
    const waiting = stick.waitForTurn({ roomId, maxWaitMs: 60_000, signal: ended.signal });
    await expect.poll(async () => (await world.peers())[1]?.reachable).toBe(true);
    expect((await world.peers())[1]).toMatchObject({
      agentId: "codex:1",
      unread: 1,
      stateCard: { purpose: "dates", files: ["a.ts"], blockedOn: "review" },
    });
    ended.abort();
    await waiting;
  });

  it("leave out who is gone, unless all are wanted", async () => {
    const world = new SessionWorld();
    await world.joined("claude:1");
    await world.joined("codex:1");
    world.service.gone.add("codex:1");
    world.service.nowMs += 60_000;
    expect((await world.peers()).map(({ agentId }) => agentId)).toEqual(["claude:1"]);
    const all = await world.peers({ all: true });
    expect(all.map(({ agentId, status }) => [agentId, status])).toEqual([
      ["claude:1", "active"],
      ["codex:1", "inactive"],
    ]);
  });

  it("are one when a room still knows one of them by its former name", async () => {
    const world = new SessionWorld();
    const below = join(world.here, "below");
    mkdirSync(below);
    const old = world.as("claude:old", { sessionId: null });
    accepted(await old.joinPath({ contextPath: world.here }));
    accepted(await old.joinPath({ contextPath: below, forceNew: true }));
    await world.joined("claude:new", world.here, { formerId: "claude:old" });
    expect((await world.peers()).map(({ agentId }) => agentId)).toEqual(["claude:new"]);
  });

  it("can be had without ids and times", async () => {
    const world = new SessionWorld();
    await world.joined("claude:1");
    const [peer = {}] = await world.peers({ compact: true });
    expect(Object.keys(peer)).toEqual([
      "agentId",
      "handle",
      "harness",
      "stateCard",
      "activity",
      "holdsStick",
      "reachable",
      "unread",
    ]);
  });

  it("are looked at without writing anything", async () => {
    const world = new SessionWorld();
    await world.joined("claude:1");
    expect(await world.writesNothing(() => world.peers({ all: true }))).toBe(true);
  });
});

describe("what a session is doing", () => {
  it("is what a hook told last, and since when", async () => {
    const world = new SessionWorld();
    const { stick } = await world.joined("codex:1");
    const told = (activity: "busy" | "idle") => stick.reportActivity({ contextPath: world.here, activity });
    expect(await told("busy")).toEqual({ changed: true });
    const since = (await world.peers())[0]?.activitySince;
    world.service.nowMs += 5000;
    expect(await world.writesNothing(() => told("busy"))).toBe(true);
    expect((await world.peers())[0]).toMatchObject({ activity: "busy", activitySince: since });
    expect(await told("idle")).toEqual({ changed: true });
    expect((await world.peers())[0]).toMatchObject({ activity: "idle", activitySince: "1970-01-01T00:16:45.000Z" });
  });
});

describe("a session's row", () => {
  it("is written by a join, and again only if something differs", async () => {
    const world = new SessionWorld();
    const facts = { cwd: "/work", harnessVersion: "2.1.325", transcriptPath: "/t.jsonl" };
    const { project } = await world.joined("claude:1", world.here, { facts });
    const [row] = await world.deps.store.readSessions(project);
    expect(row).toMatchObject({
      agentId: "claude:1",
      idSource: "environment",
      sessionId: "session-of-claude-1",
      ...facts,
    });
    const rowAfter = async (options: object) => {
      await world.joined("claude:1", world.here, { facts: options });
      return (await world.deps.store.readSessions(project))[0];
    };
    // What a call does not know is no news.
    expect(await rowAfter({})).toEqual(row);
    expect(await rowAfter({ cwd: "/home/ada/below" })).toEqual({ ...row, cwd: "/home/ada/below" });
  });

  it("forgets the transcript of another session of the same agent", async () => {
    const world = new SessionWorld();
    const { project } = await world.joined("claude:1", world.here, { facts: { transcriptPath: "/t.jsonl" } });
    await world.joined("claude:1", world.here, { sessionId: "another" });
    const [row] = await world.deps.store.readSessions(project);
    expect(row).toMatchObject({ sessionId: "another", transcriptPath: null });
  });

  it("is not made for an unknown caller", async () => {
    const world = new SessionWorld();
    const { project } = accepted(await world.service.as("script:1").joinPath({ contextPath: world.here }));
    expect(await world.deps.store.readSessions(project)).toEqual([]);
  });
});
