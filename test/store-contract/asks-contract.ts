import { describe, expect, test } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { accepted } from "../support/service-world.ts";
import { MailWorld } from "./mail-world.ts";
import type { OpenBackend } from "./store-world.ts";

const A = "claude:1";
const B = "codex:1";
const C = "gemini:1";
const PATIENT_MS = 60_000;

const REPEATABLE = { msgId: "q1" };
const reply = (world: MailWorld, messageId: string, body = "8080") =>
  world.as(B).replyToMessage({ roomId: world.roomId, messageId, body });

const ask = (world: MailWorld, timeoutMs: number, more: object = {}) =>
  world.as(A).askPeer({ roomId: world.roomId, to: B, body: "which port?", timeoutMs, ...more });

/** What B was asked, by its id. */
const question = async (world: MailWorld): Promise<string> => {
  const taken = accepted(await world.as(B).receiveMessages({ maxWaitMs: PATIENT_MS }));
  await taken.confirm();
  return taken.answer.messages[0]?.messageId as string;
};

const mailOf = async (world: MailWorld, agent: string) => {
  const peeked = accepted(await world.as(agent).peekMessages({})).messages;
  const taken = accepted(await world.as(agent).takeMessages({}));
  await taken.confirm();
  const { messages } = taken.answer;
  expect(peeked.map(({ late }) => late)).toEqual(messages.map(({ late }) => late));
  return messages.map(({ body, late }) => [body, late ?? false]);
};

const unanswered = async (world: MailWorld, peer: string) =>
  (await world.deps.store.readUnansweredAsks(asAgentId(peer), 10)).map(({ requestId }) => requestId);

