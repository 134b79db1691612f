/**
 * The guard as harnesses run it: the real script and the built program. A refusal has exactly the form that each harness
 * understands. Whatever is missing or odd, the tool runs, nothing is printed, and the log says why.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadSqliteDriver } from "../../src/store/sqlite/driver.ts";
import { setGuard } from "../cli/support/cli-world.ts";
import { makeRepository } from "../support/git-repository.ts";
import { EDITS, GuardedWorld, PEER, RELEASE, SESSIONS, SHELLS } from "./support/guarded-world.ts";
import type { HarnessName, HookRun, Payload } from "./support/hook-world.ts";

const NAMES: readonly HarnessName[] = ["claude", "codex", "gemini", "opencode"];
const OPEN = { code: 0, stdout: "", stderr: "" };
/** The stub in place of Node was started. */
const STARTED = { code: 0, stdout: '{"context":"started"}\n', stderr: "" };
const REFUSED = /^Refused: .* holds the stick since \d\d:\d\d UTC \(turn 1\)\. Nothing was written\. .*`tt wait`\./;

/** How each harness is told no. */
const DENIALS: Readonly<Record<HarnessName, (reason: string) => object>> = {
  claude: usual,
  codex: usual,
  gemini: (reason) => ({ decision: "deny", reason }),
  opencode: (reason) => ({ deny: reason }),
};

function usual(reason: string): object {
  const denied = { permissionDecision: "deny", permissionDecisionReason: reason };
  return { hookSpecificOutput: { hookEventName: "PreToolUse", ...denied } };
}

/** Code, output and errors, without what the test support reads out of them. */
const run = async (ran: Promise<HookRun>) => {
  const { code, stdout, stderr } = await ran;
  return { code, stdout, stderr };
};

describe.each(NAMES)("%s", (name) => {
  test("a refusal is one JSON on standard output, the same reason on standard error, and code 2", async () => {
    const world = await GuardedWorld.open("deny");
    await world.session(name);
    const { code, stdout, stderr } = await world.edit(name);
    const reason = stderr.replace(/\n$/, "");
    expect([code, reason.split("\n").length]).toEqual([2, 1]);
    expect(reason).toMatch(REFUSED);
    expect(stdout).toBe(`${JSON.stringify(DENIALS[name](reason))}\n`);
    expect(world.log).toBe("");
  });

  test("the holder is let pass, at first by the program and then by the script alone, until its turn ends", async () => {
    const world = await GuardedWorld.open("strict", "nobody");
    const harness = await world.session(name);
    expect((await world.edit(name)).code).toBe(2);
    expect((await harness.tt("try", SESSIONS[name])).code).toBe(0);
    // Gemini's id must have left a sign, which its hooks of tools see to.
    await harness.hook("post-tool", SESSIONS[name]);
    expect(await run(world.edit(name))).toEqual(OPEN);
    expect(world.passOf(name)).toMatch(new RegExp(`^${world.roomId} 1\\.[0-9a-f]{16} \\d+ [0-9a-f-]{36}\\n$`));
    world.withoutNode();
    expect(await run(world.edit(name))).toEqual(OPEN);
    expect((await harness.tt(RELEASE.map((word) => `'${word}'`).join(" "), SESSIONS[name])).code).toBe(0);
    expect(await run(world.edit(name))).toEqual(STARTED);
    world.installWith({});
    expect((await world.edit(name)).code).toBe(2);
    expect(world.log).toBe("");
  });

  test("a shell command of unknown effect is refused in mode strict, and let pass in mode deny", async () => {
    const world = await GuardedWorld.open("strict");
    await world.session(name);
    const shell = () => world.edit(name, { tool_name: SHELLS[name], tool_input: { command: "make" } });
    const { code, stderr } = await shell();
    expect([code, stderr]).toEqual([2, expect.stringContaining("`tt ro -- COMMAND`")]);
    await setGuard(world, "deny");
    expect(await run(shell())).toEqual(OPEN);
  });

  test("starts no program if no room is guarded", async () => {
    const world = await GuardedWorld.open("off");
    world.withoutNode();
    expect(await run(world.edit(name))).toEqual(OPEN);
    mkdirSync(join(world.data, "guard/on"), { recursive: true, mode: 0o700 });
    expect(await run(world.edit(name))).toEqual(OPEN);
    writeFileSync(join(world.data, `guard/on/x.tt-new-${"0a".repeat(12)}b`), "");
    expect(await run(world.edit(name))).toEqual(OPEN);
  });

  test("a person's `tt guard off` is the way out", async () => {
    const world = await GuardedWorld.open("strict");
    await world.session(name);
    expect((await world.edit(name)).code).toBe(2);
    await setGuard(world, "off");
    world.withoutNode();
    expect(await run(world.edit(name))).toEqual(OPEN);
  });
});

