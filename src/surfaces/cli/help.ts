/** Help is made from the same table that the parser reads, so it cannot name what does not exist. */

import { wrap, wrapWhole } from "../words/wrap.ts";
import type { Command, Flag, Positional } from "./command.ts";
import { GLOBAL_FLAGS } from "./parse.ts";

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** The commands of every day, by name. Help shows them first. */
const EVERYDAY = ["wait", "release", "msg send", "ask", "reply", "give", "pause", "log", "why", "chat"];

/** The groups as people see them: every day's commands first, and each command once. */
export function shownGroups(groups: readonly CommandGroup[]): readonly CommandGroup[] {
  const listed = groups.flatMap(({ commands }) => commands).filter(({ hidden }) => !hidden);
  const everyday = EVERYDAY.flatMap((name) => listed.find((command) => command.name === name) ?? []);
  const rest = groups.map(({ title, commands }) => ({
    title,
    commands: commands.filter((command) => listed.includes(command) && !everyday.includes(command)),
  }));
  return [{ title: "Every day", commands: everyday }, ...rest].filter(({ commands }) => commands.length > 0);
}

export function overview(groups: readonly CommandGroup[], version: string, width: number): string {
  const sections = shownGroups(groups).map(({ title, commands: shown }) => {
    return [`${title}:`, ...shown.map((command) => row(command.name, command.summary, { leftWidth: 11, width }))].join(
      "\n",
    );
  });
  return [
    wrap(`tt ${version}: one writer at a time, for several coding agents in one directory`, width),
    "",
    wrap("Usage: tt [command] [flags]      tt alone shows the room here", width),
    "",
    sections.join("\n\n"),
    "",
    flagsHelp(width),
    wrapWhole("Example: tt wait --timeout 10m", width, "  "),
    wrapWhole("More:    tt help <command>", width, "  "),
    "",
  ].join("\n");
}

export function helpOf(command: Command, width: number): string {
  const hasFlags = command.flags !== undefined && Object.keys(command.flags).length > 0;
  return [
    wrap(`tt ${command.name}: ${command.summary}`, width),
    "",
    wrapWhole(`Usage: ${usageOf(command)}`, width, "  "),
    ...(command.details ? ["", wrap(command.details.join(" "), width)] : []),
    ...(hasFlags ? ["", "Flags:", ...flagLines(command.flags ?? {}, width)] : []),
    "",
    wrapWhole(`Example: ${command.example}`, width, "  "),
    wrapWhole("Global flags: tt help flags", width, "  "),
    "",
  ].join("\n");
}

/** The flags that every command takes. */
export function flagsHelp(width: number): string {
  return ["Global flags:", ...flagLines(GLOBAL_FLAGS, width), ""].join("\n");
}

export function usageOf(command: Command): string {
  const words = (command.positionals ?? []).map(positionalText);
  const hasFlags = Object.keys(command.flags ?? {}).length > 0;
  return ["tt", command.name, ...words, ...(hasFlags ? ["[flags]"] : [])].join(" ");
}

export function flagText(name: string, { kind, value }: Flag): string {
  return kind === "boolean" ? `--${name}` : `--${name} ${value ?? (kind === "duration" ? "TIME" : "VALUE")}`;
}

function positionalText({ name, required, rest, literal, afterDashes }: Positional): string {
  if (literal) return name;
  if (afterDashes) return `-- <${name}…>`;
  const word = rest ? `${name}…` : name;
  return required ? `<${word}>` : `[${word}]`;
}

function flagLines(flags: Readonly<Record<string, Flag>>, width: number): string[] {
  return Object.entries(flags).map(([name, flag]) => row(flagText(name, flag), flag.help, { leftWidth: 24, width }));
}

/** Less room than this is no second column. */
const NARROW = 16;

/** Two columns; what does not fit stands below the second. On a narrow terminal the second stands below the first. */
function row(
  left: string,
  right: string,
  { leftWidth, width }: { readonly leftWidth: number; readonly width: number },
): string {
  const lead = `  ${left.padEnd(leftWidth)} `;
  if (width - lead.length < NARROW)
    return `${wrapWhole(`  ${left}`, width, "    ")}\n    ${wrap(right, width, "    ")}`;
  const indent = " ".repeat(leftWidth + 3);
  return lead.length > indent.length
    ? `${lead.trimEnd()}\n${indent}${wrap(right, width, indent)}`
    : `${lead}${wrap(right, width, indent)}`;
}
