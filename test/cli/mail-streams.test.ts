/** `tt msg recv --follow`: whatever happens to a reader, no message is lost, and none comes twice without saying so. */
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { CliWorld } from "./support/cli-world.ts";
import { type Running, upTo } from "./support/running.ts";
import { type Writer, writerIn } from "./support/writer.ts";

const B = { as: "b:2" };

async function mailWorld(env: Record<string, string> = {}): Promise<{ world: CliWorld; writer: Writer }> {
  const world = new CliWorld();
  await world.done("join", { ...B, env });
  return { world, writer: await writerIn(world) };
}

function messagesOf({ records }: Running): readonly Record<string, unknown>[] {
  return records.filter((record) => "message_id" in record);
}

function idsOf(running: Running): unknown[] {
  return messagesOf(running).map((message) => message["message_id"]);
}

async function stopped(running: Running): Promise<void> {
  running.kill("SIGTERM");
  expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
}

it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s ends the stream with its cursor and exit 0", async (signal) => {
  const { world, writer } = await mailWorld();
  const following = world.start("msg recv --follow --json", B);
  const id = await writer.message("b:2", "one");
  await following.until(() => idsOf(following).length === 1);
  expect(idsOf(following)).toEqual([id]);
  following.kill(signal);
  expect(await following.ended).toMatchObject({ code: 0, stderr: "" });
  const seq = messagesOf(following)[0]?.["delivery_seq"];
  expect(following.records.at(-1)).toEqual({ type: "cursor", cursor_delivery_seq: seq });
  expect((await world.done("msg recv --json", B)).json()).toMatchObject({ count: 0 });
});

it("much mail is announced before it comes, oldest first", async () => {
  const { world, writer } = await mailWorld();
  const ids = [];
  for (const index of upTo(21)) ids.push(await writer.message("b:2", `message ${index}`));
  const following = world.start("msg recv --follow --json", B);
  await following.until(() => idsOf(following).length === 21);
  expect(following.records[0]).toEqual({ type: "summary", pending: 21 });
  expect(idsOf(following)).toEqual(ids);
  await stopped(following);
});

it("a stream of one sender's mail announces that sender's mail and no other's", async () => {
  const { world, writer } = await mailWorld();
  const other = await writerIn(world, "c:3");
  for (const index of upTo(22)) await writer.message("b:2", `message ${index}`);
  for (const index of upTo(21)) await other.message("b:2", `other ${index}`);
  const following = world.start("msg recv --follow --from c:3 --json", B);
  await following.until(() => idsOf(following).length === 21);
  expect(following.records[0]).toEqual({ type: "summary", pending: 21 });
  await stopped(following);
  const peeking = world.start("msg recv --follow --peek --from c:3 --json --timeout 300ms", B);
  await peeking.ended;
  expect(peeking.records).toEqual([{ type: "cursor", cursor_delivery_seq: 0 }]);
});

it("a stream whose time is up looks once more, and what it finds is read", async () => {
  const { world, writer } = await mailWorld();
  const ids = [];
  for (const index of upTo(3)) ids.push(await writer.message("b:2", `message ${index}`));
  // So short that the time is up when the first message is out.
  const following = world.start("msg recv --follow --timeout 1ms --json", B);
  expect(await following.ended).toMatchObject({ code: 0, stderr: "" });
  expect(idsOf(following)).toEqual(ids);
  const seq = messagesOf(following)[2]?.["delivery_seq"];
  expect(following.records.at(-1)).toEqual({ type: "cursor", cursor_delivery_seq: seq });
  expect((await world.done("msg recv --json", B)).json()).toMatchObject({ count: 0 });
});

it("two readers of one mailbox never both get a message as new", async () => {
  const { world, writer } = await mailWorld();
  const readers = [1, 2].map(() => world.start("msg recv --follow --json", B));
  const ids: string[] = [];
  const taken: Record<string, unknown>[] = [];
  for (const round of upTo(6)) {
    for (const index of upTo(10)) ids.push(await writer.message("b:2", `message ${round}.${index}`));
    taken.push(...((await world.done("msg recv --json", B)).json()["messages"] as Record<string, unknown>[]));
  }
  await world.until("msg recv --json --peek", (outcome) => outcome.json()["count"] === 0, B);
  await Promise.all(readers.map(stopped));
  const shown = [...readers.flatMap(messagesOf), ...taken];
  expect(shown.every(({ attempt }) => attempt === 1)).toBe(true);
  expect(shown.map(({ message_id }) => String(message_id)).toSorted()).toEqual(ids.toSorted());
});

