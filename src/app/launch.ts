/**
 * The entry point of `tt`. By the command it chooses one of the programs beside it and runs it. If V8's compiled code
 * was kept from an earlier command, it loads that: otherwise loading and compiling take half of the time of a short
 * command. A line that the chosen program does not know goes to the whole program, which answers every line.
 */

import { loadCompiled, type ProgramFile } from "../platform/code/compiled-program.ts";
import { keptFor, keptWithMail, programFor, READS } from "./program-for.ts";
import type { Ran } from "./run-main.ts";

/** Read first: the parent process may die while the program loads. */
const startedBy = process.ppid;

/** The digest of each program by its file; the build writes it. */
declare const PROGRAM_DIGESTS: Readonly<Record<string, string>>;

interface Program {
  readonly main: (startedBy: number) => Promise<Ran | null>;
  /** Runs the most common read without output. False when it did not run. */
  readonly rehearse?: () => Promise<boolean>;
}

/** False when the line is for another program. */
async function run(name: string, file: string): Promise<boolean> {
  const commands = keptFor(process.argv.slice(2), name);
  const which = { directory: __dirname, file, name, digest: PROGRAM_DIGESTS[file] ?? "" };
  const [command = READS] = commands;
  const withMail = keptWithMail(command);
  const program = loadCompiled(which, require, withMail === null ? commands : [withMail, ...commands]);
  const { main, rehearse } = program.exports as Program;
  const ran = await main(startedBy);
  if (!ran?.mayKeep) return ran !== null;
  const own = (ran.hasShownMail && withMail) || command;
  // What was kept with mail has all that is needed without.
  if (program.keptFor === own || (withMail !== null && program.keptFor === withMail)) return true;
  if (await program.keep(own)) await (rehearse ? keepForReads(which) : program.keep(READS));
  return true;
}

/**
 * Compiles the code that reads need, in a command that may write the cache. It loads the program again, so that the
 * compiled code has nothing else in it. No user asked for this, so a failure is not reported.
 */
async function keepForReads(which: ProgramFile): Promise<void> {
  try {
    const program = loadCompiled(which, require, []);
    if (await (program.exports as Program).rehearse?.()) await program.keep(READS);
  } catch {
    // Reads then take a little longer.
  }
}

/** The server lives long, and most of its code is the SDK's, so it is loaded without a cache. */
async function runServer(): Promise<boolean> {
  const { main } = await import("./mcp.ts");
  return (await main(startedBy)) !== null;
}

/** Most of its code is Ink's and React's; nothing else loads it. */
async function runConsole(): Promise<boolean> {
  const { loadConsole } = await import("./console/load-console.ts");
  const { main } = await loadConsole();
  return (await main()) !== null;
}

async function runPageServer(): Promise<boolean> {
  const { main } = await import("./page/ui-program.ts");
  return (await main()) !== null;
}

async function launch(): Promise<void> {
  const chosen = programFor(process.argv.slice(2));
  if (chosen === "mcp" && (await runServer())) return;
  if (chosen === "console" && (await runConsole())) return;
  if (chosen === "ui" && (await runPageServer())) return;
  if (chosen === "everyday" && (await run("everyday", "everyday.cjs"))) {
    // Everything is written and closed. Without this call Node would free its memory first, which takes time.
    process.exit();
  }
  await run("tt", "program.cjs");
}

void launch();
