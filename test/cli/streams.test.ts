/** `tt events --follow` and `--wait`: nothing is lost, doubled or out of order, whatever the reader does. */
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { CliWorld } from "./support/cli-world.ts";
import { seqs, upTo } from "./support/running.ts";
import { writerIn } from "./support/writer.ts";

const seen = (text: string) => (written: { stdout: string }) => written.stdout.includes(text);

it("the cursor of a stream is the last event that was looked at, though none matched", async () => {
  const world = new CliWorld();
  const writer = await writerIn(world);
  for (const index of upTo(5)) await writer.note(`note ${index}`);
  expect((await world.tt("events --follow --after 1 --event takeover --timeout 200ms --json")).json()).toEqual({
    type: "cursor",
    cursor_event_seq: 6,
  });
  expect(
    (await world.tt("events --follow --after 1 --event claim,note_added --timeout 200ms --json")).stdout,
  ).toContain('{"type":"cursor","cursor_event_seq":6}');
});

it("every event is one line that comes at once, and the last line is the cursor", async () => {
  const world = new CliWorld();
  const writer = await writerIn(world);
  const following = world.start("events --follow --after 0 --json");
  await following.until(seen("member_joined"));
  for (const body of ["one", "two", "three"]) {
    await writer.note(body);
    await following.until(seen(`"preview":"${body}"`));
    expect(following.stdout.endsWith("\n")).toBe(true);
  }
  following.kill("SIGTERM");
  const { code, stderr } = await following.ended;
  expect([code, stderr]).toEqual([0, ""]);
  expect(seqs(following)).toEqual([1, 2, 3, 4]);
  expect(following.records.at(-1)).toEqual({ type: "cursor", cursor_event_seq: 4 });
});

it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "%s ends a stream with its cursor, also before any event",
  async (signal) => {
    const world = new CliWorld();
    const writer = await writerIn(world);
    await writer.note("before");
    const following = world.start("events --follow --json");
    await following.untilInterruptible();
    following.kill(signal);
    expect(await following.ended).toMatchObject({
      code: 0,
      stdout: '{"type":"cursor","cursor_event_seq":2}\n',
      stderr: "",
    });
  },
);

it("a stream whose time is up ends like one that was stopped", async () => {
  const world = new CliWorld();
  const writer = await writerIn(world);
  await writer.note("before");
  expect(await world.tt("events --follow --json --timeout 200ms")).toMatchObject({
    code: 0,
    stdout: '{"type":"cursor","cursor_event_seq":2}\n',
    stderr: "",
  });
  const following = await world.tt("events --follow --json --after 0 --timeout 200ms");
  expect([following.code, following.stdout.split("\n").length - 1]).toEqual([0, 3]);
});

it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "%s ends a wait for events as its timeout does: nothing yet, and the cursor to go on from",
  async (signal) => {
    const world = new CliWorld();
    await writerIn(world);
    const waiting = world.start("events --wait --target any --json");
    await waiting.untilInterruptible();
    waiting.kill(signal);
    expect(await waiting.ended).toMatchObject({ code: 3, stdout: '{"events":[],"cursor_event_seq":1}\n', stderr: "" });
  },
);

it("a filter without a cursor gives the newest that match, after a cursor the next", async () => {
  const world = new CliWorld();
  const writer = await writerIn(world);
  for (const index of upTo(120)) await writer.note(`note ${index}`);
  const found = async (line: string) => {
    const { events, cursor_event_seq: cursor } = (await world.done(`events --json ${line}`)).json() as {
      events: { event_seq: number }[];
      cursor_event_seq: number;
    };
    return [events.at(0)?.event_seq, events.at(-1)?.event_seq, events.length, cursor];
  };
  expect(await found("--event note_added")).toEqual([72, 121, 50, 121]);
  expect(await found("--event note_added --limit 2")).toEqual([120, 121, 2, 121]);
  expect(await found("--event note_added --after 10")).toEqual([11, 110, 100, 110]);
  expect(await found("--event member_joined,claim")).toEqual([1, 1, 1, 121]);
});

it("a stream that was stopped goes on exactly after its cursor", async () => {
  const world = new CliWorld();
  const writer = await writerIn(world);
  const found: unknown[] = [];
  let cursor = 0;
  for (const round of upTo(4)) {
    for (const index of upTo(5)) await writer.note(`${round}.${index}`);
    const following = world.start(`events --follow --json --after ${cursor}`);
    await following.until(() => seqs(following).length >= 3);
    following.kill("SIGTERM");
    await following.ended;
    found.push(...seqs(following));
    cursor = following.records.at(-1)?.["cursor_event_seq"] as number;
    expect(cursor).toBe(found.at(-1));
  }
  expect(found).toEqual(upTo(cursor));
});

