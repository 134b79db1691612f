/** What every program of `tt` does around its commands: it wires the ports, and reports faults and bugs. */

import { version } from "../../package.json";
import { jsonText } from "../core/visible.ts";
import { OutputClosed, OutputError, sayLastWords } from "../platform/streams/standard-streams.ts";
import { type CliPorts, errorFor } from "../surfaces/cli/context.ts";
import { EXIT } from "../surfaces/cli/exit-codes.ts";
import { createCliPorts } from "./cli-ports.ts";
import type { StoreUse } from "./open-basics.ts";

export interface Ran {
  /**
   * Whether the compiled code of the command may be kept. Reads leave nothing behind, not even this. A command that
   * met a fault ran other code than usual.
   */
  readonly mayKeep: boolean;
  /** Then it ran more code than without. */
  readonly hasShownMail: boolean;
}

/** For a program that ends with its command. */
export const ONE_COMMAND: StoreUse = { leavesLog: true };

/** `run` resolves to the exit code, or to null when the line is for another program. */
export async function runMain(
  run: (words: readonly string[], ports: CliPorts) => Promise<number | null>,
  use: StoreUse = {},
): Promise<Ran | null> {
  let hasShownMail = false;
  const showedMail = () => {
    hasShownMail = true;
  };
  const ports = Object.assign(createCliPorts(version, use), { showedMail });
  try {
    const exitCode = await run(process.argv.slice(2), ports);
    if (exitCode === null) return null;
    process.exitCode = exitCode;
  } catch (error) {
    // Mail that could not be shown is already returned to its mailbox. A reader that closes the pipe is a success.
    if (error instanceof OutputClosed) process.exit(EXIT.done);
    sayLastWords(error instanceof OutputError ? outputText(error, ports) : bugText(error));
    process.exitCode = EXIT.fault;
  }
  const mayKeep = ports.changed() && process.exitCode !== EXIT.fault;
  return { mayKeep, hasShownMail };
}

/** A full disk behind standard output, for example. */
function outputText({ message: why, code }: OutputError, ports: CliPorts): string {
  const message = `The answer could not be written: ${why}.`;
  const next =
    "Send the output somewhere that accepts it. What the command changed stays changed: check before you run it again.";
  const words = process.argv;
  const json = words.includes("--json") || (!words.includes("--text") && ports.insideHarness());
  return json ? `${jsonText({ error: "output_failed", message, next, code })}\n` : errorFor(ports, { message, next });
}

/** A bug of ours. It is never hidden, but only --debug shows where it happened. */
function bugText(error: unknown): string {
  const debug = process.argv.includes("--debug");
  const told = error instanceof Error ? (debug ? error.stack : error.message) : String(error);
  const advice = `Please report it${debug ? "" : " with the output of --debug"}.`;
  return `tt: this is a bug in tt: ${told}\n    ${advice}\n`;
}
