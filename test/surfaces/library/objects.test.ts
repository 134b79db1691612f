/** The library's objects on a real store, each participant with a connection of its own. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openTalkingStick, type Participant, TalkingStickError } from "../../../src/app/index.ts";
import { OPERATION_NAMES } from "../../../src/core/operation-names.ts";
import { NOT_BY_NAME } from "../../../src/surfaces/library/call-for.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const HANDOFF = { status: "parser done", nextAction: "write the tests" };

function place() {
  const root = temporaryDirectory();
  const directory = join(root, "project");
  mkdirSync(directory);
  const env = { TT_DATA_DIR: join(root, "data"), HOME: root };
  return async (agentId: string): Promise<Participant> => {
    const me = await openTalkingStick({ agentId, directory, env });
    onTestFinished(() => me.close());
    return me;
  };
}

async function thrownBy(work: Promise<unknown>): Promise<TalkingStickError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TalkingStickError)) throw new Error(`not an error of ours: ${String(error)}`);
  return error;
}

async function next<Item>(items: AsyncGenerator<Item, void, undefined>): Promise<Item> {
  const { value } = await items.next();
  if (value === undefined) throw new Error("the stream has ended");
  return value;
}

describe("a turn", () => {
  it("that is granted while its participant closes is given up", async () => {
    const open = place();
    const watcher = await (await open("script:b")).join();
    const me = await open("script:a");
    const room = await me.join();
    const granted = room.waitForTurn().catch(() => null);
    await me.close();
    await granted;
    expect((await watcher.state()).room.owner).toBeNull();
  });

  it("ends with an answer that says what to do next in the library's own words", async () => {
    const room = await (await place()("script:a")).join();
    const turn = await room.waitForTurn({ timeoutMs: 0 });
    expect(await turn?.release(HANDOFF)).toMatchObject({
      next: "Before you write again, wait for your turn: room.waitForTurn()",
    });
  });

  it("goes from one participant to the next with its handoff", async () => {
    const open = place();
    const [a, b] = [await (await open("script:a")).join(), await (await open("script:b")).join()];
    const first = await a.waitForTurn({ timeoutMs: 0 });
    const waiting = b.waitForTurn({ timeoutMs: 20_000 });
    const waits = a.events.follow({ afterEventSeq: 0, eventTypes: ["claim"] });
    expect(await next(waits)).toMatchObject({ fromAgentId: "script:a", turnId: 1 });
    await expect.poll(async () => (await a.state()).members.find(({ waiting: isWaiting }) => isWaiting)).toBeDefined();
    expect(await first?.release(HANDOFF)).toMatchObject({ status: "released", reservedFor: "script:b" });
    const second = await waiting;
    expect(second).toMatchObject({ turnId: 2, handoff: HANDOFF, fromAgentId: "script:a" });
    expect(await next(waits)).toMatchObject({ fromAgentId: "script:b", turnId: 2 });
    await waits.return();
    void a.waitForTurn().catch(() => null);
    await expect.poll(async () => (await b.state()).members[0]?.waiting).toBe(true);
    expect(await second?.pass("script:a", HANDOFF)).toMatchObject({ status: "passed", reservedFor: "script:a" });
  });

  it("that ends by an exception is given up, without a handoff and without leaving the room", async () => {
    const me = await place()("script:a");
    const room = await me.join();
    await (await room.waitForTurn({ timeoutMs: 0 }))?.release(HANDOFF);
    const failing = async () => {
      await using turn = await room.waitForTurn({ timeoutMs: 0 });
      throw new Error(`broken in turn ${turn?.turnId}`);
    };
    await expect(failing()).rejects.toThrow("broken in turn 2");
    const { events } = await room.events.list();
    expect(events.at(-1)).toMatchObject({ eventType: "release", handoff: null, payload: { givenUp: true } });
    const { room: now, members } = await room.state();
    expect(now).toMatchObject({ state: "idle", handoff: HANDOFF });
    expect(members).toMatchObject([{ agentId: "script:a" }]);
  });

  it("that is still held when its participant is closed is given up", async () => {
    const open = place();
    const me = await open("script:a");
    const other = await (await open("script:b")).join();
    await (await me.join()).waitForTurn({ timeoutMs: 0 });
    await me.close();
    expect((await other.events.list()).events.at(-1)).toMatchObject({ payload: { givenUp: true, reservedFor: null } });
  });

  it("is over once: closing it after the release changes nothing", async () => {
    const room = await (await place()("script:a")).join();
    const turn = await room.waitForTurn({ timeoutMs: 0 });
    await turn?.release(HANDOFF);
    await turn?.close();
    expect((await room.events.list()).events.map(({ eventType }) => eventType)).toEqual([
      "member_joined",
      "claim",
      "release",
    ]);
    expect(turn?.signal.aborted).toBe(false);
  });

  it("whose release is refused stays held", async () => {
    const room = await (await place()("script:a")).join();
    const turn = await room.waitForTurn({ timeoutMs: 0 });
    const error = await thrownBy(turn?.release({ status: " ", nextAction: "x" }) ?? Promise.resolve());
    expect(error).toMatchObject({ code: "invalid_handoff", facts: { field: "status" }, retry: false });
    await turn?.renew();
    expect((await room.state()).room.owner).toBe("script:a");
  });

  it("is not there yet: null, and a cancelled wait gives its place up", async () => {
    const open = place();
    const [a, b] = [await (await open("script:a")).join(), await (await open("script:b")).join()];
    await a.waitForTurn({ timeoutMs: 0 });
    expect(await b.waitForTurn({ timeoutMs: 20 })).toBeNull();
    const stop = new AbortController();
    const waiting = b.waitForTurn({ signal: stop.signal });
    await expect.poll(async () => (await a.state()).members[1]?.waiting).toBe(true);
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    expect((await a.state()).members[1]?.waiting).toBe(false);
  });
});

describe("an error", () => {
  it("says what to do in calls of the library", async () => {
    const room = await (await place()("script:a")).join();
    const turn = await room.waitForTurn({ timeoutMs: 0 });
    await turn?.release(HANDOFF);
    const error = await thrownBy(turn?.renew() ?? Promise.resolve());
    expect(error).toMatchObject({ name: "TalkingStickError", code: "stale_lease", outcomeUnknown: false });
    expect(error.next).toContain("room.waitForTurn()");
  });

  it("is thrown for wrong input too, also where nothing is typed", async () => {
    const me = await place()("script:a");
    const untyped = me as unknown as { join(path: number): Promise<unknown>; send(message?: object): Promise<unknown> };
    expect(await thrownBy(untyped.join(3))).toMatchObject({ code: "invalid_input" });
    expect(await thrownBy(untyped.send({ body: 3 }))).toMatchObject({ code: "invalid_input" });
    expect(await thrownBy(openTalkingStick({ agentId: "room" }))).toMatchObject({ code: "invalid_input" });
  });

  it("is what every call gets after closing, and closing again does nothing", async () => {
    const me = await place()("script:a");
    const room = await me.join();
    const waiting = me.messages().next();
    await me.close();
    await me.close();
    expect(await waiting).toMatchObject({ done: true });
    expect(await thrownBy(room.state())).toMatchObject({ code: "participant_closed" });
  });
});

describe("mail", () => {
  it("comes one by one, and again until it is acknowledged", async () => {
    const open = place();
    const [boss, worker] = [await open("script:boss"), await open("script:worker")];
    await worker.join();
    await boss.send({ to: "script:worker", body: "first" });
    await boss.send({ to: "script:worker", body: "second" });
    for await (const message of worker.messages()) {
      expect(message).toMatchObject({ body: "first", attempt: 1 });
      break;
    }
    const bodies: string[] = [];
    for await (const message of worker.messages()) {
      bodies.push(message.body);
      await message.ack();
      if (message.body === "second") break;
    }
    expect(bodies).toEqual(["first", "second"]);
    const stop = new AbortController();
    const silent = worker.messages({ signal: stop.signal }).next();
    stop.abort();
    expect(await silent).toMatchObject({ done: true });
  });

  it("that could not be dealt with waits for its next attempt", async () => {
    const open = place();
    const [boss, worker] = [await open("script:boss"), await open("script:worker")];
    await worker.join();
    const { messageId } = await boss.send({ to: "script:worker", body: "work" });
    const mail = worker.messages();
    await (await next(mail)).nack("no disk space");
    await mail.return();
    expect(await boss.perform("message_status", { messageId })).toMatchObject({
      deliveries: [{ to: "script:worker", state: "pending", nextAttemptAt: expect.any(String) }],
    });
  });

  it("is answered, and who asked gets that very reply", async () => {
    const open = place();
    const [boss, worker] = [await open("script:boss"), await open("script:worker")];
    await worker.join();
    const asked = boss.ask({ to: "script:worker", body: "how far?", timeoutMs: 20_000 });
    const mail = worker.messages({ from: "script:boss" });
    const question = await next(mail);
    await question.reply("nearly done");
    await question.ack();
    await mail.return();
    expect(await asked).toMatchObject({ reply: { body: "nearly done", from: "script:worker" }, timedOut: false });
    expect(await boss.ask({ to: "script:worker", body: "and now?", timeoutMs: 1 })).toMatchObject({ reply: null });
  });

  it("that is held when its participant closes comes again at once", async () => {
    const open = place();
    const [boss, worker] = [await open("script:boss"), await open("script:worker")];
    await worker.join();
    await boss.send({ to: "script:worker", body: "work" });
    const held = await next(worker.messages());
    await worker.close();
    expect(await thrownBy(held.ack())).toMatchObject({ code: "participant_closed" });
    expect(await next((await open("script:worker")).messages())).toMatchObject({ body: "work" });
  });
});

it("a room keeps notes, tells its state, and is left", async () => {
  const open = place();
  const me = await open("script:a");
  const room = await me.join();
  const { noteId } = await room.notes.add("the parser needs Node 22");
  await room.notes.resolve(noteId);
  expect(await room.notes.list({ unresolvedOnly: true })).toEqual({ notes: [], hasMore: false });
  expect(await me.rooms()).toMatchObject([{ roomId: room.id, memberCount: 1 }]);
  expect(await me.peers({ all: true })).toMatchObject([{ agentId: "script:a" }]);
  expect(await thrownBy(room.kick("script:nobody"))).toMatchObject({ code: "unknown_target" });
  await room.leave();
  expect((await room.state()).members).toEqual([]);
  expect(await thrownBy(me.perform("close_room", { roomId: room.id }))).toMatchObject({ code: "not_authorized" });
  expect(await thrownBy(me.perform("fly" as "list_rooms"))).toMatchObject({ code: "invalid_input" });
});

it.each(NOT_BY_NAME)("%s is not performed by name, and the call that does it is named", async (name) => {
  const me = await place()("script:me");
  const { message, next: advice } = await thrownBy(me.perform(name as "list_rooms"));
  expect(message).toBe(`A program does not call ${name} by its name.`);
  expect(advice).toMatch(/^Use (room|turn|me|openTalkingStick)\b/);
});

it("every other operation is performed by name", async () => {
  const me = await place()("script:me");
  for (const name of OPERATION_NAMES.filter((known) => !(NOT_BY_NAME as readonly string[]).includes(known))) {
    const { message } = await thrownBy(me.perform(name as "list_rooms", { nonsense: true }));
    expect([name, message]).toEqual([name, expect.stringContaining("nonsense")]);
  }
});