/** The session holds the stick, and its pass is changed. The stub shows whether the script asked the program. */
async function withPass(change: (pass: string) => string): Promise<GuardedWorld> {
  const world = await GuardedWorld.open("deny", "nobody");
  const harness = await world.session("claude");
  await harness.tt("try", SESSIONS.claude);
  await world.edit("claude");
  const pass = world.passOf("claude");
  if (pass === null) throw new Error("there is no pass");
  world.writePass("claude", change(pass));
  world.withoutNode();
  return world;
}

describe("a pass lets nobody pass by itself", () => {
  test.each<[what: string, change: (pass: string) => string]>([
    ["of another boot", (pass) => pass.replace(/[0-9a-f-]{36}/, "00000000-0000-4000-8000-000000000000")],
    ["that has expired", (pass) => pass.replace(/ (\d+) (?=[0-9a-f-]{36})/, " 1 ")],
    ["for another room", (pass) => pass.replace(/^\w+/, "another")],
    ["without an end", (pass) => pass.replace(/ (\d+) (?=[0-9a-f-]{36})/, "  ")],
    ["with words in place of numbers", (pass) => pass.replace(/ (\d+) (?=[0-9a-f-]{36})/, " soon ")],
    ["that is empty", () => ""],
    ["that is half written", (pass) => pass.slice(0, -20)],
    ["that would run a command", () => "$(touch planted) `touch planted` ; touch planted\n"],
  ])("one %s", async (_, change) => {
    const world = await withPass(change);
    expect(await run(world.edit("claude"))).toEqual(STARTED);
    expect(existsSync(join(world.tree, "planted"))).toBe(false);
  });

  test("one that is right does, which shows that the others do not", async () => {
    const world = await withPass((pass) => pass);
    expect(await run(world.edit("claude"))).toEqual(OPEN);
  });

  test("one behind a link", async () => {
    const world = await withPass((pass) => pass);
    const path = join(world.data, "guard/pass", SESSIONS.claude);
    writeFileSync(join(world.root, "pass"), world.passOf("claude") ?? "");
    rmSync(path);
    symlinkSync(join(world.root, "pass"), path);
    expect(await run(world.edit("claude"))).toEqual(STARTED);
  });

  test("one whose turn has a mark, also if the mark is all that happened", async () => {
    const world = await withPass((pass) => pass);
    const [room, turn] = world.passOf("claude")?.split(" ") ?? [];
    writeFileSync(join(world.data, `guard/over/${room}.${turn}`), "");
    expect(await run(world.edit("claude"))).toEqual(STARTED);
    world.installWith({});
    expect(await run(world.edit("claude"))).toEqual(OPEN);
  });

  test.each(["0", "zzzz"])("one, if another room is guarded, and its id is %s", async (id) => {
    const world = await withPass((pass) => pass);
    writeFileSync(join(world.data, "guard/on", id), "/elsewhere");
    expect(await run(world.edit("claude"))).toEqual(STARTED);
  });

  test("one, if several rooms are guarded: the tool may write in the other", async () => {
    const world = await withPass((pass) => pass);
    const elsewhere = makeRepository(world.directory("elsewhere"));
    await world.done("try", { ...PEER, cwd: elsewhere });
    await setGuard(world, "deny", { cwd: elsewhere });
    expect(await run(world.edit("claude"))).toEqual(STARTED);
    world.installWith({});
    expect(await run(world.edit("claude"))).toEqual(OPEN);
    const { code: refused, stderr } = await world.edit("claude", {}, join(elsewhere, "x"));
    expect([refused, stderr]).toEqual([2, expect.stringContaining(`\`tt wait --path ${elsewhere}\``)]);
  });
});

