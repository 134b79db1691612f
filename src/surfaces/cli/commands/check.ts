/** tt check: runs a command and keeps how it ended for the handoff. */
import { Fault } from "../../../core/fault.ts";
import { isRefusal } from "../../../core/refusal.ts";
import { shellWord } from "../../../core/shell-word.ts";
import { type CommandOutcome, isRecorded, runCheck } from "../../../stick/run-check.ts";
import type { Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { roomOf } from "../room-of.ts";

/** What main wires. */
export type RunAndWatch = (command: readonly string[], hasTerminal: boolean) => Promise<CommandOutcome>;

/** A longer command is cut in the log. */
const MOST_CHARACTERS = 500;

export const checkCommand = (runAndWatch: RunAndWatch): Command => ({
  name: "check",
  summary: "run a command, and show in your handoff how it ended",
  details: [
    "The command runs in your own shell, with your own permissions. If you hold the stick, its end is recorded: exit code,",
    "time, a digest of what it printed, and the state of the files. The next holder reads it as ✓ or ✗.",
    "Ends with the command's exit code; 125 if it could not be started, 126 if it is not executable, 127 if it is not found.",
  ],
  example: "tt check -- npm test",
  positionals: [{ name: "command", required: true, rest: true, afterDashes: true }],
  async run(context, args) {
    const { terminal } = context.ports;
    const words = args.rest;
    let outcome: CommandOutcome | null = null;
    const run = async () => {
      outcome = await runAndWatch(words, terminal.input || terminal.output || terminal.errors);
      return outcome;
    };
    const text = words.map(shellWord).join(" ");
    const command = text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1)}…`;
    const unrecorded = await whyUnrecorded(() => recordedCheck(context, command, run));
    // A store that fails must not keep the command from running, nor change how it ended.
    const { exitCode } = outcome ?? (await run());
    const told = unrecorded ?? `recorded for your handoff: ${exitCode === 0 ? "✓" : "✗"} ${command}`;
    await context.ports.writeError(`tt check: ${told}\n`);
    return exitCode;
  },
});

/** Null if the check is in the log; otherwise why it is not. */
async function recordedCheck(
  context: CliContext,
  command: string,
  run: () => Promise<CommandOutcome>,
): Promise<string | null> {
  const room = await roomOf(context);
  if (isRefusal(room)) return room.message;
  const session = await context.session();
  if (isRefusal(session)) return session.message;
  const checked = await runCheck(session.deps, { ...session, room }, { command, run });
  return isRecorded(checked) ? null : "You do not hold the stick.";
}

async function whyUnrecorded(record: () => Promise<string | null>): Promise<string | null> {
  try {
    const why = await record();
    return why && `not recorded: ${why}`;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return `not recorded: ${error.message}`;
  }
}
