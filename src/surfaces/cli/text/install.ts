/** A plan of an installation and what became of it, for people. */

import type { Direction, Installer } from "../../../install/installer.ts";
import type { DiffLine } from "../../../install/rules/line-diff.ts";
import type { HarnessOutcome, PlannedFile } from "../../../install/rules/plan.ts";
import { visible, wrap, wrapWhole } from "../../words/wrap.ts";
import { errorText } from "./error.ts";
import type { Painter } from "./paint.ts";

export interface Style {
  readonly paint: Painter;
  readonly columns: number;
  readonly home: string;
  /** Whether each line that changes is shown, or only the keys. */
  readonly lines?: boolean;
}

const INDENT = " ".repeat(11);

export function planText(plan: readonly HarnessOutcome[], direction: Direction, style: Style): string {
  return plan.map((outcome) => harnessText(outcome, direction, style)).join("\n");
}

function harnessText({ title, status, files, reason }: HarnessOutcome, direction: Direction, style: Style): string {
  const name = style.paint.bold(title);
  const lead = " ".repeat(2);
  if (status === "skipped")
    return `${name}: skipped. ${wrap(short(reason ?? "", style), style.columns - title.length, lead)}`;
  if (status === "refused") {
    const alone = changed(files).map((file) => fileText(file, style));
    return [
      `${name}: cannot be done, see below.${alone.length > 0 ? " These files are independent of it:" : ""}`,
      ...alone,
    ].join("\n");
  }
  if (status === "unchanged")
    return `${name}: ${direction === "in" ? "set up already." : "there is nothing to remove."}`;
  return [name, ...changed(files).map((file) => fileText(file, style))].join("\n");
}

function changed(files: readonly PlannedFile[]): readonly PlannedFile[] {
  return files.filter(({ action }) => action !== "keep");
}

function fileText({ path, action, keys, what, diff }: PlannedFile, style: Style): string {
  const explained = what === null ? "" : ` (${what})`;
  const verb = action === "make" ? "create" : action;
  const line = `  ${verb.padEnd(8)} ${wrap(`${short(path, style)}${explained}`, style.columns, INDENT)}`;
  const named = keys.length === 0 ? [] : [`${INDENT}${style.paint.dim(wrap(keys.join(", "), style.columns, INDENT))}`];
  return [line, ...named, ...(style.lines ? diff.map((part) => diffText(part, style)) : [])].join("\n");
}

function diffText({ sign, text }: DiffLine, { paint, columns }: Style): string {
  const lead = " ".repeat(4);
  const line = `${lead}${sign} ${wrap(text, columns, `${lead}  `)}`.trimEnd();
  return sign === "@" ? paint.dim(line) : sign === "+" ? paint.green(line) : paint.red(line);
}

export function outcomeText(
  outcomes: readonly HarnessOutcome[],
  installer: Installer,
  direction: Direction,
  style: Style,
): string {
  const done = outcomes.filter(({ status }) => status === "done");
  if (done.length === 0) return "";
  const titles = done.map(({ title }) => title).join(", ");
  const copies = done.some(({ files }) => files.some(({ backup }) => backup !== null));
  const notes = [...(direction === "in" ? installer.notes : []), ...done.flatMap(({ notes: own }) => own)];
  const lines = [
    `Done. Restart the client: ${titles}.`,
    ...(copies ? [`Copies of what was there before: ${short(installer.backups, style)}`] : []),
    ...notes.map((note) => `- ${short(note, style)}`),
  ];
  return ["", ...lines.map((line) => wrapWhole(line, style.columns, line.startsWith("- ") ? "  " : ""))].join("\n");
}

/** The hooks by which git asks the guard: files that are put back, and repositories that keep them for other harnesses. */
export interface GitHooks {
  readonly restored: readonly string[];
  readonly left: readonly string[];
  readonly besides: readonly string[];
}

export function restoredHooksText({ restored }: GitHooks, style: Style): string {
  if (restored.length === 0) return "";
  const lines = restored.map((path) => `  restore  ${wrap(short(path, style), style.columns, INDENT)}`);
  return [`${style.paint.bold("Git")}, which asks the guard`, ...lines].join("\n");
}

export function leftHooksText({ left, besides }: GitHooks, style: Style): string {
  if (left.length === 0) return "";
  return [
    wrap(`Git still asks the guard in these repositories, because of ${besides.join(", ")}:`, style.columns),
    ...left.map((repository) => `  ${short(repository, style)}`),
    "To end that in one of them: tt guard off",
    "In all, with every harness: tt uninstall",
  ].join("\n");
}

export function onlyPlanned(plan: readonly HarnessOutcome[]): string {
  const isAny = plan.some(({ status, files }) => status === "planned" || changed(files).length > 0);
  return isAny ? "\nNothing was written. To write it, leave out --print." : "";
}

export function refusalText({ title, reason, next }: HarnessOutcome, style: Style): string {
  const error = { message: `${title}: ${short(reason ?? "", style)}`, next: short(next ?? "", style) };
  return errorText(error, style.columns, style.paint);
}

/** Paths below the user's home as people write them. */
function short(text: string, { home }: Style): string {
  return visible(text.replaceAll(`${home}/`, "~/"));
}
