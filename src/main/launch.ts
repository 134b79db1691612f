/**
 * What `tt` is: chooses one of the programs beside it by the command, loads it in the form that V8 compiled for an
 * earlier command where one was kept, and runs it. Loading and compiling is half of what a short command would cost.
 * A line that the chosen program does not know goes to the whole one, which has the last word on every line.
 */

import { loadCompiled } from "../system/compiled-program.ts";
import { programFor } from "./program-for.ts";
import type { Ran } from "./run-main.ts";

/** Whoever started this may die while the program is loaded, so it is asked first. */
const startedBy = process.ppid;

/** The digest of each program by its file; the build writes it. */
declare const PROGRAM_DIGESTS: Readonly<Record<string, string>>;

type Main = (startedBy: number) => Promise<Ran | null>;

/** False when the line is for another program. */
async function run(name: string, file: string): Promise<boolean> {
  const program = loadCompiled(__dirname, file, require, { name, digest: PROGRAM_DIGESTS[file] ?? "" });
  const ran = await (program.exports as { readonly main: Main }).main(startedBy);
  // Reads leave nothing behind, not even this. Flags before the command are rare and their values nobody's business.
  if (ran?.changed) await program.keep(/^[a-z]+$/.exec(process.argv[2] ?? "")?.[0] ?? "");
  return ran !== null;
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
