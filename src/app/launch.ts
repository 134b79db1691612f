/**
 * What `tt` is: chooses one of the programs beside it by the command, loads it in the form that V8 compiled for an
 * earlier command where one was kept, and runs it. Loading and compiling is half of what a short command would cost.
 * A line that the chosen program does not know goes to the whole one, which has the last word on every line.
 */

import { loadCompiled, type ProgramFile } from "../platform/code/compiled-program.ts";
import { keptFor, programFor, READS } from "./program-for.ts";
import type { Ran } from "./run-main.ts";

/** Read first: the parent process may die while the program loads. */
const startedBy = process.ppid;

/** The digest of each program by its file; the build writes it. */
declare const PROGRAM_DIGESTS: Readonly<Record<string, string>>;

interface Program {
  readonly main: (startedBy: number) => Promise<Ran | null>;
  /** Runs what is read all day, unheard. False when it did not. */
  readonly rehearse?: () => Promise<boolean>;
}

/** False when the line is for another program. */
async function run(name: string, file: string): Promise<boolean> {
  const commands = keptFor(process.argv.slice(2), name);
  const which = { directory: __dirname, file, name, digest: PROGRAM_DIGESTS[file] ?? "" };
  const program = loadCompiled(which, require, commands);
  const { main, rehearse } = program.exports as Program;
  const ran = await main(startedBy);
  if (!ran?.mayKeep || program.wasKept) return ran !== null;
  if (await program.keep(commands[0] ?? READS)) await (rehearse ? keepForReads(which) : program.keep(READS));
  return true;
}

/**
 * What reads need is compiled by a command that may keep it: once more from the beginning, so that nothing else is in it.
 * It is nobody's command, so nobody is told when it fails.
 */
async function keepForReads(which: ProgramFile): Promise<void> {
  try {
    const program = loadCompiled(which, require, []);
    if (await (program.exports as Program).rehearse?.()) await program.keep(READS);
  } catch {
    // Reads take a little longer then.
  }
}

/** The server lives long and is mostly not ours, so it is loaded as it is. */
async function runServer(): Promise<boolean> {
  const { main } = await import("./mcp.ts");
  return (await main(startedBy)) !== null;
}

async function launch(): Promise<void> {
  const chosen = programFor(process.argv.slice(2));
  if (chosen === "mcp" && (await runServer())) return;
  if (chosen === "everyday" && (await run("everyday", "everyday.cjs"))) {
    // All is written and closed. Node would tidy up its own memory first, which takes longer than to leave it.
    process.exit();
  }
  await run("tt", "program.cjs");
}

void launch();
