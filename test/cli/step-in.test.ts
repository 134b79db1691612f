/** A person steps in: gives the stick, pauses the room, and is asked first where an active agent would lose by it. */
import { expect, it } from "vitest";
import { asPerson, CliWorld, type RunOptions, worldOfTwo } from "./support/cli-world.ts";
import { atTerminal, Terminals } from "./support/terminal.ts";

const A = { as: "a:1" };
const B = { as: "b:2" };

async function person(world: CliWorld, line: string | readonly string[], options: RunOptions = {}) {
  const { code, stdout } = await asPerson(world, line, { env: { NO_COLOR: "1" }, ...options });
  return { code, stdout };
}

async function holder(world: CliWorld): Promise<unknown> {
  const { room } = (await world.done("state --json", A)).json() as { room: { owner: string | null } };
  return room.owner;
}

it("a waiter keeps its place while the room is paused, and gets the stick when it goes on", async () => {
  const world = await worldOfTwo();
  await world.done("try", A);
  expect((await person(world, "pause --reason lunch")).code).toBe(0);
  await world.done("release --status x --next-action y", A);
  const waiting = world.start("wait --timeout 5m --no-wake-on-message --json", B);
  await expect
    .poll(async () => (await world.done("state --json", A)).json())
    .toMatchObject({ members: [{}, { agent_id: "b:2", waiting: true }, {}] });
  const look = await world.tt("try --json", A);
  expect(look.code).toBe(3);
  expect(look.json()).toMatchObject({ status: "not_yet", paused: { reason: "lunch" } });
  expect((await person(world, "resume")).stdout).toContain("Resumed.");
  expect((await waiting.ended).stdout).toContain('"your_turn"');
});

it("every agent is told once why the room is paused, and the holder is asked to hand over", async () => {
  const world = await worldOfTwo();
  await world.done("try", A);
  expect((await person(world, ["pause", "--reason", "the build\u001b[2J is broken"])).stdout).toContain("Paused.");
  expect((await person(world, "pause")).stdout).toContain("paused already");
  expect((await person(world, "pause --reason again")).stdout).toContain("Your reason was not recorded.");
  for (const agent of [A, B]) {
    const { messages } = (await world.done("msg recv --json", agent)).json() as { messages: { body: string }[] };
    expect(messages.map(({ body }) => body)).toEqual([expect.stringContaining("release it with a handoff")]);
  }
  expect((await world.tt("wait --json", A)).json()).toMatchObject({ status: "your_turn", paused: {} });
});

it("a pause that is over is told as over, in its order", async () => {
  const world = await worldOfTwo();
  await person(world, "pause");
  await person(world, "resume");
  const { messages } = (await world.done("msg recv --json", B)).json() as { messages: { body: string }[] };
  expect(messages.map(({ body }) => body)).toEqual([
    expect.stringContaining("I have paused the room"),
    expect.stringContaining("I have resumed the room"),
  ]);
});

it("an agent that neither waits nor can be woken finds a letter about the stick that it was given, with the reason", async () => {
  const world = await worldOfTwo();
  await person(world, ["give", "b:2", "--reason", "you know the tests"]);
  const { messages } = (await world.done("msg recv --json", B)).json() as { messages: { body: string }[] };
  expect(messages.map(({ body }) => body)).toEqual([expect.stringMatching(/gave you the stick .* you know the tests/)]);
  expect((await world.done("try --json", B)).json()).toMatchObject({ given: { reason: "you know the tests" } });
});

atTerminal("a yes counts for the holder that the question named, not for the next one", async () => {
  const world = await worldOfTwo();
  await world.done("try", A);
  const terminal = new Terminals(world).open("person");
  terminal.type("clear; tt give b:2; echo [$?]");
  await terminal.until(/Give it on\? \[y\/N\]/);
  await world.done("release --status x --next-action y", A);
  await world.done("try", { as: "c:3" });
  terminal.type("y");
  expect(await terminal.until(/^\[\d+\]$/m)).toMatch(/^\[5\]$/m);
  expect(await holder(world)).toBe("c:3");
});

it("giving the stick on from an active holder asks first; no changes nothing, yes ends its turn", async () => {
  const world = await worldOfTwo();
  await world.done("try", A);
  const no = await person(world, "give b:2", { input: "n\n" });
  expect(no.stdout).toContain("a holds the stick and is active. Give it on? [y/N]");
  expect([no.code, await holder(world)]).toEqual([5, "a:1"]);
  const yes = await person(world, "give b:2 --reason wrong-way", { input: "y\n" });
  expect([yes.code, await holder(world)]).toEqual([0, null]);
  expect((await world.tt("heartbeat", A)).stderr.replace(/\s+/g, " ")).toMatch(
    /gave the stick that you held to another .* "wrong-way"/,
  );
  expect((await world.done("try --json", B)).json()).toMatchObject({ status: "your_turn", reason: "given" });
  expect((await world.done("turns", B)).stdout).toMatch(/^turn 1 +a, .*, given on by human$/m);
});

it("--yes answers for give, take, kick and close, and an agent may do none of it", async () => {
  const world = await worldOfTwo();
  await world.done("try", A);
  for (const line of ["give b:2 --yes", "pause", "resume"]) {
    expect((await world.tt(`${line} --json`, B)).error()).toMatchObject({ error: "not_authorized" });
  }
  expect((await person(world, "give b:2 --yes")).code).toBe(0);
  await world.done("try", B);
  expect((await person(world, "take --yes --reason mine")).code).toBe(0);
  expect((await person(world, "kick b:2 --yes")).stdout).toContain("was removed");
  expect((await person(world, "give a:1")).code).toBe(0);
  await world.done("try", A);
  expect((await person(world, "close --yes")).code).toBe(0);
});

it("without a terminal to ask, and without --yes, nothing is done", async () => {
  const world = await worldOfTwo();
  await world.done("try", A);
  // Standard output is a terminal, and standard input is not.
  const line = `'${process.execPath}' '${world.program}' give b:2 </dev/null`;
  const run = world.startProgram("script", ["-qfec", line, "/dev/null"], { who: "a person", env: { TERM: "xterm" } });
  const { code, stdout } = await run.ended;
  expect([code, await holder(world)]).toEqual([2, "a:1"]);
  expect(stdout).toContain("--yes");
});

it("an agent is told to ask before it reopens a room, and a person how to reopen it", async () => {
  const world = await worldOfTwo();
  await person(world, "close --yes");
  expect((await world.done("why --json", A)).json()).toMatchObject({ command: null, reason: { kind: "closed" } });
  expect((await world.done("", A)).stdout).toContain("Next: Ask the person you work for before you reopen it: tt join");
  expect((await person(world, "why")).stdout).toContain("Reopen it: tt join");
  expect((await person(world, "")).stdout).toContain("Next: tt join");
});
