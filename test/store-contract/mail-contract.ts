import { describe, expect, test } from "vitest";
import { asAgentId, asEventId, asRoomId } from "../../src/core/ids.ts";
import { DEFAULT_POLICY } from "../../src/core/policy.ts";
import { withoutReceiver, withReceiver } from "../../src/mail/rules/mailbox.ts";
import { processOf } from "../support/room-world.ts";
import { accepted } from "../support/service-world.ts";
import { MailWorld } from "./mail-world.ts";
import { prunedRoom } from "./pruned-room.ts";
import type { OpenBackend } from "./store-world.ts";

const A = "claude:1";
const B = "codex:1";
const C = "gemini:1";
/** Everything a text can hold that a database might trip over. */
const HOSTILE = "NUL \u0000, half a pair \ud800, quotes '\" and \\, ünïcödé 🪄, \u202e, \u001b[2J";

export function mailContract(openBackend: OpenBackend): void {
  const open = async (policy: object = {}) => {
    const world = await MailWorld.open(openBackend, policy);
    await world.join(A, B, C);
    return world;
  };

  describe("mail", () => {
    test("arrives whole, once, and is counted", async () => {
      const world = await open();
      const sent = await world.send(A, B, HOSTILE, { deliveryHint: "interrupt" });
      expect(sent.deliveries).toMatchObject([{ to: B, state: "pending", willBeSeen: expect.any(String) }]);
      expect(await world.counts(B)).toMatchObject({ pending: 1, acked: 0 });
      const taken = accepted(await world.as(B).takeMessages({}));
      expect(taken.answer).toMatchObject({ count: 1, remaining: 0 });
      expect(taken.answer.messages[0]).toMatchObject({ messageId: sent.messageId, from: A, body: HOSTILE, attempt: 1 });
      expect(await world.counts(B)).toMatchObject({ pending: 0, in_flight: 1 });
      expect(accepted(await world.as(B).takeMessages({})).answer.count).toBe(0);
      await taken.confirm();
      expect(await world.counts(B)).toMatchObject({ in_flight: 0, acked: 1, unread: 0 });
    });

    test("is told of by its messages, several at once, each delivery in its order", async () => {
      const world = await open();
      const one = await world.send(A, "room", "one");
      const other = await world.send(B, A, "other");
      const last = await world.send(A, C, "last");
      const told = async (...sent: readonly { readonly messageId: string }[]) => {
        const deliveries = await world.deps.store.readDeliveries(sent.map(({ messageId }) => asEventId(messageId)));
        return deliveries.map(({ messageId, recipient }) => [messageId, recipient]);
      };
      expect(await told(last, one)).toEqual([
        [one.messageId, B],
        [one.messageId, C],
        [last.messageId, C],
      ]);
      expect(await told(other, other, { messageId: "none" })).toEqual([[other.messageId, A]]);
      expect(await told()).toEqual([]);
    });

    test("for the room goes to every member but its sender", async () => {
      const world = await open();
      const sent = await world.send(A, "room", "to all");
      expect(sent.deliveries.map(({ to }) => to).toSorted()).toEqual([B, C]);
      expect([await world.read(A), await world.read(B), await world.read(C)]).toEqual([[], ["to all"], ["to all"]]);
    });

    test("keeps the order of each sender, and interleaves senders by commit", async () => {
      const world = await open();
      for (const [from, body] of [
        [A, "a1"],
        [C, "c1"],
        [A, "a2"],
        [C, "c2"],
      ] as const)
        await world.send(from, B, body);
      expect(await world.read(B)).toEqual(["a1", "c1", "a2", "c2"]);
    });

    test("that was nacked holds its own sender's mail back, and nobody else's", async () => {
      const world = await open();
      await world.send(A, B, "a1");
      await world.send(A, B, "a2");
      await world.send(C, B, "c1");
      const [first] = accepted(await world.as(B).takeMessages({ limit: 1, ack: "manual" })).answer.messages;
      const messageId = first?.messageId as string;
      accepted(await world.as(B).nackMessage({ messageId, attempt: 1, reason: HOSTILE }));
      expect(await world.read(B)).toEqual(["c1"]);
      const [status] = accepted(await world.as(A).messageStatus({ messageId })).deliveries;
      expect(status).toMatchObject({ state: "pending", attempts: [{ n: 1, outcome: "nacked", reason: HOSTILE }] });
    });

    test("that interrupts comes first, with everything older of its sender", async () => {
      const world = await open();
      await world.send(C, B, "c1");
      await world.send(A, B, "a1");
      await world.send(A, B, "a2!", { deliveryHint: "interrupt" });
      await world.send(A, B, "a3");
      expect(await world.read(B)).toEqual(["a1", "a2!", "c1", "a3"]);
    });

    test("that interrupts and has expired brings nothing forward, also from behind what is loaded", async () => {
      const world = await open();
      const short = "room-of-a-minute";
      await world.makeRoom(short, "/tree/short", { ...DEFAULT_POLICY, messageTtlMs: 60_000 });
      for (const agent of [A, B])
        accepted(await world.as(agent).waitForTurn({ roomId: short, maxWaitMs: 0, claim: false }));
      await world.send(C, B, "c1");
      await world.send(A, B, "a1");
      for (const body of ["a2!", "a3!"]) {
        accepted(await world.as(A).sendMessage({ roomId: short, to: B, body, deliveryHint: "interrupt" }));
      }
      expect(await world.takeFirsts(B, { laterMs: 59_000, dryRun: true })).toEqual([A, C]);
      expect(await world.takeFirsts(B, { laterMs: 61_000 })).toEqual([C, A]);
      expect(await world.counts(B)).toMatchObject({ pending: 0, in_flight: 2, expired: 2 });
    });

    test("can be read from one sender alone, and a little at a time", async () => {
      const world = await open();
      for (const body of ["a1", "a2", "a3"]) await world.send(A, B, body);
      await world.send(C, B, "c1");
      expect(await world.read(B, { from: C })).toEqual(["c1"]);
      const taken = accepted(await world.as(B).takeMessages({ limit: 2 }));
      expect(taken.answer).toMatchObject({ count: 2, remaining: 1 });
    });

    test("sent again under the same id is one message, and other content is refused", async () => {
      const world = await open();
      const first = await world.send(A, B, "once", { msgId: "m/../1" });
      expect(await world.send(A, B, "once", { msgId: "m/../1" })).toEqual(first);
      expect(await world.counts(B)).toMatchObject({ pending: 1 });
      const other = await world.as(A).sendMessage({ roomId: world.roomId, to: B, body: "twice", msgId: "m/../1" });
      expect(other).toMatchObject({ error: "msg_id_conflict" });
      await world.send(C, B, "another sender", { msgId: "m/../1" });
      expect(await world.counts(B)).toMatchObject({ pending: 2 });
    });

    test("becomes a dead letter when it was nacked too often, and gets a new delivery when it is requeued", async () => {
      const world = await open({ maxRetries: 1, baseBackoffMs: 0 });
      const { messageId } = await world.send(A, B, "nobody wants me");
      for (const attempt of [1, 2]) {
        await world.as(B).takeMessages({ ack: "manual" });
        accepted(await world.as(B).nackMessage({ messageId, attempt, reason: "no" }));
      }
      expect(await world.counts(B)).toMatchObject({ pending: 0, dead_letter: 1 });
      const { deadLetters } = accepted(await world.as(B).listDeadLetters());
      expect(deadLetters).toMatchObject([{ body: "nobody wants me", reason: "no", to: B }]);
      accepted(await world.as(B).requeueDeadLetter({ messageId }));
      expect(await world.counts(B)).toMatchObject({ pending: 1, dead_letter: 1 });
      expect(await world.as(B).ackMessage({ messageId, attempt: 2 })).toMatchObject({ error: "attempt_stale" });
      expect(await world.read(B)).toEqual(["nobody wants me"]);
      expect(await world.as(B).requeueDeadLetter({ messageId })).toMatchObject({ error: "message_not_found" });
      expect(await world.as(B).purgeDeadLetters()).toEqual({ purged: 1 });
      expect(await world.as(B).listDeadLetters()).toMatchObject({ deadLetters: [], hasMore: false });
      expect(await world.counts(B)).toMatchObject({ acked: 1, dead_letter: 1 });
    });

    test("that its readers give back unseen comes again at once, however often, and never dies of it", async () => {
      const world = await open({ maxRetries: 0 });
      const { messageId } = await world.send(A, B, "nobody has seen me");
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        const taken = accepted(await world.as(B).takeMessages({}));
        expect(taken.answer.messages).toMatchObject([{ messageId, attempt }]);
        await taken.giveBack();
        expect(await world.counts(B)).toMatchObject({ pending: 1, in_flight: 0, dead_letter: 0 });
      }
      const [status] = accepted(await world.as(A).messageStatus({ messageId })).deliveries;
      expect(status?.attempts.map(({ n, outcome }) => [n, outcome])).toEqual(
        [1, 2, 3, 4, 5].map((n) => [n, "given_back"]),
      );
      expect(await world.read(B)).toEqual(["nobody has seen me"]);
    });

    test("that is purged ends as expired", async () => {
      const world = await open();
      for (const body of ["1", "2"]) await world.send(A, B, body);
      expect(await world.as(B).purgeMailbox()).toEqual({ purged: 2 });
      expect(await world.counts(B)).toMatchObject({ pending: 0, expired: 2 });
    });

    test("can be looked at and replayed without being taken", async () => {
      const world = await open();
      await world.send(A, B, "1");
      await world.read(B);
      await world.send(A, B, "2");
      const peeked = accepted(await world.as(B).peekMessages({}));
      expect(peeked.messages.map(({ body, state }) => [body, state])).toEqual([["2", "pending"]]);
      const all = accepted(await world.as(B).peekMessages({ afterDeliverySeq: 0 }));
      expect(all.messages.map(({ body, state }) => [body, state])).toEqual([
        ["1", "acked"],
        ["2", "pending"],
      ]);
      expect(accepted(await world.as(B).peekMessages({ afterDeliverySeq: all.cursorDeliverySeq })).count).toBe(0);
      expect(await world.counts(B)).toMatchObject({ pending: 1, in_flight: 0 });
    });

    test("cannot be replayed from a number that is ahead of the mailbox", async () => {
      const world = await open();
      await world.send(A, B, "1");
      await world.send(A, C, "2");
      const { cursorDeliverySeq } = accepted(await world.as(B).peekMessages({ afterDeliverySeq: 0 }));
      const after = (afterDeliverySeq: number) => world.as(B).peekMessages({ afterDeliverySeq });
      expect(accepted(await after(cursorDeliverySeq)).count).toBe(0);
      expect(await after(cursorDeliverySeq + 1)).toMatchObject({ error: "invalid_cursor" });
      expect(await world.as(A).peekMessages({ afterDeliverySeq: 1 })).toMatchObject({ error: "invalid_cursor" });
      expect(accepted(await world.as(A).peekMessages({ afterDeliverySeq: 0 })).count).toBe(0);
    });

    test("has dead letters up to its own end, and none behind a number that is ahead of that", async () => {
      const world = await open();
      await world.send(A, B, "1");
      const { cursorDeliverySeq: end } = accepted(await world.as(B).peekMessages({ afterDeliverySeq: 0 }));
      const after = (afterDeliverySeq: number) => world.as(B).listDeadLetters({ afterDeliverySeq });
      expect(await after(end)).toMatchObject({ deadLetters: [], cursorDeliverySeq: end });
      expect(await after(end + 1)).toMatchObject({ error: "invalid_cursor", facts: { after: end + 1 } });
      expect(await world.as(A).listDeadLetters({ afterDeliverySeq: 0 })).toMatchObject({ deadLetters: [] });
    });

    test("can be looked at a page at a time, from one sender, however much of others lies between", async () => {
      const world = await open();
      for (const round of [1, 2, 3]) {
        await world.send(C, B, `c${round}`);
        for (const index of [1, 2, 3]) await world.send(A, B, `a${round}.${index}`);
      }
      await world.read(B, { limit: 2 });
      const bodies = async (look: object) =>
        accepted(await world.as(B).peekMessages(look)).messages.map(({ body }) => body);
      expect(await bodies({ from: C, limit: 2 })).toEqual(["c2", "c3"]);
      expect(await bodies({ from: C, limit: 2, afterDeliverySeq: 0 })).toEqual(["c1", "c2"]);
      const first = accepted(await world.as(B).peekMessages({ limit: 3, afterDeliverySeq: 0, liveOnly: true }));
      expect(first.messages.map(({ body }) => body)).toEqual(["a1.2", "a1.3", "c2"]);
      expect(first.hasMore).toBe(true);
      expect(accepted(await world.as(B).peekMessages({ from: C, limit: 2 })).hasMore).toBe(false);
      expect(accepted(await world.as(B).peekMessages({ from: C, limit: 1 })).hasMore).toBe(true);
      const next = { limit: 2, afterDeliverySeq: first.cursorDeliverySeq, liveOnly: true };
      expect(await bodies(next)).toEqual(["a2.1", "a2.2"]);
    });

    test("ends a wait of its owner once, also for what comes while nobody waits", async () => {
      const world = await open();
      await world.as(A).waitForTurn({ roomId: world.roomId, maxWaitMs: 0 });
      const wait = (maxWaitMs: number) => world.as(B).waitForTurn({ roomId: world.roomId, maxWaitMs });
      await world.send(A, B, "1");
      expect(await wait(60_000)).toMatchObject({ status: "not_yet", unread: 1 });
      await world.send(C, B, "2");
      expect(await wait(60_000)).toMatchObject({ status: "not_yet", unread: 2 });
      await world.read(B);
      expect(await wait(0)).toMatchObject({ status: "not_yet", unread: 0 });
      const { window } = await world.deps.store.readMailbox(asAgentId(B), { kind: "live", limit: 1, after: 0 });
      expect(window.box.announcedSeq).toBeGreaterThan(0);
    });

    test("of a session under two names becomes one mailbox, in its order", async () => {
      const world = await open();
      await world.join("codex:old");
      await world.send(A, "codex:old", "1, to the old name", { msgId: "x" });
      await world.send(A, B, "2, to the new one");
      await world.send("codex:old", A, "from the old name", { msgId: "y" });
      await world.read("codex:old", { limit: 1 });
      await world.send(A, "codex:old", "3, to the old name again");
      world.remember(B, "codex:old");
      await world.join(B);
      expect(await world.counts(B)).toMatchObject({ pending: 2, acked: 1 });
      expect(await world.counts("codex:old")).toEqual(await world.counts(B));
      await world.send(A, "codex:old", "4, still by its old name");
      expect(await world.read("codex:old", { limit: 1 })).toEqual(["2, to the new one"]);
      expect(await world.read(B)).toEqual(["3, to the old name again", "4, still by its old name"]);
      const again = await world.send(B, A, "from the old name", { msgId: "y" });
      expect(again.eventSeq).toBeGreaterThan(0);
      expect(await world.counts(A)).toMatchObject({ pending: 1 });
    });

    test("is seen at once by the receivers of both names of a session", async () => {
      const world = await open();
      await world.join("codex:old");
      const until = { epoch: "boot-1", ms: Number.MAX_SAFE_INTEGER };
      const receivers = { own: processOf("own"), former: processOf("former") };
      for (const [owner, process] of [
        [B, receivers.own],
        ["codex:old", receivers.former],
      ] as const) {
        const receiver = { process, harness: processOf(owner), until, from: asAgentId(A) };
        await world.changeBox(owner, (box) => withReceiver(box, receiver, () => false));
      }
      world.remember(B, "codex:old");
      await world.join(B);
      const known = await world.deps.store.readReceivers([asAgentId(B)]);
      expect(known.map(({ process }) => process)).toEqual([receivers.own, receivers.former]);
      await world.changeBox(B, (box) => withoutReceiver(box, receivers.own));
      world.remember("codex:newer", B);
      await world.join("codex:newer");
      expect(await world.deps.store.readReceivers([asAgentId(B)])).toEqual([
        { process: receivers.former, harness: processOf("codex:old"), until, from: A },
      ]);
    });

    test("that came twice because its reader had two names is acknowledged twice", async () => {
      const world = await open();
      await world.join("codex:old");
      await world.send(A, "room", "to all, and so to both names");
      world.remember(B, "codex:old");
      await world.join(B);
      expect(await world.counts(B)).toMatchObject({ pending: 2 });
      while ((await world.counts(B)).pending > 0) await world.read(B);
      expect(await world.counts(B)).toMatchObject({ pending: 0, in_flight: 0, acked: 2 });
    });

    test("sent again under the same id has its first answer, even if its reader has left since", async () => {
      const world = await open();
      const first = await world.send(A, B, "once", { msgId: "m1" });
      accepted(await world.as(B).leaveRoom({ roomId: world.roomId }));
      expect(await world.send(A, B, "once", { msgId: "m1" })).toEqual(first);
      const other = await world.as(A).sendMessage({ roomId: world.roomId, to: B, body: "new", msgId: "m2" });
      expect(other).toMatchObject({ error: "unknown_recipient" });
    });

    test("sent again under the same id is the same by whatever name its reader is called", async () => {
      const world = await open();
      const { handle } =
        (await world.deps.store.readRoom(asRoomId(world.roomId)))?.room.presence.get(asAgentId(B)) ?? {};
      const named = handle as string;
      const byId = await world.send(A, B, "once", { msgId: "m1" });
      expect(await world.send(A, named, "once", { msgId: "m1" })).toEqual(byId);
      const byHandle = await world.send(A, named, "twice", { msgId: "m2" });
      expect(await world.send(A, B, "twice", { msgId: "m2" })).toEqual(byHandle);
      const more = { roomId: world.roomId, body: "twice", msgId: "m2" };
      for (const to of [C, "room"]) {
        expect(await world.as(A).sendMessage({ ...more, to })).toMatchObject({ error: "msg_id_conflict" });
      }
      accepted(await world.as(B).leaveRoom({ roomId: world.roomId }));
      expect(await world.send(A, named, "twice", { msgId: "m2" })).toEqual(byHandle);
      expect(await world.counts(B)).toMatchObject({ pending: 2 });
    });

    test("that answers a question goes to who asked, whatever else it has not read", async () => {
      const world = await open();
      await world.send(B, A, "older talk");
      const asked = world.as(A).askPeer({ roomId: world.roomId, to: B, body: "which port?", timeoutMs: 60_000 });
      const question = accepted(await world.as(B).receiveMessages({ maxWaitMs: 60_000 }));
      await question.confirm();
      const [message] = question.answer.messages;
      expect(message).toMatchObject({ body: "which port?", requestId: message?.messageId, kind: "ask" });
      const messageId = message?.messageId as string;
      accepted(await world.as(B).replyToMessage({ roomId: world.roomId, messageId, body: "8080" }));
      const { answer, confirm } = accepted(await asked);
      expect(answer).toMatchObject({ reply: { body: "8080", from: B, replyTo: messageId }, correlation: "correlated" });
      await confirm();
      expect(await world.read(A)).toEqual(["older talk"]);
      expect(await world.deps.store.readWaitingAsks()).toEqual([]);
    });

    test("does not make its reader's silence anything but whole milliseconds", async () => {
      const world = await open();
      await world.send(A, B, "hello");
      const kicked = await world.as(A).kickMember({ roomId: world.roomId, targetAgentId: B });
      expect(kicked).toMatchObject({
        error: "target_active",
        facts: { silent_ms: expect.toSatisfy(Number.isInteger) },
      });
    });

    test("outlives the pruning of its room while its recipient may read it", async () => {
      const world = await open();
      await world.send(A, B, "read");
      await world.read(B);
      await world.send(A, B, "unread");
      const room = (await world.deps.store.readRooms({})).rooms[0];
      expect(await world.deps.store.prune(prunedRoom(room))).not.toBeNull();
      expect(await world.read(B)).toEqual(["unread"]);
    });

    test("that came after what was pruned is found behind it, a page at a time, and read on from there", async () => {
      const world = await open();
      for (let index = 0; index < 7; index += 1) await world.send(A, B, `pruned ${index}`);
      await world.read(B);
      const room = (await world.deps.store.readRooms({})).rooms[0];
      expect(await world.deps.store.prune(prunedRoom(room))).not.toBeNull();
      const look = async (afterDeliverySeq: number) =>
        accepted(await world.as(B).peekMessages({ afterDeliverySeq, limit: 2 }));
      const nothing = await look(0);
      expect(nothing).toMatchObject({ count: 0, hasMore: false });
      for (const body of ["new 1", "new 2", "new 3"]) await world.send(A, B, body);
      for (const after of [0, nothing.cursorDeliverySeq]) {
        const first = await look(after);
        expect([first.messages.map(({ body }) => body), first.hasMore]).toEqual([["new 1", "new 2"], true]);
        const second = await look(first.cursorDeliverySeq);
        expect([second.messages.map(({ body }) => body), second.hasMore]).toEqual([["new 3"], false]);
      }
    });

    test("of ten thousand in one lane does not hide another sender's", async () => {
      const world = await open({ baseBackoffMs: 60_000 });
      for (let index = 0; index < 60; index += 1) await world.send(A, B, `a${index}`);
      await world.send(C, B, "c1");
      const [first] = accepted(await world.as(B).takeMessages({ limit: 1 })).answer.messages;
      accepted(await world.as(B).nackMessage({ messageId: first?.messageId as string, attempt: 1, reason: "later" }));
      expect(await world.read(B)).toEqual(["c1"]);
      const look = { kind: "lanes", perSender: 2, from: null } as const;
      const { window } = await world.deps.store.readMailbox(asAgentId(B), look);
      expect(window.deliveries).toHaveLength(2);
    });
  });
}
