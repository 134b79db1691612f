/** Runs one command line: parse, help or command. */
import { jsonText } from "../../core/visible.ts";
import type { Command } from "./command.ts";
import { type CliPorts, columnsOf } from "./context.ts";
import { EXIT } from "./exit-codes.ts";
import { type CommandGroup, flagsHelp, helpOf, overview } from "./help.ts";
import { parseAnyWords } from "./other-words.ts";
import { type ParsedLine, splitAtCommand } from "./parse.ts";
import { runCommand, tellUsage } from "./run-command.ts";
import { UsageError } from "./usage-error.ts";

export async function runCli(
  words: readonly string[],
  ports: CliPorts,
  table: { readonly bare: Command; readonly groups: readonly CommandGroup[] },
): Promise<number> {
  const commands = table.groups.flatMap((group) => group.commands);
  const { before, name, after } = splitAtCommand(words);
  if (name === "help" && after[0] === "flags") return print(ports, flagsHelp(columnsOf(ports)));
  const flag = COMMANDS_FOR_FLAGS.get(name ?? "");
  if (flag !== undefined) return runCli([...before, flag, ...after], ports, table);
  let line: ParsedLine;
  try {
    line = parseAnyWords(words, commands);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return tellUsage(ports, { json: words.includes("--json"), text: words.includes("--text") }, error);
  }
  const { command, family, args } = line;
  if (args.isSet("version"))
    return print(ports, `${args.isSet("json") ? jsonText({ version: ports.version }) : ports.version}\n`);
  if (args.isSet("help")) {
    const width = columnsOf(ports);
    const asked = command ? [command] : family;
    const text =
      asked.length > 0
        ? asked.map((one) => helpOf(one, width)).join("\n")
        : overview(table.groups, ports.version, width);
    return print(ports, text);
  }
  return runCommand(command ?? table.bare, args, ports);
}

/** `tt help wait` is `tt wait --help`. */
const COMMANDS_FOR_FLAGS = new Map([
  ["help", "--help"],
  ["version", "--version"],
]);

async function print(ports: CliPorts, text: string): Promise<number> {
  await ports.writeOut(text);
  return EXIT.done;
}
