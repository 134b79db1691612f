import { expect, test } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import type { Delivery, StoredMailbox } from "../../../src/core/mail-records.ts";
import {
  BATCH_WINDOW,
  type BatchSight,
  beginAct,
  claimBatch,
  endClaim,
  pendingWake,
  standingOf,
  unconfirmedSince,
} from "../../../src/mail/rules/batch.ts";
import { emptyMailbox } from "../../../src/mail/rules/mailbox.ts";
import type { MailboxWindow } from "../../../src/mail/rules/take.ts";
import { isClaim } from "../../../src/wake/climb.ts";
import { processOf } from "../../support/room-world.ts";

const OWNER = asAgentId("codex:1");
const MOMENT = { instant: { epoch: "boot-1", ms: 1000 }, suspendedMs: 0, wallMs: 1000 };

function delivery(seq: number, change: Partial<Delivery> = {}): Delivery {
  const expires = { epoch: "boot-1", ms: 1_000_000 };
  const expiresAt = "2026-01-01T00:00:00.000Z";
  const from = asAgentId(`claude:${seq}`);
  return {
    seq,
    recipient: OWNER,
    from,
    state: "pending",
    due: null,
    expires,
    expiresAt,
    attempts: [],
    ...change,
  } as Delivery;
}

function windowOf(deliveries: readonly Delivery[], box: Partial<StoredMailbox> = {}): MailboxWindow {
  return { box: { ...emptyMailbox(OWNER), ...box }, deliveries, interrupts: [], asks: [] };
}

const DEAD = processOf("dead");
const ALIVE = processOf("alive");

function sightOf(window: MailboxWindow): BatchSight {
  return { window, moment: MOMENT, isGone: ({ pid }) => pid === DEAD.pid };
}

/** The claim of a process that is about to wake its owner. */
function trying(process = ALIVE, untilMs = 2000): Partial<StoredMailbox> {
  const wakeClaim = { process, until: { epoch: "boot-1", ms: untilMs }, before: 2 };
  return { wokenSeq: 5, wakeOutcome: "trying", wakeClaim };
}

/** A wake that was sent, and of which nothing came yet. */
function sent(untilMs: number): Partial<StoredMailbox> {
  return { ...trying(ALIVE, untilMs), wakeOutcome: "fired_unconfirmed" };
}

const UNREAD = [delivery(3), delivery(5), delivery(8)];
const EXPIRED = { expires: { epoch: "boot-1", ms: 10 } };

test.each([
  ["nobody was woken for any of it", windowOf(UNREAD), 5, "open"],
  ["all it was woken for is read", windowOf(UNREAD, { wokenSeq: 2, wakeOutcome: "fired" }), 8, "open"],
  ["it was woken for this one", windowOf(UNREAD, { wokenSeq: 5, wakeOutcome: "fired" }), 5, "fired"],
  ["nothing was seen of it since", windowOf(UNREAD, sent(2000)), 5, "fired_unconfirmed"],
  ["nothing was seen of it since, and it has had its time", windowOf(UNREAD, sent(1000)), 5, "open"],
  ["nothing says since when", windowOf(UNREAD, { wokenSeq: 5, wakeOutcome: "fired_unconfirmed" }), 5, "open"],
  ["a waker is about to", windowOf(UNREAD, trying()), 5, "fired_unconfirmed"],
  ["the waker that was about to has died", windowOf(UNREAD, trying(DEAD)), 5, "open"],
  ["who was about to has taken too long", windowOf(UNREAD, trying(ALIVE, 1000)), 5, "open"],
  ["who died had begun", windowOf(UNREAD, { ...trying(DEAD), wakeOutcome: "acting" }), 5, "fired_unconfirmed"],
  ["who had begun died long ago", windowOf(UNREAD, { ...trying(DEAD, 1000), wakeOutcome: "acting" }), 5, "open"],
  ["it was woken for older ones", windowOf(UNREAD, { wokenSeq: 3, wakeOutcome: "fired" }), 8, "fired_unconfirmed"],
  ["it was read", windowOf(UNREAD), 4, "read"],
  ["it is being shown", windowOf([delivery(3, { state: "in_flight" })]), 3, "read"],
  [
    "older mail is being shown",
    windowOf([delivery(3, { state: "in_flight" }), delivery(5)], { wokenSeq: 3 }),
    5,
    "open",
  ],
  ["older mail has run out of time", windowOf([delivery(3, EXPIRED), delivery(5)], { wokenSeq: 3 }), 5, "open"],
  ["more lies before it than is looked at", windowOf(many(BATCH_WINDOW.limit)), 10_000, "open"],
] as const)("a message stands as it must when %s", (_, window, seq, expected) => {
  expect(standingOf(sightOf(window), seq)).toBe(expected);
});

function many(count: number): readonly Delivery[] {
  return Array.from({ length: count }, (_, index) => delivery(index + 1));
}

test("a claim covers all that is unread, and names whose mail it is", () => {
  const { mail, answer } = claimBatch(sightOf(windowOf(UNREAD, { wokenSeq: 2 })), 5, ALIVE);
  const until = { epoch: "boot-1", ms: 6000 };
  expect(answer).toEqual({
    seq: 8,
    count: 3,
    process: ALIVE,
    until,
    before: 2,
    senders: ["claude:3", "claude:5", "claude:8"],
  });
  expect(mail.boxes.get(OWNER)).toMatchObject({ wokenSeq: 8, wakeOutcome: "trying" });
});

