/** `tt mailbox`. */
import { expect, it } from "vitest";
import { dumpDatabase } from "../support/database-dump.ts";
import { asPerson, CliWorld, PERSON } from "./support/cli-world.ts";

const SEND = "mailbox enqueue --from boss --to worker --msg-id";

it("a message goes in by flags, comes out once, and is acked by the attempt that was told", async () => {
  const world = new CliWorld();
  const queued = await world.done(`${SEND} m1 run the tests --json`);
  expect(queued.json()).toEqual({ msg_id: "m1", queued: true, pending: 1 });
  expect((await world.done(`${SEND} m1 again --json`)).json()).toEqual({ msg_id: "m1", queued: false, pending: 1 });
  const taken = (await world.done("mailbox dequeue worker --json")).json();
  expect(taken).toMatchObject({ msg_id: "m1", from: "boss", to: "worker", payload: "run the tests", attempt: 0 });
  expect((await world.done("mailbox dequeue worker --json")).stdout).toBe("null\n");
  expect((await world.done("mailbox dequeue worker")).stdout).toBe("");
  const stale = await world.tt("mailbox ack worker m1 --attempt 1 --json");
  expect([stale.code, stale.error()["error"]]).toEqual([5, "attempt_stale"]);
  expect((await world.done("mailbox ack worker m1 --attempt 0 --json")).json()).toEqual({ msg_id: "m1", acked: true });
  expect((await world.done("mailbox peek worker --json")).stdout).toBe("[]\n");
});

it("a message is read as JSON, in either letter case, or its text alone", async () => {
  const world = new CliWorld();
  const input = JSON.stringify({
    msgId: "../m1",
    from: "b/1",
    to: "worker",
    payload: " x \u001b[2J",
    createdAt: 7,
    z: 1,
  });
  await world.done("mailbox enqueue", { input });
  await world.done(`${SEND} m2 --stdin`, { input: "two\nlines" });
  const first = (await world.done("mailbox dequeue worker --json")).json();
  expect(first).toMatchObject({ msg_id: "../m1", payload: " x \u001b[2J", created_at: 7 });
  expect((await world.done("mailbox dequeue worker")).stdout).toBe("m2 from boss, attempt 0\n  two\n  lines\n");
  await world.done(["mailbox", "nack", "worker", "m2", "--reason", "no disk \u001b[2J"]);
  expect((await world.done("mailbox peek worker")).stdout).toBe(
    "in_flight ../m1 from b/1, attempt 0\nnacked    m2 from boss, attempt 0\n",
  );
});

it("of two messages with one id, --from says which is answered", async () => {
  const world = new CliWorld();
  for (const from of ["boss", "chief"]) {
    await world.done(`mailbox enqueue --from ${from} --to worker --msg-id m1 x`);
    await world.done("mailbox dequeue worker");
  }
  const unclear = await world.tt("mailbox ack worker m1 --json");
  expect([unclear.code, unclear.error()["error"]]).toEqual([5, "msg_id_conflict"]);
  expect((await world.done("mailbox ack worker m1 --from chief --json")).json()).toEqual({ msg_id: "m1", acked: true });
  await world.done("mailbox nack worker m1 --from boss --reason busy");
  expect((await world.done("mailbox peek worker")).stdout).toBe("nacked    m1 from boss, attempt 0\n");
});

it("dead letters are shown and purged by themselves", async () => {
  const world = new CliWorld();
  const env = { TT_MAX_RETRIES: "0" };
  await world.done(`${SEND} m1 x`, { env });
  await world.done("mailbox dequeue worker");
  await world.done("mailbox nack worker m1 --reason full");
  expect((await world.done("mailbox peek worker --dead-letters")).stdout).toBe(
    "m1 from boss, attempt 0\n  x\n  gave up after 1: full\n",
  );
  await world.done("mailbox purge worker --yes");
  expect((await world.done("mailbox peek worker --dead-letters")).stdout).not.toBe("No dead letters.\n");
  await world.done("mailbox purge worker --dead-letters --yes");
  expect((await world.done("mailbox peek worker --dead-letters")).stdout).toBe("No dead letters.\n");
});

it("a purge asks a person, and needs --yes where there is none", async () => {
  const world = new CliWorld();
  await world.done(`${SEND} m1 x`);
  expect((await world.tt("mailbox purge worker")).code).toBe(2);
  const refused = await asPerson(world, "mailbox purge worker", { input: "n\n" });
  expect([refused.code, refused.stdout.includes("Nothing was purged.")]).toEqual([0, true]);
  expect((await world.done("mailbox peek worker")).stdout).toContain("pending   m1");
  const agreed = await asPerson(world, "mailbox purge worker", { input: "y\n" });
  expect([agreed.code, agreed.stdout.includes("Purged the messages of worker.")]).toEqual([0, true]);
  expect((await world.done("mailbox peek worker")).stdout).toBe("No messages.\n");
});

