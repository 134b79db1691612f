/**
 * What `tt` is: loads the program beside it, in the form that V8 compiled for an earlier command where one was kept,
 * and runs it. Compiling is half of what a short command would cost.
 */
import { join } from "node:path";
import { loadCompiled } from "../system/compiled-program.ts";
import { openKeptCode } from "../system/kept-code.ts";

/** Whoever started this may die while the program is loaded, so it is asked first. */
const startedBy = process.ppid;

/** The digest of each program by its file; the build writes it. */
declare const PROGRAM_DIGESTS: Readonly<Record<string, string>>;

const keptCode = openKeptCode(process.env, { name: "tt", digest: PROGRAM_DIGESTS["program.cjs"] ?? "" });
const program = loadCompiled(join(__dirname, "program.cjs"), require, keptCode);
const { main } = program.exports as typeof import("./tt.ts");

async function launch(): Promise<void> {
  const changed = await main(startedBy);
  // Reads leave nothing behind, not even this. Flags before the command are rare and their values nobody's business.
  if (changed) program.keep(/^[a-z]+$/.exec(process.argv[2] ?? "")?.[0] ?? "");
}

void launch();