it("a reader that is killed between printing and acknowledging is shown that message again", async () => {
  const { world, writer } = await mailWorld({ TT_INFLIGHT_TIMEOUT_MS: "1000", TT_BASE_BACKOFF_MS: "0" });
  const ids: string[] = [];
  for (const index of upTo(60)) ids.push(await writer.message("b:2", `${index} ${"x".repeat(8000)}`));
  const reader = world.start("msg recv --follow --json", B);
  await reader.until(() => idsOf(reader).length >= 1);
  // Nobody reads on: the pipe fills up, and a line stands half in it.
  reader.child.stdout?.pause();
  const stuck = await untilStuck(world);
  reader.kill("SIGKILL");
  reader.child.stdout?.resume();
  await reader.ended;
  const again = world.start("msg recv --follow --json", B);
  await again.until(() => idsOf(again).length + idsOf(reader).length >= 60);
  expect(messagesOf(again)[0]).toMatchObject({ message_id: stuck, attempt: 2 });
  expect(
    messagesOf(again)
      .slice(1)
      .every(({ attempt }) => attempt === 1),
  ).toBe(true);
  expect(new Set([...idsOf(reader), ...idsOf(again)])).toEqual(new Set(ids));
  await stopped(again);
});

it("a slow reader keeps its message for as long as it likes, and holds up nobody", async () => {
  const { world, writer } = await mailWorld({ TT_INFLIGHT_TIMEOUT_MS: "1000", TT_MAX_RETRIES: "0" });
  for (const index of upTo(60)) await writer.message("b:2", `${index} ${"x".repeat(8000)}`);
  const reader = world.start("msg recv --follow --json", B);
  await reader.until(() => idsOf(reader).length >= 1);
  reader.child.stdout?.pause();
  const stuck = await untilStuck(world);
  // Long enough for every deadline that nobody extends to pass.
  await setTimeout(3000);
  expect(await inFlight(world)).toBe(stuck);
  await writer.message("b:2", "while it sleeps");
  reader.child.stdout?.resume();
  await reader.until(({ stdout }) => stdout.includes("while it sleeps"));
  await stopped(reader);
  expect(messagesOf(reader)).toHaveLength(61);
  expect(messagesOf(reader).every(({ attempt }) => attempt === 1)).toBe(true);
  expect((await world.done("dlq list --json", B)).json()).toMatchObject({ dead_letters: [], has_more: false });
});

it("a slow reader of tt listen keeps its mail for as long as it likes", async () => {
  const { world, writer } = await mailWorld({ TT_INFLIGHT_TIMEOUT_MS: "1000", TT_MAX_RETRIES: "0" });
  // Escaped they are six times as long: more than a pipe holds.
  for (const _ of upTo(8)) await writer.message("b:2", "\u0001".repeat(8000));
  const listening = world.start("listen --json", B);
  listening.child.stdout?.pause();
  await world.until("msg recv --peek --json", (outcome) => outcome.stdout.includes('"in_flight"'), B);
  // Long enough for every deadline that nobody extends to pass.
  await setTimeout(3000);
  listening.child.stdout?.resume();
  expect((await listening.ended).code).toBe(0);
  expect((await world.done("dlq list --json", B)).json()).toMatchObject({ dead_letters: [] });
  expect((await world.done("msg recv --json", B)).json()).toMatchObject({ count: 0 });
  expect(listening.records).toMatchObject([{ status: "messages", messages: upTo(8).map(() => ({ attempt: 1 })) }]);
});

