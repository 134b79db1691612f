/** Wires the commands that run a program of the caller: `tt start`, `tt check` and `tt ro`. */
import { resolve } from "node:path";
import { isRefusal } from "../core/refusal.ts";
import { GUIDE_FILES } from "../harness/harnesses.ts";
import { createGuardFiles } from "../platform/agents/guard-files.ts";
import { createSystemClock } from "../platform/clock/clock.ts";
import { homeDirectory } from "../platform/files/home-directory.ts";
import { realPathOrNull } from "../platform/files/real-place.ts";
import { findCheckout } from "../platform/git/git-checkout.ts";
import { createWorkspace } from "../platform/git/workspace.ts";
import { runReadOnly } from "../platform/process/read-only-run.ts";
import { runCommand, runWatched } from "../platform/process/run-command.ts";
import { checkCommand } from "../surfaces/cli/commands/check.ts";
import { roCommand } from "../surfaces/cli/commands/ro.ts";
import { startCommand } from "../surfaces/cli/commands/setup/start.ts";
import { readSettings } from "./settings.ts";

export const check = checkCommand(async ([program = "", ...args], hasTerminal) => {
  const { code, problem, ...seen } = await runWatched({ program, args, env: process.env, hasTerminal });
  if (problem !== null) process.stderr.write(`tt check: ${problem}\n`);
  return { exitCode: code, ...seen };
});

export const start = startCommand(async ({ program, words, env: more, directory, hasTerminal }) => {
  // OpenCode goes by this variable, which a shell would set as well.
  const place = directory === process.cwd() ? {} : { PWD: resolve(directory) };
  const env = { ...process.env, ...place, ...more };
  return runCommand({ program, args: words, env, directory, hasTerminal });
});

export const ro = roCommand(async (path, command, hasTerminal) => {
  const { env } = process;
  const directories = await directoriesOf(path);
  if (typeof directories === "string") return { why: directories };
  const end = await runReadOnly({ command, directories, env, hasTerminal });
  return end.ended === "code" ? { code: end.code } : { why: end.why };
});

/** The trees that must stay as they are, with their repositories; a text says why they are not known. */
async function directoriesOf(path: string): Promise<readonly string[] | string> {
  const home = homeDirectory(process.env);
  const place = await createWorkspace({ home, shared: false, guideFiles: GUIDE_FILES }).locate(path);
  if (isRefusal(place)) return place.message.replace(/\.$/, "");
  const trees = [place.workspaceRoot, ...guardedTrees()];
  return [...new Set(trees.flatMap((tree) => [tree, ...repositoryOf(tree, home && realPathOrNull(home))]))];
}

/** A command could name any guarded room, so all of them are read-only for it. */
function guardedTrees(): readonly string[] {
  const settings = readSettings(process.env);
  if (isRefusal(settings)) return [];
  const rooms = createGuardFiles(settings.dataDir, createSystemClock()).guardedRooms();
  return rooms.flatMap((room) => realPathOrNull(room.path) ?? []);
}

function repositoryOf(tree: string, home: string | null): readonly string[] {
  const repository = findCheckout(tree, home)?.repository ?? null;
  const gitDir = repository && realPathOrNull(repository.gitDir);
  return repository && gitDir ? [repository.commonDir, gitDir] : [];
}
