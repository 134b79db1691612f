/** `tt ask`: one question, its one answer, and what happens when that does not come. */
import { expect, it } from "vitest";
import { type CliWorld, worldOfTwo } from "./support/cli-world.ts";

const A = { as: "a:1" };
const B = { as: "b:2" };

/** Reads the question and tells its id. */
async function question(world: CliWorld): Promise<string> {
  const { messages } = (await world.done("msg recv --wait --timeout 50s --json", B)).json() as {
    messages: Record<string, string>[];
  };
  expect(messages).toMatchObject([{ kind: "ask", body: "which port?", from: "a:1" }]);
  return messages[0]?.["message_id"] as string;
}

it("a question is answered by another process, whatever else that one says", async () => {
  const world = await worldOfTwo();
  const asking = world.start(["ask", "b", "which port?", "--json", "--timeout", "50s"], A);
  const id = await question(world);
  expect((await world.done("--json", B)).json()).toMatchObject({
    asked: [{ message_id: id, from: "a:1", is_read: true }],
    next: `tt reply ${id} "…"`,
  });
  await world.done("msg send a:1 other talk", B);
  const replied = await world.done(["reply", id, "--stdin", "--json"], { ...B, input: " 8080\n" });
  expect(replied.json()).toMatchObject({ deliveries: [{ to: "a:1", will_be_seen: "now" }] });
  expect(await asking.ended).toMatchObject({ code: 0, stderr: "" });
  expect(asking.records).toMatchObject([
    {
      message_id: id,
      request_id: id,
      reply: { body: " 8080\n", from: "b:2", reply_to: id, correlation: "correlated" },
      correlation: "correlated",
      timed_out: false,
      timeout_ms: 50_000,
    },
  ]);
  const { messages } = (await world.done("msg recv --json", A)).json() as { messages: { body: string }[] };
  expect(messages.map(({ body }) => body)).toEqual(["other talk"]);
});

it("a question that nobody answers in time ends with 3, and its late answer is marked so", async () => {
  const world = await worldOfTwo();
  const asked = await world.tt(["ask", "b", "which port?", "--json", "--timeout", "50ms"], A);
  expect([asked.code, asked.json()]).toEqual([3, expect.objectContaining({ reply: null, timed_out: true })]);
  const id = await question(world);
  await world.done(["reply", id, "8080"], B);
  const late = (await world.done("msg recv --peek --json", A)).json()["messages"] as object[];
  expect(late).toMatchObject([{ late: true, request_id: id, reply_to: id, body: "8080" }]);
  expect((await world.done("msg recv", A)).stdout).toContain("too late");
});

it.each(["SIGINT", "SIGTERM"] as const)(
  "%s stops the waiting with 130, and the question stays open",
  async (signal) => {
    const world = await worldOfTwo();
    const asking = world.start(["ask", "b", "which port?", "--json", "--timeout", "50s"], A);
    const id = await question(world);
    asking.kill(signal);
    expect((await asking.ended).code).toBe(130);
    await world.done(["reply", id, "8080"], B);
    expect((await world.done("msg recv --json", A)).json()).toMatchObject({ messages: [{ late: true }] });
  },
);

it("who asks the one that waits for it is told of the circle at once", async () => {
  const world = await worldOfTwo();
  const asking = world.start(["ask", "b", "which port?", "--json", "--timeout", "50s"], A);
  const id = await question(world);
  const circle = await world.tt(["ask", "a", "which port do you mean?", "--json"], B);
  expect([circle.code, circle.error()]).toEqual([
    5,
    expect.objectContaining({ error: "would_deadlock", path: ["b:2", "a:1", "b:2"] }),
  ]);
  await world.done(["reply", id, "8080"], B);
  expect((await asking.ended).code).toBe(0);
});

it("an asker that is killed leaves a question open, and its answer comes by the ordinary door", async () => {
  const world = await worldOfTwo();
  const asking = world.start(["ask", "b", "which port?", "--json", "--timeout", "50s"], A);
  const id = await question(world);
  asking.kill("SIGKILL");
  await asking.ended;
  const replied = await world.done(["reply", id, "8080", "--json"], B);
  expect(replied.json()).toMatchObject({ deliveries: [{ will_be_seen: "unknown" }] });
  expect((await world.done("msg recv --json", A)).json()).toMatchObject({ messages: [{ late: true, body: "8080" }] });
});

it("a stream that leaves a reply to its asker shows it when the asker is killed, long before the question's time is over", async () => {
  const world = await worldOfTwo();
  const following = world.start("msg recv --follow --json", A);
  await following.untilInterruptible();
  const asking = world.start(["ask", "b", "which port?", "--json", "--timeout", "280s"], A);
  const id = await question(world);
  asking.kill("SIGSTOP");
  await world.done(["reply", id, "8080"], B);
  await world.done("msg send a:1 and TLS is on", B);
  asking.kill("SIGKILL");
  await asking.ended;
  await following.until(() => following.records.length === 2);
  expect(following.records.map(({ body }) => body)).toEqual(["8080", "and TLS is on"]);
  following.kill("SIGTERM");
  await following.ended;
});

it("a question needs one agent, a text, and a time within bounds", async () => {
  const world = await worldOfTwo();
  const tried = async (words: readonly string[]) => {
    const outcome = await world.tt([...words, "--json"], A);
    return [outcome.code, outcome.error()["error"]];
  };
  expect(await tried(["ask", "room", "x"])).toEqual([5, "unknown_recipient"]);
  expect(await tried(["ask", "b:2"])).toEqual([2, "usage"]);
  expect(await tried(["ask", "b:2", "x", "--stdin"])).toEqual([2, "usage"]);
  expect(await tried(["ask", "b:2", "x", "--timeout", "6m"])).toEqual([2, "usage"]);
  expect(await tried(["reply", "nope", "x"])).toEqual([5, "message_not_found"]);
});