it.each(["--json", "--text"])("a reader that closes the pipe ends the stream and loses nothing (%s)", async (form) => {
  const { world, writer } = await mailWorld();
  const through = ["bash", "-c", '"$@" | head -1; exit ${PIPESTATUS[0]}', "bash"];
  const piped = world.start(`msg recv --follow ${form}`, { ...B, through });
  while (!piped.isOver) await writer.message("b:2", "more");
  const { code, stderr, stdout } = await piped.ended;
  expect([code, stderr, stdout.split("\n").length]).toEqual([0, "", 2]);
  const attempts: unknown[] = [];
  for (let left = 1; left > 0; ) {
    const answer = (await world.done("msg recv --json --wait --timeout 50s", B)).json();
    attempts.push(...(answer["messages"] as Record<string, unknown>[]).map(({ attempt }) => attempt));
    left = answer["remaining"] as number;
  }
  // The one that it could not get rid of, and nothing else, comes again.
  expect([attempts[0], new Set(attempts.slice(1))]).toEqual([2, new Set(attempts.length > 1 ? [1] : [])]);
});

/** Runs a line into a pipe whose reader has gone. */
const INTO_CLOSED_PIPE = ["bash", "-c", 'exec 3> >(exec true); wait $!; "$@" >&3', "bash"];
const INTO_FULL_DISK = ["bash", "-c", '"$@" >/dev/full', "bash"];

async function deliveryOf(world: CliWorld, id: string) {
  const trace = (await world.done(["msg", "trace", id, "--json"])).json() as {
    deliveries: [{ state: string; attempts: { outcome: string }[] }];
  };
  const [{ state, attempts }] = trace.deliveries;
  return [state, attempts.map(({ outcome }) => outcome)];
}

it.each(["msg recv --json", "msg recv --text", "msg recv --wait", "msg recv --follow", "listen"])(
  "what %s cannot write because nobody reads goes back at once, however often",
  async (line) => {
    const { world, writer } = await mailWorld({ TT_MAX_RETRIES: "0" });
    const id = await writer.message("b:2", "hello");
    for (const times of upTo(3)) {
      const { code, stderr } = await world.tt(line, { ...B, through: INTO_CLOSED_PIPE });
      expect([code, stderr]).toEqual([0, ""]);
      expect(await deliveryOf(world, id)).toEqual(["pending", upTo(times).map(() => "given_back")]);
    }
    expect((await world.done("msg recv --json", B)).json()).toMatchObject({
      messages: [{ body: "hello", attempt: 4 }],
    });
  },
);

it("what cannot be written because the disk is full goes back at once", async () => {
  const { world, writer } = await mailWorld({ TT_MAX_RETRIES: "0" });
  const id = await writer.message("b:2", "hello");
  const full = await world.tt("msg recv --json", { ...B, through: INTO_FULL_DISK });
  expect([full.code, full.error()]).toEqual([70, expect.objectContaining({ error: "output_failed", code: "ENOSPC" })]);
  expect(await deliveryOf(world, id)).toEqual(["pending", ["given_back"]]);
});

it("a reply that tt ask cannot write comes by the ordinary doors at once", async () => {
  const { world } = await mailWorld();
  await world.done("join", { as: "a:1" });
  const asking = world.start("ask b:2 which port? --json --timeout 50s", { as: "a:1", through: INTO_CLOSED_PIPE });
  const asked = (await world.done("msg recv --wait --timeout 50s --json", B)).json();
  const [{ message_id: id }] = asked["messages"] as [{ message_id: string }];
  await world.done(["reply", id, "8080"], B);
  expect(await asking.ended).toMatchObject({ code: 0, stderr: "" });
  expect((await world.done("msg recv --json", { as: "a:1" })).json()).toMatchObject({ messages: [{ body: "8080" }] });
});

it("a peeked stream shows the same and takes nothing; after a cursor it goes on exactly there", async () => {
  const { world, writer } = await mailWorld();
  const ids = [];
  for (const index of upTo(3)) ids.push(await writer.message("b:2", `message ${index}`));
  const peeking = world.start("msg recv --follow --peek --json", B);
  await peeking.until(() => idsOf(peeking).length === 3);
  ids.push(await writer.message("b:2", "message 4"));
  await peeking.until(() => idsOf(peeking).length === 4);
  await stopped(peeking);
  const cursor = (peeking.records.at(-1) as { cursor_delivery_seq: number }).cursor_delivery_seq;
  expect((await world.done("msg recv --json", B)).json()).toMatchObject({ count: 4, remaining: 0 });
  const replay = world.start(`msg recv --follow --after ${cursor - 2} --json --timeout 50s`, B);
  await replay.until(() => idsOf(replay).length === 2);
  ids.push(await writer.message("b:2", "message 5"));
  await replay.until(() => idsOf(replay).length === 3);
  await stopped(replay);
  expect([...idsOf(peeking), ...idsOf(replay).slice(2)]).toEqual(ids);
});

