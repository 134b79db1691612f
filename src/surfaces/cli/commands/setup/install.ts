/** tt install and tt uninstall: first what is going to be touched, then the doing, then what is left to the user. */

import { isRefusal, type Refusal, refuse } from "../../../../core/refusal.ts";
import type { GitLayer } from "../../../../engine/ports/git-layer.ts";
import { HARNESSES } from "../../../../harness/harnesses.ts";
import type { Direction, Installer } from "../../../../install/installer.ts";
import type { HarnessOutcome, PlannedFile } from "../../../../install/rules/plan.ts";
import type { Arguments, Command } from "../../command.ts";
import type { CliContext } from "../../context.ts";
import { EXIT } from "../../exit-codes.ts";
import { granted } from "../../granted.ts";
import { YES } from "../../means-it.ts";
import {
  type GitHooks,
  leftHooksText,
  onlyPlanned,
  outcomeText,
  planText,
  refusalText,
  restoredHooksText,
} from "../../text/install.ts";
import { UsageError } from "../../usage-error.ts";

const NAMES = HARNESSES.map(({ name }) => name).join(", ");

export const install: Command = {
  name: "install",
  roomless: true,
  summary: "set up your agents: tools, hooks and the skill",
  details: [
    `Without a name, every installed harness; by name, ${NAMES}.`,
    "Shows what changes in each file and asks first. Without a terminal, add --yes.",
    "Edits only entries of its own, and keeps copies of what it edits.",
    "Running it again changes nothing. tt uninstall removes all of it.",
  ],
  example: "tt install --print",
  positionals: [{ name: "harness", rest: true }],
  flags: {
    all: { kind: "boolean", help: "every installed harness, as without a name" },
    guard: { kind: "boolean", help: "also ask the guard before each tool that writes; see tt guard" },
    "no-guard": { kind: "boolean", help: "remove the guard's hooks; the rest stays" },
    print: { kind: "boolean", help: "only show what would change" },
    yes: YES,
  },
  run: (context, args) => setUp(context, args, "in"),
};

export const uninstall: Command = {
  name: "uninstall",
  roomless: true,
  summary: "remove what tt install wrote, and nothing else",
  details: [
    `Without a name, in every harness; by name, ${NAMES}. Messages and rooms stay where they are.`,
    "The hooks by which git asks the guard go with the last harness. Shows what goes and asks first.",
  ],
  example: "tt uninstall claude",
  positionals: [{ name: "harness", rest: true }],
  flags: {
    all: { kind: "boolean", help: "every harness, as without a name" },
    print: { kind: "boolean", help: "only show what would change" },
    yes: YES,
  },
  run: (context, args) => setUp(context, args, "out"),
};

async function setUp(context: CliContext, args: Arguments, direction: Direction): Promise<number> {
  const names = args.rest;
  if (names.length > 0 && args.isSet("all")) {
    throw new UsageError("Names and --all exclude each other.", "Use one of them.");
  }
  const guard = args.isSet("guard") ? true : args.isSet("no-guard") ? false : undefined;
  if (args.isSet("guard") && args.isSet("no-guard")) {
    throw new UsageError("--guard and --no-guard exclude each other.", "Use one of them.");
  }
  const installer = granted(await context.ports.installer(direction === "in" ? "change" : "undo", guard));
  const layer = direction === "out" ? granted(await context.ports.gitLayer("undo")) : null;
  const work = { installer, layer, names, direction };
  const isPrint = args.isSet("print");
  const json = await context.wantsJson();
  const style = { paint: context.paint, columns: context.columns, home: installer.home };
  // Who has said yes already is told the files and keys alone.
  const textOf = ({ plan, hooks }: Planned) =>
    [
      planText(plan, direction, { ...style, lines: !args.isSet("yes") || isPrint }),
      restoredHooksText(hooks, style),
    ].filter((text) => text !== "");
  const print = (text: string) => (text === "" || json ? Promise.resolve() : context.ports.writeOut(`${text}\n`));
  const asks = !isPrint && !args.isSet("yes");
  const planned = asks ? await agreedPlan(context, work, textOf) : planNow(context, work);
  if (planned === null) return EXIT.done;
  const { plan, hooks } = planned;
  if (!asks || !changesAny(planned)) await print(textOf(planned).join("\n"));
  const git = layer && !isPrint ? await takeOutGitHooks(context, layer, hooks) : hooks;
  const outcomes = granted(isPrint ? plan : installer.carryOut(names, direction));
  const written = !isPrint && outcomes.some(({ files }) => files.some(({ action }) => action !== "keep"));
  if (json) await context.answer(answerOf(installer, { outcomes, direction, written, git }), () => "");
  await print(isPrint ? onlyPlanned(plan) : outcomeText(outcomes, installer, direction, style));
  await print(leftHooksText(git, style));
  const failed = outcomes.filter((outcome) => hasFailed(outcome, names));
  const [first] = failed;
  if (!first) return EXIT.done;
  // The answer says what became of each; an error says one thing.
  if (json) return context.refuse(refusalOf(first));
  for (const outcome of failed) await context.ports.writeError(refusalText(outcome, style));
  return EXIT.refused;
}