export function asksContract(openBackend: OpenBackend): void {
  const openWorld = async () => {
    const world = await MailWorld.open(openBackend);
    await world.join(A, B, C);
    return world;
  };

  describe("an answer is late", () => {
    test("for nobody but an asker that has stopped waiting", async () => {
      const world = await openWorld();
      const inTime = ask(world, PATIENT_MS);
      const replyTo = await question(world);
      await world.send(B, "room", "8080, everybody", { replyTo });
      await accepted(await inTime).confirm();
      expect(await mailOf(world, C)).toEqual([["8080, everybody", false]]);
      await world.send(B, A, "and TLS is on", { replyTo });
      expect(await mailOf(world, A)).toEqual([["and TLS is on", false]]);
      const tooShort = accepted(await ask(world, 0)).answer.requestId;
      await question(world);
      await world.send(B, "room", "8081", { replyTo: tooShort });
      expect(await mailOf(world, C)).toEqual([["8081", false]]);
      expect(await mailOf(world, A)).toEqual([["8081", true]]);
    });
  });

  describe("a question is unanswered", () => {
    test("for the one that was asked, until it replies, also when nobody waits any more", async () => {
      const world = await openWorld();
      const first = accepted(await ask(world, 0)).answer.requestId;
      const second = accepted(await ask(world, 0)).answer.requestId;
      expect(await unanswered(world, B)).toEqual([first, second]);
      expect(await unanswered(world, A)).toEqual([]);
      expect((await world.deps.store.readUnansweredAsks(asAgentId(B), 1)).map(({ requestId }) => requestId)).toEqual([
        second,
      ]);
      accepted(await reply(world, first));
      expect(await unanswered(world, B)).toEqual([second]);
      await world.send(B, C, "not to the asker");
      expect(await unanswered(world, B)).toEqual([second]);
      const inTime = ask(world, PATIENT_MS);
      await expect.poll(() => unanswered(world, B)).toHaveLength(2);
      accepted(await reply(world, (await unanswered(world, B))[1] as string));
      await accepted(await inTime).confirm();
      expect(await unanswered(world, B)).toEqual([second]);
    });

    test("until the one that was asked writes to an asker that no longer waits", async () => {
      const world = await openWorld();
      await world.send(B, A, "before the question");
      await ask(world, 0);
      const inTime = ask(world, PATIENT_MS);
      await expect.poll(() => unanswered(world, B)).toHaveLength(2);
      const [, awaited] = await unanswered(world, B);
      await world.send(B, A, "8080");
      expect(await unanswered(world, B)).toEqual([awaited]);
      accepted(await reply(world, awaited as string));
      await accepted(await inTime).confirm();
      expect(await unanswered(world, B)).toEqual([]);
    });
  });

  describe("a question that is repeated under its id", () => {
    test("has the answer that it had", async () => {
      const world = await openWorld();
      const first = ask(world, PATIENT_MS, REPEATABLE);
      await reply(world, await question(world));
      const { answer, confirm } = accepted(await first);
      await confirm();
      const again = accepted(await ask(world, PATIENT_MS, REPEATABLE));
      expect(again.answer).toEqual({ ...answer, wakeStatus: expect.any(String) });
      await again.confirm();
      expect(await mailOf(world, A)).toEqual([]);
      expect(await world.deps.store.readWaitingAsks()).toEqual([]);
    });

    test("has the answer that its first call took and did not show, and that does not come again", async () => {
      const world = await openWorld();
      const first = ask(world, PATIENT_MS, REPEATABLE);
      await reply(world, await question(world));
      expect(accepted(await first).answer.reply).toMatchObject({ body: "8080" });
      const again = accepted(await ask(world, PATIENT_MS, REPEATABLE));
      expect(again.answer.reply).toMatchObject({ body: "8080", correlation: "correlated" });
      await again.confirm();
      expect(await world.counts(A)).toMatchObject({ pending: 0, in_flight: 0, acked: 1 });
    });

    test("waits again if its time was over, and gets the answer that comes then", async () => {
      const world = await openWorld();
      expect(accepted(await ask(world, 0, REPEATABLE)).answer).toMatchObject({ reply: null, timedOut: true });
      const again = ask(world, PATIENT_MS, REPEATABLE);
      const messageId = await question(world);
      await expect.poll(() => world.deps.store.readWaitingAsks()).toMatchObject([{ requestId: messageId, asker: A }]);
      const sent = accepted(await reply(world, messageId));
      expect(sent.deliveries).toMatchObject([{ to: A, willBeSeen: "now" }]);
      const { answer, confirm } = accepted(await again);
      expect(answer).toMatchObject({ requestId: messageId, reply: { body: "8080" }, timedOut: false });
      await confirm();
      expect(await mailOf(world, A)).toEqual([]);
    });

    test("has the answer that came in between, be it unread or read", async () => {
      const world = await openWorld();
      await ask(world, 0, REPEATABLE);
      await reply(world, await question(world));
      const unread = accepted(await ask(world, PATIENT_MS, REPEATABLE));
      expect(unread.answer.reply).toMatchObject({ body: "8080" });
      await unread.giveBack();
      expect(await mailOf(world, A)).toEqual([["8080", true]]);
      const read = accepted(await ask(world, PATIENT_MS, REPEATABLE));
      expect(read.answer).toMatchObject({ reply: { body: "8080" }, timedOut: false });
    });

    test("by two calls at once gives both the same answer", async () => {
      const world = await openWorld();
      const calls = [ask(world, PATIENT_MS, REPEATABLE), ask(world, PATIENT_MS, REPEATABLE)];
      await reply(world, await question(world));
      for (const call of calls) expect(accepted(await call).answer.reply).toMatchObject({ body: "8080" });
      expect(await world.deps.store.readWaitingAsks()).toEqual([]);
    });

    test("is refused if the asked agent waits for its asker by now", async () => {
      const world = await openWorld();
      await ask(world, 0, REPEATABLE);
      const other = world.as(B).askPeer({ roomId: world.roomId, to: A, body: "which host?", timeoutMs: PATIENT_MS });
      const asked = accepted(await world.as(A).receiveMessages({ maxWaitMs: PATIENT_MS })).answer.messages[0];
      expect(await ask(world, PATIENT_MS, REPEATABLE)).toMatchObject({ error: "would_deadlock" });
      await world.as(A).replyToMessage({ roomId: world.roomId, messageId: asked?.messageId as string, body: "h1" });
      expect(accepted(await other).answer.reply).toMatchObject({ body: "h1" });
    });
  });
}
