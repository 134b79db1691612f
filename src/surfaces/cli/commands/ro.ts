/** tt ro: runs a command that cannot change the working tree. */
import { isRefusal } from "../../../core/refusal.ts";
import { roomState } from "../../../room/get-room-state.ts";
import type { Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { assertNamedRoom, roomOf } from "../room-of.ts";
import { nameIn } from "../text/room.ts";

/** What main wires: runs the command with the tree around a path, and with its repository, read-only. */
export type RunInReadOnlyTree = (path: string, command: readonly string[], hasTerminal: boolean) => Promise<RunEnd>;

/** The command's exit code, or why it did not run. */
export type RunEnd = { readonly code: number } | { readonly why: string };

/** Nothing was run. Commands that run others leave the codes below it to those. */
const FAILED = 125;

export const roCommand = (run: RunInReadOnlyTree): Command => ({
  name: "ro",
  summary: "run a command that cannot change the working tree",
  details: [
    "The working tree and its repository are read-only for the command and for all that it starts; it can write elsewhere,",
    "but on Linux not directly in a directory above the tree. It takes Landlock (Linux 6.2) with perl, or macOS.",
    "Ends with the command's exit code; 125 if it could not be run in this way, 126 if it is not executable, 127 if it is not found.",
  ],
  example: "tt ro -- npm test",
  positionals: [{ name: "command", required: true, rest: true, afterDashes: true }],
  async run(context, args) {
    const { terminal, writeError } = context.ports;
    const room = await assertNamedRoom(context);
    const end = await run(room?.path ?? context.path, args.rest, terminal.input || terminal.output || terminal.errors);
    if ("why" in end) {
      await writeError(`tt ro: ${end.why}. The command did not run.\n`);
      return FAILED;
    }
    if (end.code !== 0 && end.code !== FAILED) await writeError(`${await reminder(context)}\n`);
    return end.code;
  },
});

async function reminder(context: CliContext): Promise<string> {
  const holder = await holderHere(context);
  if (holder === null) return "tt ro: the tree was read-only for this command.";
  return holder === "you"
    ? "tt ro: the tree was read-only for this command. You hold the stick, so you may run it without tt ro."
    : `tt ro: the tree was read-only for this command. ${holder} holds the stick.`;
}

/** Null if no agent holds the stick here, or if the store cannot tell. */
async function holderHere(context: CliContext): Promise<string | null> {
  try {
    const deps = await context.deps();
    const room = await roomOf(context);
    if (isRefusal(deps) || isRefusal(room)) return null;
    const caller = await context.caller();
    const state = await roomState(deps, caller, room.id);
    if (isRefusal(state) || state.room.owner === null) return null;
    return caller?.agentId === state.room.owner ? "you" : nameIn(state.members, state.room.owner, null);
  } catch {
    // The command has run and failed, and that is what the caller must see.
    return null;
  }
}
