/** The command that is printed below a message answers it, wherever it was read and whichever agent has sent it. */
import { expect, it } from "vitest";
import { makeRepository } from "../support/git-repository.ts";
import { asPerson, type CliWorld, PERSON, type RunOptions, worldOfTwo } from "./support/cli-world.ts";

const A = { as: "a:1" };
const B = { as: "b:2" };

/** Reads the mail as text and does what its last line says. */
async function answered(world: CliWorld, options: RunOptions, text = "8080") {
  const { stdout } = await world.done("msg recv", options);
  const id = /^└ answer: tt reply (\S+) "…"$/m.exec(stdout)?.[1] as string;
  return world.tt(["reply", id, text, "--json"], options);
}

it("from another project", async () => {
  const world = await worldOfTwo();
  const cwd = world.directory("elsewhere");
  makeRepository(cwd);
  await world.done("join", { ...B, cwd });
  await world.done("msg send b:2 which port?", A);
  expect((await answered(world, { ...B, cwd })).json()).toMatchObject({ deliveries: [{ to: "a:1" }] });
  expect((await world.done("msg recv --json", A)).json()).toMatchObject({ messages: [{ body: "8080" }] });
});

it("to a sender of the mailbox protocol, whose mail can be read by its name", async () => {
  const world = await worldOfTwo();
  const none = await world.tt("msg recv --from boss --json", B);
  expect([none.code, none.error()]).toEqual([5, expect.objectContaining({ error: "unknown_recipient" })]);
  await world.done("mailbox enqueue --from boss --to b:2 report");
  await world.done("msg send b:2 other talk", A);
  expect((await world.done("msg recv --from boss --peek --json", B)).json()).toMatchObject({
    messages: [{ body: "report", from: "boss" }],
  });
  expect((await answered(world, B, "done")).json()).toMatchObject({ deliveries: [{ to: "boss" }] });
  expect((await world.done("msg recv --from boss --after 0 --json", B)).json()).toMatchObject({
    messages: [{ body: "report", state: "acked" }],
  });
  expect((await world.done("mailbox dequeue boss --json")).json()).toMatchObject({ payload: "done" });
});

it("to a sender that has left the room", async () => {
  const world = await worldOfTwo();
  await world.done("msg send b:2 which port?", A);
  await world.done("leave", A);
  expect((await answered(world, B)).json()).toMatchObject({ deliveries: [{ to: "a:1", will_be_seen: "unknown" }] });
  expect((await world.done("msg recv --json", A)).json()).toMatchObject({ messages: [{ body: "8080" }] });
});

it("without an id, to the only question: also when its asker has stopped waiting", async () => {
  const world = await worldOfTwo();
  expect((await world.tt("ask b:2 which port? --timeout 1ms", A)).code).toBe(3);
  const told = await world.done(["reply", "port 8080"], B);
  expect(told.stdout).toMatch(/^You answer a, who asked:\n│ which port\?\nSent\.\n/);
  expect((await world.done("msg recv --json", A)).json()).toMatchObject({
    messages: [{ body: "port 8080", late: true }],
  });
  // It need not be read after that.
  expect((await world.done("msg recv --json", B)).json()).toMatchObject({ messages: [], remaining: 0 });
  const again = await world.tt(["reply", "port 8080"], B);
  expect([again.code, again.stderr]).toEqual([5, expect.stringContaining("Nobody has an open question to you.")]);
});

it("without an id, to an asker that waits", async () => {
  const world = await worldOfTwo();
  const asked = world.start("ask b:2 which port? --timeout 2m --json", A);
  await world.until(["reply", "8080", "--json"], ({ code }) => code === 0, B);
  expect(JSON.parse((await asked.ended).stdout)).toMatchObject({ reply: { body: "8080" }, correlation: "correlated" });
});

it("without an id, to nobody while several ask", async () => {
  const world = await worldOfTwo();
  await world.tt("ask b:2 which port? --timeout 1ms", A);
  await world.done("join", { as: "c:3" });
  await world.tt("ask b:2 which host? --timeout 1ms", { as: "c:3" });
  const { code, stdout, stderr } = await world.tt(["reply", "8080"], B);
  expect([code, stdout]).toEqual([5, ""]);
  expect(stderr).toMatch(/^tt: 2 questions wait for your answer\. Nothing was sent\.$/m);
  expect(stderr).toMatch(/^ +\S+ a: which port\?$/m);
  expect(stderr).toMatch(/^ +\S+ c: which host\?$/m);
  const { error, candidates } = (await world.tt(["reply", "8080", "--json"], B)).error();
  expect(error).toBe("ambiguous_id");
  const [first] = candidates as string[];
  await world.done(["reply", first as string, "8080"], B);
  // The other one is the only one now.
  expect((await world.done(["reply", "localhost", "--json"], B)).json()).toMatchObject({ deliveries: [{ to: "c:3" }] });
});

it("without an id, not to an asker that has left", async () => {
  const world = await worldOfTwo();
  await world.tt("ask b:2 which port? --timeout 1ms", A);
  await world.done("leave", A);
  expect((await world.tt(["reply", "8080"], B)).code).toBe(5);
});

it("of several words the first is an id, and an answer without quotes is told so", async () => {
  const world = await worldOfTwo();
  await world.tt("ask b:2 which port? --timeout 1ms", A);
  const { code, stderr } = await world.tt("reply yes please", B);
  expect([code, stderr]).toEqual([5, expect.stringContaining("The first of several words is an id.")]);
  const input = await world.tt("reply --stdin --json", { ...B, input: "yes\nplease" });
  expect(input.json()).toMatchObject({ deliveries: [{ to: "a:1" }] });
  expect((await world.done("msg recv --json", A)).json()).toMatchObject({ messages: [{ body: "yes\nplease" }] });
});

it("an id without a text is no answer, however much of the id is given", async () => {
  const world = await worldOfTwo();
  await world.tt("ask b:2 which port? --timeout 1ms", A);
  const { messages } = (await world.done("msg recv --json", B)).json() as { messages: { message_id: string }[] };
  const id = messages[0]?.message_id as string;
  for (const word of [id, id.slice(0, 8), id.slice(0, 4)]) {
    const { code, stderr } = await world.tt(["reply", word], B);
    expect([code, stderr]).toEqual([2, expect.stringContaining("There is no text to send.")]);
  }
  expect((await world.done("msg recv --json", A)).json()).toMatchObject({ messages: [] });
  await world.done(["reply", id.slice(0, 3)], B);
  expect((await world.done("msg recv --json", A)).json()).toMatchObject({ messages: [{ body: id.slice(0, 3) }] });
});

it("a person's message to an asker that has stopped waiting is an answer, too", async () => {
  const world = await worldOfTwo();
  await asPerson(world, "join");
  await world.tt(`ask ${PERSON} which port? --timeout 1ms`, A);
  await asPerson(world, "msg recv");
  const id = (await world.done("log --event message_sent --json")).json() as { events: { event_id: string }[] };
  const short = id.events[0]?.event_id.slice(0, 8) as string;
  expect((await asPerson(world, "")).stdout).toContain(`Next: tt reply ${short}`);
  expect((await asPerson(world, "why --json")).json()).toMatchObject({
    stuck: false,
    reason: { kind: "unanswered" },
    command: expect.stringContaining("tt reply"),
  });
  await asPerson(world, "msg send a 8080");
  expect((await asPerson(world, "why --json")).json()).toMatchObject({ stuck: false, reason: { kind: "free" } });
  await world.tt(`ask ${PERSON} which host? --timeout 1ms`, A);
  expect((await asPerson(world, ["reply", "localhost"])).stdout).toContain("which host?");
});
