/**
 * G4: the guard refuses nothing outside of our rooms, and what each refusal names works: the command is cut out of the
 * text that the model reads, typed into the session's own shell, and the same tool then runs.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { changePolicy, setGuard } from "../cli/support/cli-world.ts";
import { EDITS, GuardedWorld, PEER, RELEASE, SESSIONS, SHELLS } from "../hook/support/guarded-world.ts";
import type { Harness, HarnessName } from "../hook/support/hook-world.ts";
import { git, makeRepository } from "../support/git-repository.ts";
import { verifies } from "./verifies.ts";

const NAMES: readonly HarnessName[] = ["claude", "codex", "gemini", "opencode"];

/** The commands that a refusal names, without the name of the program. */
function commandsIn(refusal: string): readonly string[] {
  return [...refusal.matchAll(/`tt ([^`]+)`/g)].map(([, command = ""]) => command);
}

/** A tool is refused; what the refusal names gets the stick, and then the tool runs. */
async function leadsOn(
  world: GuardedWorld,
  harness: Harness,
  name: HarnessName,
  { meanwhile = async () => undefined, path = join(world.tree, "x") }: LeadsOn = {},
): Promise<string> {
  const ask = () => harness.hook("guard", SESSIONS[name], EDITS[name](path));
  const refused = await ask();
  expect([refused.code, refused.stderr.length <= 401], refused.stderr).toEqual([2, true]);
  const [command = ""] = commandsIn(refused.stderr);
  const typed = harness.tt(command, SESSIONS[name]);
  await meanwhile();
  expect((await typed).code, refused.stderr).toBe(0);
  expect((await ask()).code, `after: tt ${command}`).toBe(0);
  return command;
}

interface LeadsOn {
  /** What happens while the command runs. */
  readonly meanwhile?: () => Promise<unknown>;
  readonly path?: string;
}

for (const name of NAMES) {
  verifies("G4", `the way on while another agent holds the stick, in ${name}`, async () => {
    const world = await GuardedWorld.open("deny");
    const harness = await world.session(name);
    const meanwhile = () => world.done(RELEASE, PEER);
    expect(await leadsOn(world, harness, name, { meanwhile })).toBe("wait");
  });
}

verifies("G4", "the way on while nobody holds the stick", async () => {
  const world = await GuardedWorld.open("strict", "nobody");
  expect(await leadsOn(world, await world.session("claude"), "claude")).toBe("try");
});

verifies("G4", "the way on after a holder whose lease has expired", async () => {
  const world = await GuardedWorld.open("strict", "nobody");
  const harness = await world.session("claude");
  await changePolicy(world, "lease_ttl_ms=1000");
  await world.done("try", PEER);
  await world.until("state --json", (seen) => (seen.json()["room"] as { state: string }).state === "stale_owner");
  expect(await leadsOn(world, harness, "claude")).toMatch(/^take --reason "/);
});

verifies("G4", "the way on while the stick is reserved for another agent that does not come", async () => {
  const world = await GuardedWorld.open("strict");
  const harness = await world.session("claude");
  await changePolicy(world, "release_claim_ttl_ms=3000");
  const waiter = world.start("wait --timeout 60s", { as: "peer:2" });
  await world.untilWaiting("peer:2");
  waiter.child.kill("SIGSTOP");
  await world.done(RELEASE, PEER);
  expect(await leadsOn(world, harness, "claude")).toBe("wait");
});

verifies("G4", "the way on from another directory, also to a room with an odd name", async () => {
  for (const directory of ["plain", "odd 'name' `with` $signs"]) {
    const world = new GuardedWorld();
    const tree = makeRepository(world.directory(directory));
    await world.done("join", { ...PEER, cwd: tree });
    await setGuard(world, "strict", { cwd: tree });
    const harness = await world.session("claude");
    const command = await leadsOn(world, harness, "claude", { path: join(tree, "x") });
    expect(command).toMatch(directory === "plain" ? /^try --path / : /^try --room [0-9a-z]{25}$/);
  }
});

verifies("G4", "the way on for a command of unknown effect, with the tree read-only", async () => {
  const world = await GuardedWorld.open("strict");
  const harness = await world.session("claude");
  const shell = (command: string) =>
    harness.hook("guard", SESSIONS.claude, { tool_name: SHELLS.claude, tool_input: { command } });
  const refused = await shell("perl first.txt");
  expect([refused.code, commandsIn(refused.stderr)]).toEqual([2, ["wait", "ro -- COMMAND"]]);
  expect((await shell("tt ro -- perl first.txt")).code).toBe(0);
  expect((await world.tt("ro -- cat first.txt", { as: "peer:2" })).stdout).toBe("one\n");
});

verifies("G4", "nothing outside of the room is refused, in any mode", async () => {
  for (const mode of ["deny", "strict"]) {
    const world = await GuardedWorld.open(mode);
    const harness = await world.session("claude");
    const nested = makeRepository(join(world.tree, "vendor/nested"));
    const linked = join(world.directory("elsewhere"), "linked");
    git(world.tree, "worktree", "add", "--quiet", linked);
    const other = world.directory("other");
    await world.done("join", { ...PEER, cwd: other });
    mkdirSync(join(world.root, "tmp"), { recursive: true });
    for (const directory of [nested, linked, other, join(world.root, "tmp"), "/nowhere/at/all"]) {
      const path = join(directory, "new.txt");
      for (const tool of [
        EDITS.claude(path),
        { tool_name: SHELLS.claude, tool_input: { command: `echo x > ${path}` } },
        { tool_name: SHELLS.claude, tool_input: { command: `cd ${directory} && rm -f new.txt` } },
      ]) {
        expect((await harness.hook("guard", SESSIONS.claude, tool)).code, `${mode}: ${JSON.stringify(tool)}`).toBe(0);
      }
    }
  }
});
