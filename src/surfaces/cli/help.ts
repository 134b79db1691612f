/** Help is made from the same table that the parser reads, so it cannot name what does not exist. */
import type { Command, Flag, Positional } from "./command.ts";
import { GLOBAL_FLAGS } from "./parse.ts";
import { wrap } from "./text/wrap.ts";

const WIDTH = 80;

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

export function overview(groups: readonly CommandGroup[], version: string): string {
  const sections = groups.map(({ title, commands }) => {
    const shown = commands.filter((command) => !command.hidden);
    return [`${title}:`, ...shown.map((command) => row(command.name, command.summary, 11))].join("\n");
  });
  return [
    `tt ${version}: one writer at a time, for several coding agents in one directory`,
    "",
    "Usage: tt [command] [flags]      tt alone shows the room here",
    "",
    sections.join("\n\n"),
    "",
    flagsHelp(),
    "Example: tt wait --timeout 10m",
    "More:    tt help <command>",
    "",
  ].join("\n");
}

export function helpOf(command: Command): string {
  const words = (command.positionals ?? []).map(positionalText);
  const hasFlags = command.flags !== undefined && Object.keys(command.flags).length > 0;
  return [
    wrap(`tt ${command.name}: ${command.summary}`, WIDTH),
    "",
    `Usage: ${["tt", command.name, ...words, ...(hasFlags ? ["[flags]"] : [])].join(" ")}`,
    ...(command.details ? ["", wrap(command.details.join(" "), WIDTH)] : []),
    ...(hasFlags ? ["", "Flags:", ...flagLines(command.flags ?? {})] : []),
    "",
    `Example: ${command.example}`,
    "Global flags: tt help flags",
    "",
  ].join("\n");
}

/** The flags that every command takes. */
export function flagsHelp(): string {
  return ["Global flags:", ...flagLines(GLOBAL_FLAGS), ""].join("\n");
}

function positionalText({ name, required, rest, literal, afterDashes }: Positional): string {
  if (literal) return name;
  if (afterDashes) return `-- <${name}…>`;
  const word = rest ? `${name}…` : name;
  return required ? `<${word}>` : `[${word}]`;
}

function flagLines(flags: Readonly<Record<string, Flag>>): string[] {
  return Object.entries(flags).map(([name, { kind, value, help }]) => {
    const shown = kind === "boolean" ? `--${name}` : `--${name} ${value ?? (kind === "duration" ? "TIME" : "VALUE")}`;
    return row(shown, help, 24);
  });
}

/** Two columns; what does not fit stands below the second. */
function row(left: string, right: string, leftWidth: number): string {
  const lead = `  ${left.padEnd(leftWidth)} `;
  const indent = " ".repeat(leftWidth + 3);
  return lead.length > indent.length
    ? `${lead.trimEnd()}\n${indent}${wrap(right, WIDTH, indent)}`
    : `${lead}${wrap(right, WIDTH, indent)}`;
}
