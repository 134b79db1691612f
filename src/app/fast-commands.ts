/**
 * The program of the commands that agents run all day, which starts faster without the others. The whole program has
 * them as well (`surfaces/cli/table.ts`), and answers every line that is not a plain use of one of them.
 */
import { isRefusal } from "../core/refusal.ts";
import { glance, status } from "../surfaces/cli/commands/glance.ts";
import { msgRecv } from "../surfaces/cli/commands/mail/msg-recv.ts";
import { msgSend, reply } from "../surfaces/cli/commands/mail/msg-send.ts";
import { state } from "../surfaces/cli/commands/rooms.ts";
import { heartbeat, pass, release, tryOnce, wait } from "../surfaces/cli/commands/stick.ts";
import { why } from "../surfaces/cli/commands/why.ts";
import { EXIT } from "../surfaces/cli/exit-codes.ts";
import { runPlainLine } from "../surfaces/cli/run-command.ts";
import { ONE_COMMAND, type Ran, runMain } from "./run-main.ts";
import { readSettings } from "./settings.ts";

export const EVERYDAY = [
  wait,
  tryOnce,
  release,
  pass,
  heartbeat,
  msgSend,
  msgRecv,
  reply,
  state,
  status,
  why,
  glance,
] as const;

/** Null when the line is for the whole program. */
export function main(): Promise<Ran | null> {
  return runMain((words, ports) => runPlainLine(words, ports, EVERYDAY), ONE_COMMAND);
}

/**
 * Runs the most common read without output. A read keeps nothing of what V8 compiled for it, so the commands that keep
 * compiled code let V8 compile this read as well.
 */
export async function rehearse(): Promise<boolean> {
  // A rehearsal must not write to the trace, and a store on another machine may answer slowly.
  const settings = readSettings(process.env);
  if (process.env["TT_TRACE_FILE"] || isRefusal(settings) || settings.shared) return false;
  const { exitCode } = process;
  let isDone = false;
  await runMain(async (_, ports) => {
    // To write nothing compiles the function that writes.
    const writeNothing = () => ports.writeOut("");
    // Not a copy: to look at some of the ports is to use them.
    const muted = Object.assign(Object.create(ports) as typeof ports, {
      writeOut: writeNothing,
      writeError: writeNothing,
    });
    // Nobody asked for this, so nothing is told about a failure.
    const code = await runPlainLine(["state"], muted, EVERYDAY).catch(() => EXIT.fault);
    isDone = code === EXIT.done;
    return code;
  }, ONE_COMMAND);
  process.exitCode = exitCode;
  return isDone;
}