it("a stream that is stopped while its reader sleeps tells how far it really came", async () => {
  const world = new CliWorld();
  const writer = await writerIn(world);
  const following = world.start("events --follow --after 0 --json");
  await following.until(seen("member_joined"));
  following.child.stdout?.pause();
  for (const _ of upTo(100)) await writer.turn(10_000);
  following.kill("SIGTERM");
  following.child.stdout?.resume();
  expect((await following.ended).code).toBe(0);
  const cursor = following.records.at(-1)?.["cursor_event_seq"] as number;
  expect(cursor).toBeLessThan(201);
  expect(seqs(following)).toEqual(upTo(cursor));
  const rest = world.start(`events --follow --json --after ${cursor}`);
  await rest.until(seen('"event_seq":201,'));
  rest.kill("SIGTERM");
  await rest.ended;
  expect(seqs(rest)).toEqual(upTo(201, cursor + 1));
});

it.each(["--json", "--text"])(
  "a reader that closes the pipe ends the stream: no error, no words (%s)",
  async (form) => {
    const world = new CliWorld();
    const writer = await writerIn(world);
    for (const index of upTo(20)) await writer.note(`note ${index}`);
    const through = ["bash", "-c", '"$@" | head -1; exit ${PIPESTATUS[0]}', "bash"];
    const piped = world.start(`events --follow --after 0 ${form}`, { through });
    await piped.until(seen("\n"));
    // A stream that waits notices the closed pipe when it next has something to say.
    while (!piped.isOver) await writer.note("more");
    const { code, stdout, stderr } = await piped.ended;
    expect([code, stderr, stdout.split("\n").length]).toEqual([0, "", 2]);
  },
);

it("export into a closed pipe ends quietly, too", async () => {
  const world = new CliWorld();
  const writer = await writerIn(world);
  for (const index of upTo(300)) await writer.note(`${index} ${"x".repeat(1000)}`);
  const through = ["bash", "-c", '"$@" | head -1; exit ${PIPESTATUS[0]}', "bash"];
  const { code, stderr, stdout } = await world.start("export", { through }).ended;
  expect([code, stderr, stdout.split("\n").length]).toEqual([0, "", 2]);
});

it("--wait ends with the first batch, and starts from now unless told", async () => {
  const world = new CliWorld();
  const writer = await writerIn(world);
  await writer.note("old");
  const past = await world.tt("events --wait --target any --after 1 --json");
  expect([past.code, past.json()["cursor_event_seq"]]).toEqual([0, 2]);
  const waiting = world.start("events --wait --target any --json --timeout 50s --event note_added");
  // It begins to wait at a moment that nobody sees. What was written before that is not new to it.
  const ended = waiting.ended.then(({ code }) => [code]);
  const notYet = async (): Promise<[]> => {
    await writer.note("new");
    return setTimeout(20, []);
  };
  let code: number | null | undefined;
  while (code === undefined) [code] = await Promise.race([ended, notYet()]);
  const [{ events } = { events: [] }] = waiting.records as unknown as { events: { payload: { preview: string } }[] }[];
  expect([code, [...new Set(events.map(({ payload }) => payload.preview))]]).toEqual([0, ["new"]]);
});

it("filters choose by type, by author and by the agent it concerns", async () => {
  const world = new CliWorld();
  const writer = await writerIn(world);
  await writer.note("hello");
  await world.done("try", { as: "a:1" });
  await world.tt("wait --timeout 1ms", { as: "b:2" });
  await world.done("release --status x --next-action y", { as: "a:1" });
  const types = async (line: string, as?: string) => {
    const { events } = (await world.done(`events --json ${line}`, as === undefined ? {} : { as })).json() as {
      events: { event_type: string }[];
    };
    return events.map((event) => event.event_type).join(" ");
  };
  expect(await types("--event note_added,claim")).toBe("note_added claim");
  expect(await types("--event claim --event release")).toBe("claim release");
  expect(await types("--from a:1")).toBe("member_joined claim release");
  expect(await types("--target b:2")).toBe("release");
  expect(await types("--target self", "b:2")).toBe("release");
  expect(await types("--target b")).toBe("release");
  expect(await types("--from a")).toBe("member_joined claim release");
  for (const flag of ["--target", "--from"]) {
    for (const name of ["nobody", "b:abcd12"]) {
      const unknown = await world.tt(`events ${flag} ${name} --json`);
      expect([unknown.code, unknown.error()["error"]]).toEqual([5, "unknown_recipient"]);
      expect(unknown.error()["candidates"]).toContain("a (a:1)");
    }
  }
  expect(await types("--wait --after 0", "b:2")).toBe("release");
  expect((await world.tt("events --wait --after 0 --json")).error()).toMatchObject({ error: "agent_id_required" });
  expect(await types("--target any")).toBe("member_joined note_added member_joined claim member_joined release");
});
