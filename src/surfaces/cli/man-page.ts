/** `man tt`, made from the same table as help. */
import type { Command, Flag } from "./command.ts";
import { type CommandGroup, flagText, shownGroups, usageOf } from "./help.ts";
import { GLOBAL_FLAGS } from "./parse.ts";

export function manPage(groups: readonly CommandGroup[], version: string): string {
  const lines = [
    `.TH TT 1 "" "tt ${version}" "Talking Stick"`,
    ".SH NAME",
    escaped("tt - one writer at a time, for several coding agents in one directory"),
    ".SH SYNOPSIS",
    ".B tt",
    escaped("[command] [flags]"),
    ".SH DESCRIPTION",
    escaped("tt alone shows the room here. tt help shows the commands, tt help and a command how it is used."),
    ...shownGroups(groups).flatMap(({ title, commands }) => [
      `.SH "${escaped(title.toUpperCase())}"`,
      ...commands.flatMap(commandLines),
    ]),
    ".SH GLOBAL FLAGS",
    ...flagLines(GLOBAL_FLAGS),
  ];
  return `${lines.join("\n")}\n`;
}

function commandLines(command: Command): readonly string[] {
  const { summary, details = [], flags = {}, example } = command;
  return [
    ".TP",
    `.B ${escaped(usageOf(command))}`,
    escaped(`${summary[0]?.toUpperCase() ?? ""}${summary.slice(1)}.`),
    ...details
      .join(" ")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => escaped(line)),
    ".br",
    `Example: ${escaped(example)}`,
    ...(Object.keys(flags).length === 0 ? [] : [".RS", ...flagLines(flags), ".RE"]),
  ];
}

function flagLines(flags: Readonly<Record<string, Flag>>): readonly string[] {
  return Object.entries(flags).flatMap(([name, flag]) => [
    ".TP",
    `.B ${escaped(flagText(name, flag))}`,
    escaped(flag.help),
  ]);
}

/** What roff would read as its own: backslashes, hyphens that are meant as such, and a sign at the beginning of a line. */
function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replaceAll("\u2026", "...")
    .replaceAll(
      /[^\0-\x7f]/gu,
      (sign) => `\\[u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
    )
    .replace(/^(?=[.'])/, "\\&");
}
