import { describe, expect, it } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import type { TalkMessage } from "../../src/peers/rules/picture-talk.ts";
import { accepted } from "../support/service-world.ts";
import { ME, PictureWorld } from "./picture-world.ts";

const HANDOFF = { status: "parser done", nextAction: "write the tests" };

describe("the room picture", () => {
  it("shows the holder, since when, what it does and until when its lease lasts", async () => {
    const world = new PictureWorld();
    await world.joined("claude:1", "codex:1");
    await world.taken("claude:1");
    accepted(await world.as("claude:1").setMyState({ roomId: world.roomId, purpose: "writes the parser" }));
    world.nowMs += 60_000;
    const end = await world.waits("codex:1");
    const { now, agents, why, names } = await world.picture();
    expect(now).toMatchObject({
      state: "owned",
      turnId: 1,
      holder: {
        agentId: "claude:1",
        since: "1970-01-01T00:16:40.000Z",
        purpose: "writes the parser",
        leaseUntil: expect.stringContaining("1970-01-01T01"),
      },
      queue: ["codex:1"],
      reservation: null,
      paused: null,
    });
    expect(agents.map(({ agentId, mark }) => [agentId, mark])).toEqual([
      ["claude:1", "works"],
      ["codex:1", "waits"],
    ]);
    expect(why).toMatchObject({ reason: { kind: "held", holder: "claude:1", waiting: ["codex:1"] }, isStuck: false });
    expect(names[asAgentId("claude:1")]).toBe("claude");
    await end();
  });

  it("puts an agent that asks a person first, and the person answers", async () => {
    const world = new PictureWorld();
    await world.joined("claude:1", "codex:1", ME);
    await world.taken("claude:1");
    const { id, end } = await world.asks("codex:1", ME);
    const { agents, why } = await world.picture();
    expect(agents[0]).toMatchObject({
      agentId: "codex:1",
      mark: "needs_you",
      needs: { kind: "answer", person: ME, messageId: id, question: "how?" },
    });
    expect(why).toMatchObject({ reason: { kind: "question", asker: "codex:1" }, step: { do: "read_my_messages" } });
    const { answer, confirm } = accepted(await world.as(ME, { person: true }).takeMessages({}));
    expect(answer.count).toBe(1);
    await confirm();
    const read = await world.picture();
    expect(read.why.step).toEqual({ do: "reply_to_message", with: { message_id: id } });
    expect((await world.picture("claude:1")).why.step).toBeNull();
    await end();
    const left = await world.picture();
    expect(left.agents[0]).toMatchObject({ agentId: "codex:1", mark: "needs_you", waitsFor: [] });
    expect(left.why).toMatchObject({
      reason: { kind: "unanswered", messageId: id },
      isStuck: false,
      step: { do: "reply_to_message" },
    });
    const { roomId } = world;
    accepted(await world.as(ME, { person: true }).replyToMessage({ roomId, messageId: id, body: "so" }));
    expect((await world.picture()).agents[0]).toMatchObject({ agentId: "claude:1" });
  });

  it("in a pause, an agent that only keeps its place keeps no other from an answer", async () => {
    const world = new PictureWorld();
    await world.joined("claude:1", "codex:1", ME);
    await world.taken("claude:1");
    await world.stopsWaiting("codex:1");
    const { roomId, deps } = world;
    accepted(await world.as(ME, { person: true }).pauseRoom({ roomId }));
    const { end } = await world.asks("claude:1", "codex:1");
    expect((await world.picture()).why.reason.kind).toBe("circle");
    await end();
    world.nowMs += deps.policy.waitGraceMs;
    const again = await world.asks("claude:1", "codex:1");
    const { agents, why, now } = await world.picture();
    expect(why).toMatchObject({ reason: { kind: "paused" }, step: { do: "resume_room" } });
    expect(agents.find(({ agentId }) => agentId === "codex:1")).toMatchObject({ mark: "waits", waitsFor: [] });
    expect(now.queue).toEqual(["codex:1"]);
    await again.end();
  });

  it("knows the question of an agent that has another name elsewhere by now", async () => {
    const world = new PictureWorld();
    await world.joined(ME);
    accepted(await world.as("codex:old").joinPath({ contextPath: world.path }));
    const { id, end } = await world.asks("codex:old", ME);
    await end();
    const elsewhere = { contextPath: world.directory("other") };
    accepted(await world.as("codex:old").joinPath(elsewhere));
    accepted(await world.as("codex:new", { former: "codex:old" }).joinPath(elsewhere));
    const [first] = (await world.picture()).agents;
    expect(first).toMatchObject({ agentId: "codex:old", mark: "needs_you", needs: { messageId: id } });
  });

  it("shows a prompt of a harness as a need of the person", async () => {
    const world = new PictureWorld();
    await world.joined("claude:1", "codex:1");
    const sights = {
      activity: ({ harness }: { harness: string }) =>
        harness === "claude" ? { state: "busy", since: null, asksUser: true } : null,
    };
    const deps = { ...world.deps, sights: sights as never };
    const { agents, why } = await world.picture(ME, {}, deps);
    expect(agents[0]).toMatchObject({ agentId: "claude:1", mark: "needs_you", needs: { kind: "permission" } });
    expect(why).toMatchObject({ reason: { kind: "permission", agent: "claude:1" }, step: null });
  });

  it("folds agents whose processes are gone, with what they left behind", async () => {
    const world = new PictureWorld();
    await world.joined("claude:1", "codex:1", "gemini:1");
    await world.taken("codex:1");
    accepted(await world.as("claude:1").sendMessage({ roomId: world.roomId, to: "codex:1", body: "hello" }));
    world.gone.add("codex:1");
    world.nowMs += 60_000;
    const { agents, folded, why } = await world.picture();
    expect(agents.map(({ agentId }) => agentId)).toEqual(["claude:1", "gemini:1"]);
    expect(folded.gone).toMatchObject([{ agentId: "codex:1", holdsStick: true, unread: 1 }]);
    expect(why).toMatchObject({ reason: { kind: "holder_gone", holder: "codex:1" }, step: { do: "takeover_stick" } });
  });

  it("tells of a pause, which a person ends", async () => {
    const world = new PictureWorld();
    await world.joined("claude:1", ME);
    accepted(await world.as(ME, { person: true }).pauseRoom({ roomId: world.roomId, reason: "lunch" }));
    const { now, why } = await world.picture();
    expect(now.paused).toMatchObject({ by: ME, reason: "lunch" });
    expect(why).toMatchObject({ reason: { kind: "paused" }, isStuck: true, step: { do: "resume_room" } });
    expect((await world.picture("claude:1")).why.step).toBeNull();
  });

  it("has the talk with a mark for each recipient, answers below their questions, handoffs and notes", async () => {
    const world = new PictureWorld();
    const { roomId } = await world.joined("claude:1", "codex:1", ME);
    const { turnId, leaseId } = await world.taken("claude:1");
    const person = world.as(ME, { person: true });
    const { messageId } = accepted(await person.sendMessage({ roomId, body: "how far are you?" }));
    const { answer, confirm } = accepted(await world.as("codex:1").takeMessages({}));
    expect(answer.count).toBe(1);
    await confirm();
    accepted(await world.as("codex:1").replyToMessage({ roomId, messageId, body: "half" }));
    accepted(await world.as("codex:1").addNote({ roomId, body: "a note" }));
    accepted(await world.as("claude:1").releaseStick({ roomId, expectedTurnId: turnId, leaseId, handoff: HANDOFF }));
    const { talk, turns } = await world.picture();
    const [question, note, handoff] = talk as readonly [TalkMessage, ...object[]];
    expect(question).toMatchObject({ from: ME, to: "room", isPersons: true, body: "how far are you?" });
    expect(question.marks.toSorted((a, b) => (a.to < b.to ? -1 : 1))).toEqual([
      { to: "claude:1", mark: "waiting" },
      { to: "codex:1", mark: "read" },
    ]);
    expect(question.answers).toMatchObject([{ from: "codex:1", body: "half", isPersons: false }]);
    expect(note).toMatchObject({ kind: "note", from: "codex:1", isResolved: false });
    expect(handoff).toMatchObject({ kind: "handoff", from: "claude:1", handoff: HANDOFF });
    expect(turns).toMatchObject([{ agentId: "claude:1", turns: [{ turnId: 1, ended: "release" }] }]);
  });

  it("writes nothing", async () => {
    const world = new PictureWorld();
    await world.joined("claude:1", ME);
    accepted(await world.as("claude:1").sendMessage({ roomId: world.roomId, to: ME, body: "hello" }));
    world.gone.add("claude:1");
    world.nowMs += 60_000;
    const before = await world.deps.store.changeMark();
    await world.picture();
    expect(await world.deps.store.changeMark()).toBe(before);
    expect((await world.picture()).agents.find(({ agentId }) => agentId === ME)?.unread).toBe(1);
  });

  it("takes a bounded number of reads in a room with 1,000 members and 10,000 events", async () => {
    const world = new PictureWorld();
    await world.joined("claude:1", "codex:1");
    await world.taken("claude:1");
    await world.grown({ members: 998, notes: 9000 });
    const { deps, reads } = counted(world);
    const { now, agents, folded, talk } = await world.picture(ME, { talk: 30, turns: 10, since: true }, deps);
    expect(now.holder?.since).not.toBeNull();
    expect([agents.length, folded.notListed, talk.length]).toEqual([50, 950, 30]);
    expect(reads()).toBeLessThan(80);
    const why = counted(world);
    await world.picture(ME, {}, why.deps);
    expect(why.reads()).toBeLessThan(65);
  });
});

/** The same service, which counts what it reads from the store. */
function counted(world: PictureWorld) {
  let reads = 0;
  const store = new Proxy(world.deps.store, {
    get(target, name: keyof Store) {
      const value = target[name];
      if (typeof value !== "function") return value;
      reads += 1;
      return value.bind(target);
    },
  });
  return { deps: { ...world.deps, store }, reads: () => reads };
}
