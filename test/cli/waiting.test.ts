/** Waiting for the stick: what ends it, what it leaves behind, and what it survives. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { asPerson, CliWorld, type Outcome } from "./support/cli-world.ts";
import { atTerminal, Terminals } from "./support/terminal.ts";

const A = { as: "a:1" };
const B = { as: "b:2" };
const RELEASE = ["release", "--json", "--status", "parser done", "--next-action", "write the tests"];

async function heldByA(env: Record<string, string> = {}): Promise<CliWorld> {
  const world = new CliWorld();
  await world.done("try", { ...A, env });
  return world;
}

function queueIn(outcome: Outcome): unknown[] {
  const { members } = outcome.json() as { members: { agent_id: string; waiting: boolean }[] };
  return members.filter((member) => member.waiting).map((member) => member.agent_id);
}

it("a wait in a pipe is silent until its one answer", async () => {
  const world = await heldByA();
  const waiting = world.start("wait --json", B);
  await world.untilWaiting("b:2");
  expect([waiting.stdout, waiting.stderr]).toEqual(["", ""]);
  await world.done(RELEASE, A);
  const { code, stderr } = await waiting.ended;
  expect([code, stderr]).toEqual([0, ""]);
  expect(waiting.records).toHaveLength(1);
  expect(waiting.records[0]).toMatchObject({
    status: "your_turn",
    turn_id: 2,
    handoff: { next_action: "write the tests" },
  });
});

it("a handoff of the largest size arrives whole, byte for byte", async () => {
  const world = await heldByA();
  const status = `${'naïve ✓ \u0000 \u202e \u001b[31m \\ " '.repeat(300)}end`;
  const handoff = {
    status,
    next_action: "z".repeat(16_384 - Buffer.byteLength(JSON.stringify({ status, nextAction: "" }))),
  };
  const released = await world.tt("release --stdin --json", { ...A, input: JSON.stringify(handoff) });
  expect(released.stderr).toBe("");
  const { handoff: arrived } = (await world.done("try --json", B)).json() as { handoff: object };
  expect(arrived).toMatchObject(handoff);
});

it("a room that is closed ends the wait with 6", async () => {
  const world = await heldByA();
  const waiting = world.start("wait --json", B);
  const listening = world.start("listen --json", { as: "c:3" });
  await world.untilWaiting("b:2");
  await world.until("state --json", ({ stdout }) => stdout.includes('"c:3"'));
  expect((await asPerson(world, "close --operator-requested")).code).toBe(0);
  for (const { ended, records } of [waiting, listening]) {
    expect((await ended).code).toBe(6);
    const person = String(records[0]?.["closed_by"]);
    const asks = `${person} closed it. Ask the person you work for before you reopen it: tt `;
    const next = expect.stringContaining(asks);
    expect(records).toEqual([{ status: "closed", closed_by: expect.stringMatching(/^human:/), next }]);
  }
});

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s ends the wait with 130, and the place in the queue is gone",
  async (signal) => {
    const world = await heldByA();
    const waiting = world.start("wait --json", B);
    await world.untilWaiting("b:2");
    waiting.kill(signal);
    const { code } = await waiting.ended;
    expect([code, waiting.records[0]?.["status"]]).toEqual([130, "not_yet"]);
    expect(queueIn(await world.done("state --json"))).toEqual([]);
    expect((await world.done(RELEASE, A)).json()).toMatchObject({ reserved_for: null, waiting_count: 0 });
  },
);

it.each(["wait", "listen", "msg recv --wait", "events --follow"])(
  "%s ends when the data directory is removed under it, and does not make it again",
  async (words) => {
    const world = await heldByA();
    await world.done("join", B);
    const bell = join(world.data, "bell");
    for (const file of readdirSync(bell)) rmSync(join(bell, file));
    const waiting = world.start(`${words} --json`, B);
    await expect.poll(() => readdirSync(bell)).not.toEqual([]);
    // All of it at once: one file after the other would let the command see a store that has lost only its log.
    renameSync(world.data, `${world.data}.removed`);
    const { code, stdout, stderr } = await waiting.ended;
    rmSync(`${world.data}.removed`, { recursive: true });
    expect([code, existsSync(world.data)]).toEqual([70, false]);
    expect(stdout).not.toContain("error");
    expect(JSON.parse(stderr)).toMatchObject({ error: "store_unsafe", next: expect.stringContaining("there now") });
    expect((await world.done("try --json", B)).json()).toMatchObject({ status: "your_turn", turn_id: 1 });
  },
);

it("a killed waiter does not stand in the way of one that lives", async () => {
  const world = await heldByA();
  const killed = world.start("wait --json --timeout 10m", { as: "d:4" });
  await world.untilWaiting("d:4");
  const living = world.start("wait --json --timeout 10m", B);
  await world.untilWaiting("b:2");
  expect(queueIn(await world.done("state --json"))).toEqual(["d:4", "b:2"]);
  killed.kill("SIGKILL");
  await killed.ended;
  expect(queueIn(await world.done("state --json"))).toEqual(["b:2"]);
  expect((await world.done(RELEASE, A)).json()).toMatchObject({ reserved_for: "b:2" });
  await living.ended;
  expect(living.records[0]).toMatchObject({ status: "your_turn", reason: "sequence" });
});

it("a killed waiter has no place any more once its grace is over", async () => {
  const world = await heldByA({ TT_WAIT_GRACE_MS: "0" });
  const killed = world.start("wait --json --timeout 10m", { as: "d:4" });
  await world.untilWaiting("d:4");
  killed.kill("SIGKILL");
  await killed.ended;
  expect((await world.done(RELEASE, A)).json()).toMatchObject({ reserved_for: null, waiting_count: 0 });
});

it("time that is up ends the wait with 3, and the place is kept for a while", async () => {
  const world = await heldByA();
  expect((await world.tt("wait --json --timeout 50ms", B)).code).toBe(3);
  expect(queueIn(await world.done("state --json"))).toEqual(["b:2"]);
  expect((await world.tt("wait --json --timeout 50ms", { as: "c:3" })).json()).toMatchObject({ queue_position: 2 });
  expect((await world.done(RELEASE, A)).json()).toMatchObject({ reserved_for: "b:2" });
});

it("without --timeout a wait in a pipe ends at the room's limit", async () => {
  const world = await heldByA({ TT_WAIT_MAX_MS: "50" });
  expect((await world.tt("wait --json", B)).code).toBe(3);
  expect((await world.tt("listen --json", B)).code).toBe(3);
  expect((await world.tt("events --wait --json", B)).code).toBe(3);
  expect((await world.tt("msg recv --wait --json", B)).code).toBe(3);
  expect((await world.tt("msg recv --wait --peek --json", B)).code).toBe(3);
});

it("a waiter that was suspended still gets its turn", async () => {
  const world = await heldByA();
  const waiting = world.start("wait --json", B);
  await world.untilWaiting("b:2");
  waiting.kill("SIGSTOP");
  expect((await world.done(RELEASE, A)).json()).toMatchObject({ reserved_for: "b:2" });
  expect((await world.tt("try --json", { as: "c:3" })).code).toBe(3);
  waiting.kill("SIGCONT");
  expect((await waiting.ended).code).toBe(0);
  expect(waiting.records[0]).toMatchObject({ status: "your_turn", turn_id: 2, reason: "sequence" });
});

it("a waiter that slept through its reservation loses the turn and not its place", async () => {
  const world = await heldByA({ TT_RELEASE_CLAIM_TTL_MS: "100" });
  const waiting = world.start("wait --json --timeout 50s", B);
  await world.untilWaiting("b:2");
  waiting.kill("SIGSTOP");
  await world.done(RELEASE, A);
  const other = await world.tt("wait --json --timeout 50s", { as: "c:3" });
  expect(other.json()).toMatchObject({ status: "your_turn", handoff: { status: "parser done" } });
  waiting.kill("SIGCONT");
  await world.done(RELEASE, { as: "c:3" });
  expect((await waiting.ended).code).toBe(0);
  expect(waiting.records[0]).toMatchObject({ status: "your_turn", turn_id: 3 });
});

it("a holder whose process is dead is found, and the wait ends with 4", async () => {
  const world = new CliWorld();
  const harness = spawn("sleep", ["1000"], { stdio: "ignore" });
  await world.done("try", { ...A, env: { TT_AGENT_PID: String(harness.pid), TT_GONE_GRACE_MS: "0" } });
  const waiting = world.start("wait --json --timeout 50s", B);
  await world.untilWaiting("b:2");
  harness.kill("SIGKILL");
  await once(harness, "exit");
  expect((await waiting.ended).code).toBe(4);
  expect(waiting.records[0]).toMatchObject({
    status: "takeover_available",
    reason: "owner_gone",
    current_owner: "a:1",
  });
  const taken = await world.done(["take", "--json", "--reason", "killed"], B);
  expect(taken.json()).toMatchObject({
    status: "your_turn",
    turn_id: 2,
    ground: "owner_gone",
    revoked_agent_id: "a:1",
  });
});

it("a listener is handed a turn, never takes an idle stick, and hears what it missed", async () => {
  const world = await heldByA();
  const listening = world.start("listen --json --timeout 50s", B);
  await world.until("state --json", ({ stdout }) => /"b:2".*?"reachable":true/.test(stdout));
  await world.done(["pass", "b:2", "--status", "x", "--next-action", "y"], A);
  expect((await listening.ended).code).toBe(0);
  expect(listening.records[0]).toMatchObject({ status: "your_turn", reason: "direct_pass", from_agent_id: "a:1" });
  await world.done(RELEASE, B);
  expect((await world.tt("listen --json --timeout 50ms", B)).json()).toMatchObject({
    status: "not_yet",
    room_state: "idle",
  });
});

atTerminal("mail does not throw a person out of the queue: one line tells of it, and the wait goes on", async () => {
  const world = await heldByA();
  const terminal = new Terminals(world).open("person");
  terminal.type("clear; tt wait");
  await terminal.until(/Waiting, number 1 in line: a holds turn 1/);
  await world.done("msg send human first", A);
  await terminal.until(/^1 unread message\. You still wait; read them in another terminal: tt msg recv$/m);
  await world.done("msg send human second", A);
  const screen = await terminal.until(/^2 unread messages\.[^]*Waiting, number 1 in line/m);
  expect(screen).not.toContain("first");
  await world.done(RELEASE, A);
  await terminal.until(/Your turn: turn 2/);
  expect(await terminal.run("tt msg recv")).toContain("│ second");
});

atTerminal("a wait names an agent that joined after it began by its handle", async () => {
  const world = await heldByA();
  const terminal = new Terminals(world).open("person");
  terminal.type("clear; tt wait");
  await terminal.until(/Waiting, number 1 in line: a holds turn 1/);
  await world.done("join", { as: "late:1" });
  await asPerson(world, "give late --yes");
  await terminal.until(/Waiting, number 1 in line: the stick is reserved for late$/m);
});

atTerminal("a terminal that cannot erase a line keeps each line of a wait", async () => {
  const world = await heldByA();
  const terminal = new Terminals(world).open("person");
  terminal.type("clear; TERM=dumb tt wait");
  await terminal.until(/^Waiting, number 1 in line: a holds turn 1/m);
  await world.done("msg send human first", A);
  await terminal.until(/^1 unread message\./m);
  await world.done(RELEASE, A);
  const screen = await terminal.until(/^Your turn: turn 2/m);
  expect(screen).toMatch(/^Waiting, number 1 in line: a holds turn 1/m);
});