interface Work {
  readonly installer: Installer;
  /** Null where the hooks of git stay as they are. */
  readonly layer: GitLayer | null;
  readonly names: readonly string[];
  readonly direction: Direction;
}

interface Planned {
  readonly plan: readonly HarnessOutcome[];
  readonly hooks: GitHooks;
}

function planNow(context: CliContext, { installer, layer, names, direction }: Work): Planned {
  const plan = installer.plan(names, direction);
  // A name that no harness has.
  if (isRefusal(plan)) throw new UsageError(plan.message, context.wordsOf(plan.next));
  return { plan, hooks: layer ? plannedGitHooks(layer, installer.setUpBesides(names)) : NO_HOOKS };
}

function changesAny({ plan, hooks }: Planned): boolean {
  return hooks.restored.length > 0 || plan.some(({ files }) => files.some(({ action }) => action !== "keep"));
}

/** A yes is for what was shown, and the files may change while a person reads. Null is a no. */
async function agreedPlan(
  context: CliContext,
  work: Work,
  textOf: (planned: Planned) => readonly string[],
): Promise<Planned | null> {
  let planned = planNow(context, work);
  let before: Planned | null = null;
  while (changesAny(planned) && JSON.stringify(before) !== JSON.stringify(planned)) {
    const changed = before ? ["Files have changed meanwhile. Above is what would be done now."] : [];
    if (!(await isAgreed(context, [...textOf(planned), ...changed], work.direction))) return null;
    before = planned;
    planned = planNow(context, work);
  }
  return planned;
}

/** The plan goes with the question: standard output holds the answer alone. */
async function isAgreed(context: CliContext, shown: readonly string[], direction: Direction): Promise<boolean> {
  if (!context.ports.terminal.input || (await context.wantsJson())) {
    throw new UsageError(
      "This changes files of other programs, and there is no terminal to ask for a yes. Nothing was done.",
      "See what changes with --print, then add --yes.",
    );
  }
  await context.ports.writeError(`${shown.join("\n")}\n`);
  if (await context.ports.confirm(direction === "in" ? "Write this?" : "Take this out?")) return true;
  await context.ports.writeError("Nothing was changed.\n");
  return false;
}

const NO_HOOKS: GitHooks = { restored: [], left: [], besides: [] };

/** They stay as long as a harness is set up. */
function plannedGitHooks(layer: GitLayer, besides: readonly string[]): GitHooks {
  const recorded = layer.recorded();
  return besides.length > 0
    ? { restored: [], left: [...new Set(recorded.map(({ repository }) => repository))], besides }
    : { ...NO_HOOKS, restored: recorded.flatMap(({ paths }) => paths) };
}

/** It comes before the harnesses, because the records of both are in one directory, which goes with the last of them. */
async function takeOutGitHooks(context: CliContext, layer: GitLayer, planned: GitHooks): Promise<GitHooks> {
  if (planned.besides.length > 0) return planned;
  const { restored, failed } = granted(layer.removeAll());
  for (const { message, next } of failed) await context.ports.writeError(`tt: ${message} ${context.wordsOf(next)}\n`);
  return { ...NO_HOOKS, restored };
}

interface Done {
  readonly outcomes: readonly HarnessOutcome[];
  readonly direction: Direction;
  readonly written: boolean;
  readonly git: GitHooks;
}

function answerOf(installer: Installer, { outcomes, direction, written, git: { restored, left } }: Done) {
  const done = outcomes.filter(({ status }) => status === "done");
  return {
    written,
    harnesses: outcomes.map((outcome) => ({ ...outcome, files: outcome.files.map(toldFile) })),
    backups: installer.backups,
    restart: done.map(({ harness }) => harness),
    notes: direction === "in" && done.length > 0 ? installer.notes : [],
    ...(direction === "out" && { gitHooks: { restored, left } }),
  };
}

/** Without the lines: those of other programs may hold secrets, and a reader of JSON can compare the files. */
function toldFile({ path, action, keys, what, backup }: PlannedFile) {
  return { path, action, keys, what, backup };
}

/** A named harness that could not be set up counts as failed; an unnamed one that is not here does not. */
function hasFailed({ status }: HarnessOutcome, names: readonly string[]): boolean {
  return status === "refused" || (status === "skipped" && names.length > 0);
}

function refusalOf({ harness, title, reason, next }: HarnessOutcome): Refusal {
  return refuse("invalid_path", `${title}: ${reason ?? ""}`, next ?? "", { harness });
}