it("a stream from a cursor passes over what was pruned, however much, and shows what came after it", async () => {
  const { world, writer } = await mailWorld();
  for (const index of upTo(60)) await writer.message("b:2", `old ${index}`);
  await world.done("msg recv --json", B);
  await world.done("msg recv --json", B);
  await writer.leave();
  await world.done("leave", B);
  await world.until("prune --idle 1s --yes --json", ({ stdout }) => stdout.includes('"pruned":true'));
  await world.done("join", B);
  const following = world.start("msg recv --follow --after 0 --json", B);
  await following.untilInterruptible();
  const again = await writerIn(world);
  const ids = [await again.message("b:2", "new 1"), await again.message("b:2", "new 2")];
  await following.until(() => idsOf(following).length === 2);
  expect(idsOf(following)).toEqual(ids);
  await stopped(following);
});

it("a person is told by which command a stream goes on", async () => {
  const { world, writer } = await mailWorld();
  await writer.message("b:2", "hello");
  const lastLine = async (line: string, who = B) => (await world.done(line, who)).stdout.trimEnd().split("\n").at(-1);
  const peeked = await lastLine("msg recv --follow --peek --timeout 300ms");
  expect(peeked).toMatch(/^Go on with: tt msg recv --follow --after \d+$/);
  expect(await lastLine("msg recv --follow --from a:1 --timeout 300ms")).toBe(
    "Go on with: tt msg recv --follow --from a:1",
  );
  const nothing = await lastLine("msg recv --follow --peek --timeout 1ms", { as: "c:3" });
  expect(nothing).toBe("Go on with: tt msg recv --follow --peek");
});

it("a person is told of mail that can be read next, and of mail that cannot be read yet", async () => {
  const { world, writer } = await mailWorld({ TT_INFLIGHT_TIMEOUT_MS: "600000" });
  const other = await writerIn(world, "c:3");
  await other.message("b:2", "taken elsewhere");
  await world.done("mailbox dequeue b:2");
  const lastLine = async (line: string) => (await world.done(line, B)).stdout.trimEnd().split("\n").at(-1);
  const waits = "1 more cannot be read yet. Wait for it with: tt msg recv --wait";
  for (const [line, told] of [
    ["msg recv", waits],
    ["msg recv --limit 1", waits],
    ["msg recv --wait", waits],
    ["listen", waits],
  ] as const) {
    await writer.message("b:2", "hello");
    expect([line, await lastLine(line)]).toEqual([line, told]);
  }
  for (const _ of upTo(2)) await writer.message("b:2", "hello");
  expect(await lastLine("msg recv --limit 1")).toBe("2 more: tt msg recv");
  expect(await lastLine("msg recv")).toBe(waits);
});

it("--wait ends with the first messages or when its time is up, and tells senders that it is there", async () => {
  const { world, writer } = await mailWorld();
  expect((await world.tt("msg recv --wait --timeout 1ms --json", B)).code).toBe(3);
  const waiting = world.start("msg recv --wait --json", B);
  await world.untilReachable("b:2");
  expect((await world.done("msg send b:2 --wake hello --json", { as: "a:1" })).stdout).toContain("receiver_live");
  expect((await waiting.ended).code).toBe(0);
  await writer.message("b:2", "unread");
  const follows = await world.tt("msg recv --follow --timeout 300ms --json", B);
  expect([follows.code, follows.stdout]).toEqual([0, expect.stringContaining('{"type":"cursor"')]);
});

/** The message that the reader cannot get rid of: the same one in flight for many looks. */
async function untilStuck(world: CliWorld): Promise<unknown> {
  for (let last: unknown = null, same = 0; ; ) {
    const id = await inFlight(world);
    same = id !== undefined && id === last ? same + 1 : 0;
    last = id;
    if (same === 3) return id;
  }
}

async function inFlight(world: CliWorld): Promise<unknown> {
  const { messages } = (await world.done("msg recv --peek --json", B)).json() as {
    messages: Record<string, unknown>[];
  };
  return messages.find(({ state }) => state === "in_flight")?.["message_id"];
}