test("after /clear the holder is let pass by the script again, and its former session is not", async () => {
  const NEXT = "22222222-bbbb-4bbb-8bbb-222222222222";
  const world = await GuardedWorld.open("strict", "nobody");
  const harness = await world.session("claude");
  await harness.tt("try", SESSIONS.claude);
  expect(await run(world.edit("claude"))).toEqual(OPEN);
  await harness.hook("session-end", SESSIONS.claude, { reason: "clear" });
  await harness.hook("session-start", NEXT, { source: "clear" });
  const edit = (session: string, from = harness) =>
    run(from.hook("guard", session, EDITS.claude(join(world.tree, "x"))));
  expect(await edit(NEXT)).toEqual(OPEN);
  world.withoutNode();
  expect(await edit(NEXT)).toEqual(OPEN);
  expect(await edit(SESSIONS.claude)).toEqual(STARTED);
  world.installWith({});
  const elsewhere = world.harness("claude");
  await elsewhere.hook("session-start", SESSIONS.claude, { source: "resume" });
  expect((await edit(SESSIONS.claude, elsewhere)).code).toBe(2);
  // The lease was kept under the former name.
  await harness.tt("try", NEXT);
  expect((await harness.tt(RELEASE.map((word) => `'${word}'`).join(" "), NEXT)).code).toBe(0);
  expect((await edit(NEXT)).code).toBe(2);
});

/** A world in which the session would be refused, if all were well. */
async function refusing(name: HarnessName = "claude"): Promise<GuardedWorld> {
  const world = await GuardedWorld.open("strict");
  await world.session(name);
  return world;
}

/** Nothing is said, the tool runs, and the log tells of it in one line. */
async function expectOpen(world: GuardedWorld, ran: Promise<HookRun>, log: RegExp): Promise<void> {
  expect(await run(ran)).toEqual(OPEN);
  const lines = world.log.split("\n").filter((line) => line !== "");
  expect(lines).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z \d+ [a-z]+ guard: /)]);
  expect(lines[0]).toMatch(log);
}

describe("without an answer the tool runs, and the log says why", () => {
  test("Node is missing", async () => {
    const world = await refusing();
    world.installWith({ node: "/nowhere/node" });
    await expectOpen(world, world.edit("claude"), /missing/);
  });

  test("the program is missing", async () => {
    const world = await refusing();
    world.installWith({ hookProgram: "/nowhere/hook.cjs" });
    await expectOpen(world, world.edit("claude"), /missing/);
  });

  test("the program is broken", async () => {
    const world = await refusing();
    const broken = join(world.directory("broken"), "hook.cjs");
    writeFileSync(broken, "this is no program");
    world.installWith({ hookProgram: broken });
    await expectOpen(world, world.edit("claude"), /ended with 1/);
  });

  test("the part of the program that judges is missing", async () => {
    const world = await refusing();
    const half = join(world.directory("half"), "hook.cjs");
    writeFileSync(half, readFileSync(join(world.program, "../hook.cjs")));
    world.installWith({ hookProgram: half });
    await expectOpen(world, world.edit("claude"), /ended with 1/);
  });

  test("the program ends with a code that means nothing", async () => {
    const world = await refusing();
    const stub = join(world.root, "stub");
    for (const code of [1, 2, 9, 127]) {
      rmSync(join(world.data, "hook.log"), { force: true });
      writeFileSync(stub, `#!/bin/sh\nexit ${code}\n`, { mode: 0o700 });
      world.installWith({ node: stub, hookProgram: stub });
      await expectOpen(world, world.edit("claude"), new RegExp(`ended with ${code}$`));
    }
  });

  test("the store is gone", async () => {
    const world = await refusing();
    for (const file of ["tt.db", "tt.db-wal", "tt.db-shm"]) rmSync(join(world.data, file), { force: true });
    await expectOpen(world, world.edit("claude"), /does not know/);
  });

  test("the store is damaged", async () => {
    const world = await refusing();
    for (const file of ["tt.db-wal", "tt.db-shm"]) rmSync(join(world.data, file), { force: true });
    writeFileSync(world.database, "this was a database once ".repeat(4000), { mode: 0o600 });
    await expectOpen(world, world.edit("claude"), /store_/);
  });

  test("the store stays locked until the deadline of the guard has passed", async () => {
    const world = await refusing();
    const handle = loadSqliteDriver()(world.database);
    onTestFinished(() => handle.close());
    handle.exec("PRAGMA locking_mode = EXCLUSIVE");
    handle.exec("BEGIN IMMEDIATE");
    const payload = JSON.stringify({ session_id: SESSIONS.claude, cwd: world.tree, ...EDITS.claude("x") });
    const command = `unset TT_HOOK_DEADLINE_MS; ${world.commandOf("claude", "guard")}`;
    const ran = world.harness("claude").run(command, payload, { CLAUDE_CODE_SESSION_ID: SESSIONS.claude });
    await expectOpen(world, ran, /store_busy|time limit/);
  });

  test("the payload never ends, and the deadline passes", async () => {
    const world = await refusing();
    const env = { CLAUDE_CODE_SESSION_ID: SESSIONS.claude, TT_HOOK_DEADLINE_MS: undefined };
    const { code, stdout, stderr } = await world.startProgram(world.script, ["claude", "guard"], { env, input: null })
      .ended;
    expect({ code, stdout, stderr }).toEqual(OPEN);
    expect(world.log).toMatch(/ claude guard: it reached its time limit\n/);
  });

  const odd: readonly (readonly [what: string, more: Payload, log: RegExp])[] = [
    ["a payload of another harness", EDITS.gemini("/x"), /no call of a tool that writes/],
    ["a tool without its path", { tool_input: {} }, /no call of a tool that writes/],
    ["a session id that is none", { session_id: "../../../etc/passwd" }, /no payload/],
    ["a session id that is no text", { session_id: { a: 1 } }, /no payload/],
    ["no directory", { cwd: null }, /names no directory/],
  ];

  test.each(odd)("the payload has %s", async (_, more, log) => {
    const world = await refusing();
    await expectOpen(world, world.edit("claude", more), log);
  });

  test.each(["", "}{", "null", "[]", '{"session_id":"x"', "\0\u00ff"])("the payload is %j", async (payload) => {
    for (const name of ["claude", "codex"] as const) {
      const world = await refusing(name);
      const env = { CLAUDE_CODE_SESSION_ID: SESSIONS.claude };
      const ran = world.harness(name).run(world.commandOf(name, "guard"), payload, env);
      await expectOpen(world, ran, /payload|JSON/);
    }
  });
});

