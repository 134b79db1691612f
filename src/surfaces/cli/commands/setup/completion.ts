/** tt completion: the words for a shell, which asks `tt complete-line` what may come next. */
import { isRefusal } from "../../../../core/refusal.ts";
import { quoted, visible } from "../../../../core/visible.ts";
import { findRoom } from "../../../../room/find-room.ts";
import { roomState } from "../../../../room/get-room-state.ts";
import type { Command } from "../../command.ts";
import bash from "../../completion/bash.sh";
import { completionFor, type NamedRoom, SHELLS } from "../../completion/complete.ts";
import fish from "../../completion/fish.sh";
import zsh from "../../completion/zsh.sh";
import type { CliContext } from "../../context.ts";
import { EXIT } from "../../exit-codes.ts";
import { UsageError } from "../../usage-error.ts";

const SCRIPTS: Readonly<Record<string, string>> = { bash, zsh, fish };

export const completion: Command = {
  name: "completion",
  roomless: true,
  summary: "lets your shell complete commands, flags and agents",
  details: [
    'bash and zsh: eval "$(tt completion bash)" in ~/.bashrc or, after compinit, in ~/.zshrc.',
    "fish: tt completion fish | source, in ~/.config/fish/config.fish. The shell asks tt at each Tab, so nothing becomes old.",
  ],
  example: 'eval "$(tt completion bash)"',
  positionals: [{ name: "shell", required: true }],
  async run({ ports }, args) {
    const shell = args.required("shell");
    const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
    if (script === undefined)
      throw new UsageError(`There is no completion for ${quoted(shell)}.`, `Name ${SHELLS.join(", ")}.`);
    await ports.writeOut(script);
    return EXIT.done;
  },
};

/** What the scripts ask. It only reads, and says nothing about what fails: there is no place for errors on a half-typed line. */
export const completeLine = (commands: () => readonly Command[]): Command => ({
  name: "complete-line",
  summary: "what may come next on a line; shells ask it",
  example: "tt complete-line -- wait --",
  hidden: true,
  positionals: [{ name: "words", rest: true, afterDashes: true }],
  async run(context, args) {
    const found = completionFor(args.rest, commands());
    const words = typeof found === "object" && "agentsOf" in found ? await agentsOf(context, found.agentsOf) : found;
    const lines = words === "files" ? [":files\t"] : words.map(({ word, about }) => `${word}\t${about}`);
    await context.ports.writeOut(lines.map((line) => `${line}\n`).join(""));
    return EXIT.done;
  },
});

/** By the names that people type. A name that a terminal cannot show cannot be typed either. */
async function agentsOf(context: CliContext, { path, room: roomId }: NamedRoom) {
  try {
    const deps = await context.deps();
    if (isRefusal(deps)) return [];
    const room = await findRoom(deps, { roomId, contextPath: path ?? context.path });
    if (isRefusal(room)) return [];
    const state = await roomState(deps, null, room.id);
    if (isRefusal(state)) return [];
    return state.members
      .map(({ agentId, handle, harness }) => ({ word: handle ?? agentId, about: visible(harness) }))
      .filter(({ word }) => visible(word) === word && !/\s/.test(word));
  } catch {
    // A store that cannot be read has no agents to offer.
    return [];
  }
}
