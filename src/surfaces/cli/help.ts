/** Help is made from the same table that the parser reads, so it cannot name what does not exist. */
import type { Command, Flag, Positional } from "./command.ts";
import { GLOBAL_FLAGS } from "./parse.ts";
import { wrap, wrapWhole } from "./text/wrap.ts";

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

export function overview(groups: readonly CommandGroup[], version: string, width: number): string {
  const sections = groups.map(({ title, commands }) => {
    const shown = commands.filter((command) => !command.hidden);
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
    "Example: tt wait --timeout 10m",
    "More:    tt help <command>",
    "",
  ].join("\n");
}

export function helpOf(command: Command, width: number): string {
  const words = (command.positionals ?? []).map(positionalText);
  const hasFlags = command.flags !== undefined && Object.keys(command.flags).length > 0;
  return [
    wrap(`tt ${command.name}: ${command.summary}`, width),
    "",
    wrapWhole(`Usage: ${["tt", command.name, ...words, ...(hasFlags ? ["[flags]"] : [])].join(" ")}`, width, "  "),
    ...(command.details ? ["", wrap(command.details.join(" "), width)] : []),
    ...(hasFlags ? ["", "Flags:", ...flagLines(command.flags ?? {}, width)] : []),
    "",
    wrapWhole(`Example: ${command.example}`, width, "  "),
    "Global flags: tt help flags",
    "",
  ].join("\n");
}

/** The flags that every command takes. */
export function flagsHelp(width: number): string {
  return ["Global flags:", ...flagLines(GLOBAL_FLAGS, width), ""].join("\n");
}

function positionalText({ name, required, rest, literal, afterDashes }: Positional): string {
  if (literal) return name;
  if (afterDashes) return `-- <${name}…>`;
  const word = rest ? `${name}…` : name;
  return required ? `<${word}>` : `[${word}]`;
}

function flagLines(flags: Readonly<Record<string, Flag>>, width: number): string[] {
  return Object.entries(flags).map(([name, { kind, value, help }]) => {
    const shown = kind === "boolean" ? `--${name}` : `--${name} ${value ?? (kind === "duration" ? "TIME" : "VALUE")}`;
    return row(shown, help, { leftWidth: 24, width });
  });
}

/** Two columns; what does not fit stands below the second. */
function row(
  left: string,
  right: string,
  { leftWidth, width }: { readonly leftWidth: number; readonly width: number },
): string {
  const lead = `  ${left.padEnd(leftWidth)} `;
  const indent = " ".repeat(leftWidth + 3);
  return lead.length > indent.length
    ? `${lead.trimEnd()}\n${indent}${wrap(right, width, indent)}`
    : `${lead}${wrap(right, width, indent)}`;
}