test("a payload of 10 MB is judged like any other", async () => {
  const world = await refusing();
  const { code, stderr } = await world.edit("claude", {
    tool_input: { file_path: join(world.tree, "x"), content: "é".repeat(5_000_000) },
  });
  expect([code, stderr]).toEqual([2, expect.stringMatching(REFUSED)]);
});

test("a session whose id is odd is never let pass by the script", async () => {
  const world = await refusing();
  world.withoutNode();
  writeFileSync(join(world.data, "guard/pass/a b"), "", { mode: 0o600 });
  for (const id of ["", "a b", "../on/x", "é"]) {
    const payload = JSON.stringify({ session_id: id, cwd: world.tree, ...EDITS.claude("x") });
    const ran = world
      .harness("claude")
      .run(world.commandOf("claude", "guard"), payload, { CLAUDE_CODE_SESSION_ID: id });
    expect(await run(ran)).toEqual(STARTED);
  }
});

describe("the script", () => {
  test.each(["dash", "bash --posix", "bash"])("means the same to %s", async (shell) => {
    const world = await refusing();
    const payload = JSON.stringify({ session_id: SESSIONS.claude, cwd: world.tree, ...EDITS.claude("x") });
    const env = { CLAUDE_CODE_SESSION_ID: SESSIONS.claude };
    const ask = () => world.harness("claude").run(`${shell} '${world.script}' claude guard`, payload, env);
    expect((await ask()).code).toBe(2);
    world.installWith({ node: "/nowhere/node" });
    await expectOpen(world, ask(), /missing/);
  });

  test.each(["dash", "bash"])("refuses nothing in %s because standard error is closed", async (shell) => {
    const world = await GuardedWorld.open("off");
    const ask = () => world.harness("claude").run(`${shell} '${world.script}' claude guard 2>&-`, "{}");
    expect(await run(ask())).toEqual(OPEN);
    await setGuard(world, "strict");
    expect((await ask()).code).toBe(0);
  });

  test("writes into no log that is a link, a pipe or too long", async () => {
    const world = await refusing();
    world.installWith({ node: "/nowhere/node" });
    const log = join(world.data, "hook.log");
    symlinkSync(join(world.root, "target"), log);
    expect(await run(world.edit("claude"))).toEqual(OPEN);
    expect(existsSync(join(world.root, "target"))).toBe(false);
    rmSync(log);
    await world.startProgram("mkfifo", [log]).ended;
    expect(await run(world.edit("claude"))).toEqual(OPEN);
    rmSync(log);
    writeFileSync(log, "x".repeat(200_000));
    expect(await run(world.edit("claude"))).toEqual(OPEN);
    expect(world.log).toHaveLength(200_000);
  });

  test("takes code 22 of another hook for no refusal", async () => {
    const world = await refusing();
    world.withoutNode(22);
    const harness = world.harness("claude");
    const ran = await harness.run(world.commandOf("claude", "prompt"), "{}");
    expect(ran).toMatchObject({ code: 0, stderr: "" });
  });
});