test("a claim that cannot be had changes nothing", () => {
  const window = windowOf(UNREAD, { wokenSeq: 3, wakeOutcome: "fired" });
  const { mail, answer } = claimBatch(sightOf(window), 8, ALIVE);
  expect(answer).toBe("fired_unconfirmed");
  expect(mail.boxes.get(OWNER)).toBe(window.box);
});

test("an attempt that did nothing gives the claim back; one that another has followed changes nothing", () => {
  const before = windowOf(UNREAD, { wokenSeq: 2, wakeOutcome: "fired" });
  const { mail, answer } = claimBatch(sightOf(before), 5, ALIVE);
  if (!isClaim(answer)) throw new Error("the claim was open");
  const claimed = { ...before, box: mail.boxes.get(OWNER) as StoredMailbox };
  const failed = endClaim(claimed, answer, "failed");
  expect(failed.mail.boxes.get(OWNER)).toMatchObject({ wokenSeq: 2, wakeOutcome: "failed" });
  const fired = endClaim(claimed, answer, "fired");
  expect(fired.mail.boxes.get(OWNER)).toMatchObject({ wokenSeq: 8, wakeOutcome: "fired", wakeClaim: null });
  const since = { ...claimed, box: { ...claimed.box, wokenSeq: 12 } };
  expect(endClaim(since, answer, "failed")).toMatchObject({ answer: false });
});

test("a claim that has lapsed is another's, and who comes back to it may neither act nor end it", () => {
  const window = windowOf(UNREAD, { wokenSeq: 2 });
  const { mail, answer: late } = claimBatch(sightOf(window), 5, DEAD);
  const lapsed = { ...window, box: mail.boxes.get(OWNER) as StoredMailbox };
  const again = claimBatch(sightOf(lapsed), 8, ALIVE);
  expect(again.answer).toMatchObject({ seq: 8, before: 2, process: ALIVE });
  if (!isClaim(late) || !isClaim(again.answer)) throw new Error("both were open");
  const claimed = { ...window, box: again.mail.boxes.get(OWNER) as StoredMailbox };
  expect(beginAct(claimed, late).answer).toBe(false);
  expect(endClaim(claimed, late, "failed").answer).toBe(false);
  const begun = beginAct(claimed, again.answer);
  expect(begun.answer).toBe(true);
  expect(begun.mail.boxes.get(OWNER)).toMatchObject({ wokenSeq: 8, wakeOutcome: "acting" });
});

test("a wake that was sent keeps its claim until its recipient is seen, and says since when it waits for that", () => {
  const before = windowOf(UNREAD, { wokenSeq: 2 });
  const { mail, answer } = claimBatch(sightOf(before), 5, ALIVE);
  if (!isClaim(answer)) throw new Error("the claim was open");
  const claimed = { ...before, box: mail.boxes.get(OWNER) as StoredMailbox };
  expect(unconfirmedSince(claimed.box)).toBeNull();
  const after = endClaim(claimed, answer, "fired_unconfirmed").mail.boxes.get(OWNER) as StoredMailbox;
  expect(after).toMatchObject({ wokenSeq: 8, wakeOutcome: "fired_unconfirmed", wakeClaim: { before: 2 } });
  expect(unconfirmedSince(after)).toEqual(MOMENT.instant);
  const confirmed = endClaim({ ...before, box: after }, answer, "fired").mail.boxes.get(OWNER) as StoredMailbox;
  expect(confirmed).toMatchObject({ wokenSeq: 8, wakeOutcome: "fired", wakeClaim: null });
  expect(unconfirmedSince(confirmed)).toBeNull();
});

test.each([
  ["nobody was woken for it", UNREAD, { wakeWantedSeq: 5 }, 8],
  ["nothing came of its own wake", UNREAD, { wakeWantedSeq: 5, ...sent(1000) }, null],
  ["nothing came of the wake before it", UNREAD, { wakeWantedSeq: 8, ...sent(1000) }, 8],
  ["the wake before it may still be answered", UNREAD, { wakeWantedSeq: 8, ...sent(2000) }, null],
  ["no sender asked for it", UNREAD, {}, null],
  ["the mail that it was requested for is read", UNREAD, { wakeWantedSeq: 2 }, null],
  ["a waker has claimed it", UNREAD, { wakeWantedSeq: 5, wokenSeq: 8 }, null],
  ["a waker is about to", UNREAD, { wakeWantedSeq: 5, ...trying() }, null],
  ["the waker that was about to has died", UNREAD, { wakeWantedSeq: 5, ...trying(DEAD) }, 8],
  ["older mail was woken for, and is unread", UNREAD, { wakeWantedSeq: 8, wokenSeq: 3 }, null],
  ["what was woken for is read", UNREAD, { wakeWantedSeq: 8, wokenSeq: 2 }, 8],
  ["the newest is being shown", [delivery(3), delivery(5, { state: "in_flight" })], { wakeWantedSeq: 3 }, 3],
] as const)("a requested wake is pending, or not, when %s", (_, deliveries, box, expected) => {
  expect(pendingWake(sightOf(windowOf(deliveries, box)))).toBe(expected);
});
