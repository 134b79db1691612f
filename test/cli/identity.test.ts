/** One session is one agent, however deep the shell is that runs the command. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CliWorld, type RunOptions } from "./support/cli-world.ts";
import { recordsIn } from "./support/running.ts";

const CLAUDE = {
  CLAUDECODE: "1",
  CLAUDE_CODE_ENTRYPOINT: "cli",
  CLAUDE_CODE_SESSION_ID: "3f1c9a52-7d1e-4a6b-9a55-0c2f6f1f2a11",
};
const CODEX = { CODEX_THREAD_ID: "019a3c1e-5f7b-7c10-9d55-3b6a2f1e8c44", CODEX_SANDBOX_NETWORK_DISABLED: "1" };
/** Each shell starts the next one and stays there, as the tools of a harness do. */
const DEEP = ["sh", "-c", 'sh -c \'bash -c "\\"\\$@\\"; exit \\$?" bash "$@"; exit $?\' sh "$@"; exit $?', "sh"];

async function whoami(world: CliWorld, env: RunOptions["env"], more: RunOptions = {}) {
  return (await world.done("whoami", { ...more, ...(env && { env }) })).json();
}

it.each([
  ["claude", CLAUDE, CLAUDE.CLAUDE_CODE_SESSION_ID],
  ["codex", CODEX, CODEX.CODEX_THREAD_ID],
])("a session of %s is the same agent from its child and from three shells down", async (harness, env, sessionId) => {
  const world = new CliWorld();
  const direct = await whoami(world, env);
  expect(direct).toMatchObject({ harness, session_id: sessionId, id_source: "environment", verified: true });
  expect(direct["agent_id"]).toMatch(new RegExp(`^${harness}:[0-9a-f]{8}$`));
  expect(await whoami(world, env, { through: DEEP })).toEqual(direct);
  expect(await whoami(world, env, { cwd: world.root })).toEqual(direct);
});

it("two sessions are two agents, and each has its own handle", async () => {
  const world = new CliWorld();
  const other = { ...CLAUDE, CLAUDE_CODE_SESSION_ID: "another-session" };
  const joined = [];
  for (const env of [CLAUDE, other, CODEX]) joined.push((await world.done("join", { env })).json());
  expect(new Set(joined.map(({ agent_id: id }) => id)).size).toBe(3);
  expect(joined.map(({ handle }) => handle)).toEqual(["claude", "claude-2", "codex"]);
});

it("a harness gets JSON without asking, answers and errors alike, and text when it asks", async () => {
  const world = new CliWorld();
  expect((await world.tt("", { env: CLAUDE })).json()).toMatchObject({ room: null, next: "tt join" });
  expect((await world.tt("state", { env: CODEX })).error()).toMatchObject({ error: "room_not_found" });
  expect((await world.tt("wiat", { env: CLAUDE })).error()).toMatchObject({
    error: "usage",
    next: "Did you mean: tt wait",
  });
  expect((await world.tt("notes frob", { env: CLAUDE })).error()).toMatchObject({ error: "usage" });
  expect((await world.tt("state --text", { env: CODEX })).stderr).toMatch(/^tt: There is no room/);
  expect((await world.tt("wiat --text", { env: CLAUDE })).stderr).toMatch(/^tt: There is no command/);
  expect((await world.tt("state", { as: "script:nightly" })).stderr).toMatch(/^tt: There is no room/);
  const unknown = { TT_HARNESS_AGENT_ID: "aider:1" };
  expect((await world.tt("state", { env: unknown })).error()).toMatchObject({ error: "room_not_found" });
  expect((await world.tt("state --text", { env: unknown })).stderr).toMatch(/^tt: There is no room/);
  const broken = { ...CLAUDE, TT_DATA_DIR: "/proc/tt" };
  expect((await world.tt("try", { env: broken })).error()).toMatchObject({ error: "store_unsafe" });
});

it("a turn that one shell of a session got is released by another", async () => {
  const world = new CliWorld();
  await world.done("try", { env: CLAUDE, who: await idOf(world, CLAUDE) });
  const line = ["release", "--status", "x", "--next-action", "y"];
  expect((await world.done(line, { env: CLAUDE, through: DEEP })).json()).toMatchObject({ status: "released" });
});

it("two harnesses at once, and none nearer, are nobody: it is never guessed", async () => {
  const world = new CliWorld();
  const outcome = await world.tt("join --json", { env: { ...CLAUDE, ...CODEX } });
  expect([outcome.code, outcome.error()["error"]]).toEqual([5, "agent_id_required"]);
  expect((await world.tt("join", { env: { ...CLAUDE, ...CODEX }, as: "a:1" })).code).toBe(0);
});

it("a session that its harness names has nothing to claim, and is told so", async () => {
  const world = new CliWorld();
  const { agent_id: me } = await whoami(world, CLAUDE);
  expect((await world.tt("claim zzz", { env: CLAUDE })).error()).toMatchObject({
    error: "not_authorized",
    next: `Go on as ${me as string}; there is nothing to claim.`,
  });
  const same = (await world.done(`claim ${CLAUDE.CLAUDE_CODE_SESSION_ID} --text`, { env: CLAUDE })).stdout;
  expect(same.replace(/\s+/g, " ")).toBe(
    `You are ${me as string}, session ${CLAUDE.CLAUDE_CODE_SESSION_ID}, as claude itself says. `,
  );
});

it("what was claimed stays claimed, whatever the harness says later, and keeps its stick", async () => {
  const world = new CliWorld();
  // A harness that tells nothing at first: a script of its name, which runs the commands as its own.
  const harness = join(world.root, "claude");
  const tt = `'${process.execPath}' '${world.program}'`;
  const lines = [
    `${tt} claim 11111111-7d1e-4a6b-9a55-0c2f6f1f2a11`,
    `${tt} try`,
    "export CLAUDECODE=1 CLAUDE_CODE_SESSION_ID=22222222-7d1e-4a6b-9a55-0c2f6f1f2a11",
    `${tt} whoami`,
    `${tt} release --status x --next-action y`,
  ];
  writeFileSync(harness, `#!/bin/sh\n${lines.join("\n")}\nexit 0\n`, { mode: 0o755 });
  const { stdout, stderr } = await world.startProgram(harness, [], { who: "claude:2962d9ea" }).ended;
  expect(stderr).toBe("");
  expect(recordsIn(stdout)).toMatchObject([
    { agent_id: "claude:2962d9ea" },
    { status: "your_turn" },
    { agent_id: "claude:2962d9ea", id_source: "sticky_claim" },
    { status: "released" },
  ]);
});

async function idOf(world: CliWorld, env: Record<string, string>): Promise<string> {
  return (await whoami(world, env))["agent_id"] as string;
}
