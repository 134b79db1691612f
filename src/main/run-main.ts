/** What every program of `tt` does around its commands: the ports before, and a word about a bug of ours after. */
import { version } from "../../package.json";
import type { CliPorts } from "../surfaces/cli/context.ts";
import { createCliPorts } from "./cli-ports.ts";

export interface Ran {
  /** Whether the command may have changed something. */
  readonly changed: boolean;
}

/** `run` resolves to the exit code, or to null when the line is for another program. */
export async function runMain(
  run: (words: readonly string[], ports: CliPorts) => Promise<number | null>,
): Promise<Ran | null> {
  const ports = createCliPorts(version);
  try {
    const exitCode = await run(process.argv.slice(2), ports);
    if (exitCode === null) return null;
    process.exitCode = exitCode;
  } catch (error) {
    // A bug of ours. It is never hidden, but only --debug shows where it happened.
    const debug = process.argv.includes("--debug");
    const told = error instanceof Error ? (debug ? error.stack : error.message) : String(error);
    const advice = `Please report it${debug ? "" : ", with what --debug shows"}.`;
    const text = `tt: this is a bug in tt: ${told}\n    ${advice}\n`;
    await new Promise<void>((resolve) => process.stderr.write(text, () => resolve()));
    process.exitCode = 70;
  }
  return { changed: ports.changed() };
}