/** Two sessions, and mail for the second. */
async function twoSessions() {
  const world = new CliWorld();
  const claude = { env: { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "s-1" }, who: "claude" };
  await world.done("join", { as: "me:b" });
  const own = (await world.done("join", claude)).json()["agent_id"] as string;
  await world.done("msg send me:b secret", claude);
  await world.done(["msg", "send", own, "answer"], { as: "me:b" });
  return { world, claude, own };
}

it("inside a session another's mailbox is neither read, nor answered for, nor purged, and nobody's name is forged", async () => {
  const { world, claude, own } = await twoSessions();
  const before = dumpDatabase(world.database).tables;
  const id = (await world.done("mailbox peek me:b --json")).stdout.match(/"msg_id":"([^"]+)"/)?.[1] ?? "";
  const forged = JSON.stringify({ msg_id: "f1", from: "me:b", to: own, payload: "forged" });
  for (const [line, input] of [
    ["mailbox dequeue me:b"],
    [`mailbox ack me:b ${id}`],
    [`mailbox nack me:b ${id} --reason x`],
    ["mailbox purge me:b --yes"],
    ["mailbox purge me:b --dead-letters --yes"],
    [`mailbox purge ${own} --yes`],
    ["mailbox enqueue --from me:b --to x forged"],
    [`mailbox enqueue --from ${PERSON} --to me:b forged`],
    ["mailbox enqueue", forged],
    ["mailbox dequeue human:nobody"],
  ] as const) {
    const outcome = await world.tt(line, { ...claude, ...(input !== undefined && { input }) });
    expect([line, outcome.code, outcome.error()]).toMatchObject([line, 5, { error: "not_authorized" }]);
    expect(outcome.error()["next"]).toMatch(/\w/);
  }
  expect(dumpDatabase(world.database).tables).toEqual(before);
});

it("inside a session its own mailbox and those of nobody are free", async () => {
  const { world, claude, own } = await twoSessions();
  const taken = (await world.done(`mailbox dequeue ${own}`, claude)).json();
  expect(taken).toMatchObject({ from: "me:b", payload: "answer" });
  await world.done(["mailbox", "ack", own, String(taken["msg_id"])], claude);
  await world.done(`${SEND} m1 x`, claude);
  expect((await world.done("mailbox dequeue worker", claude)).json()).toMatchObject({ from: "boss", payload: "x" });
  await world.done("mailbox purge worker --yes", claude);
  expect((await world.done("mailbox enqueue --to me:b mine", claude)).json()).toMatchObject({ queued: true });
});

it("an agent's mailbox is purged by a person, and by nothing else", async () => {
  const { world } = await twoSessions();
  const script = await world.tt("mailbox purge me:b --yes --json", { as: "me:b" });
  expect([script.code, script.error()["error"]]).toEqual([5, "not_authorized"]);
  expect((await asPerson(world, "mailbox purge me:b --yes --json")).json()).toEqual({ purged: true });
  expect((await world.done("mailbox peek me:b --json")).stdout).toBe("[]\n");
});

it.each([
  ["mailbox", 2, ""],
  ["mailbox dequeu worker", 2, ""],
  ["mailbox dequeue", 2, ""],
  ["mailbox dequeue a b", 2, ""],
  ["mailbox ack worker", 2, ""],
  ["mailbox nack worker m1", 2, ""],
  ["mailbox enqueue --to worker", 2, ""],
  ["mailbox enqueue hello", 2, ""],
  ["mailbox enqueue --to worker --stdin hello", 2, ""],
  ["mailbox peek worker --room r", 2, ""],
  ["mailbox enqueue", 5, ""],
  ["mailbox enqueue", 5, "[1"],
  ["mailbox enqueue", 5, "[]"],
  ["mailbox enqueue", 5, '{"error":"x","next":"y","facts":{}}'],
  ["mailbox enqueue --from a --to room x", 5, ""],
  ["mailbox enqueue --from a --to b --stdin", 5, "x".repeat(8193)],
  ["mailbox ack worker m1", 5, ""],
])("tt %s ends with %i", async (line, code, input) => {
  const world = new CliWorld();
  const outcome = await world.tt(`${line} --json`, { input });
  expect([outcome.code, outcome.stdout, typeof outcome.error()["next"]]).toEqual([code, "", "string"]);
});
