/**
 * The program of `tt chat` and `tt watch`, with Ink and React. It has a store, operations and ports of its own, as the
 * other programs do.
 */
import { StandardTerminal } from "../../platform/terminal/console-terminal.ts";
import { runPlainLine } from "../../surfaces/cli/run-command.ts";
import { openChat } from "../../surfaces/console/chat/open-chat.ts";
import { chatCommand, watchCommand } from "../../surfaces/console/console-commands.ts";
import { openWatch } from "../../surfaces/console/watch/open-watch.ts";
import { type Ran, runMain } from "../run-main.ts";

const COMMANDS = [
  chatCommand((context) => openChat(context, new StandardTerminal())),
  watchCommand((context, ofAll) => openWatch(context, new StandardTerminal(), ofAll)),
];

/**
 * Null when the line is for the whole program: help, and every line that is wrong. The whole program comes back here for
 * a line that has flags before its command.
 */
export function main(): Promise<Ran | null> {
  return runMain((words, ports) => runPlainLine(words, ports, COMMANDS));
}
