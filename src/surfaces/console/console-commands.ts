/** tt chat, tt watch: the console. It is a program of its own. The whole program has these lines for their help. */
import type { Command } from "../cli/command.ts";
import type { CliContext } from "../cli/context.ts";
import { UsageError } from "../cli/usage-error.ts";

type Open = (context: CliContext) => Promise<number>;

export const chatCommand = (open: Open): Command => ({
  name: "chat",
  summary: "talk with the agents of this room, and see what happens",
  details: [
    "Text goes to the room; @name text to one agent; !@name text interrupts it; ?name text asks it. /help lists the",
    "rest. Talk flows into the terminal's own scrollback. Mail to you is read once it is on the screen.",
    "It needs a terminal. Unless a person starts it under their own name, it only shows. The page about it: docs/console.md",
  ],
  example: "tt chat",
  positionals: [{ name: "path" }],
  run: (context) => open(onTerminal(context, "tt chat", "tt log --follow")),
});

export const watchCommand = (open: (context: CliContext, ofAll: boolean) => Promise<number>): Command => ({
  name: "watch",
  summary: "the board of this room, kept up to date; with --all, of all your rooms",
  details: [
    "It shows who writes, who waits for what and who needs you, and keys to step in: ? lists them, q ends it.",
    "It acknowledges no mail. It needs a terminal; tt alone prints the same board once.",
  ],
  example: "tt watch --all",
  positionals: [{ name: "path" }],
  flags: { all: { kind: "boolean", help: "all your rooms on this machine: path, holder, what needs you" } },
  async run(context, args) {
    const ofAll = args.isSet("all");
    if (ofAll && (args.text("room") !== undefined || args.positional("path") !== undefined))
      throw new UsageError("--all shows every room, so a room or a path beside it has no effect.", "Give one of them.");
    return open(onTerminal(context, "tt watch", "tt"), ofAll);
  },
});

/** Refuses where nothing can be typed or drawn. */
function onTerminal(context: CliContext, command: string, instead: string): CliContext {
  const { terminal, env } = context.ports;
  if (!terminal.input || !terminal.output) {
    const stream = terminal.input ? "output" : "input";
    throw new UsageError(`${command} needs a terminal, and standard ${stream} is none.`, `Without one: ${instead}`);
  }
  if (env["TERM"] === "dumb" || env["TERM"] === undefined || env["TERM"] === "") {
    const named = env["TERM"] ? `TERM=${env["TERM"]}` : "an empty TERM";
    throw new UsageError(`${command} draws on the screen, which ${named} does not allow.`, `Instead: ${instead}`);
  }
  return context;
}
