/** tt install and tt uninstall: first what is going to be touched, then the doing, then what is left to the user. */

import { isRefusal, type Refusal, refuse } from "../../../core/refusal.ts";
import { HARNESSES } from "../../../harness/harnesses.ts";
import type { Direction, Installer } from "../../../install/installer.ts";
import type { HarnessOutcome } from "../../../install/rules/plan.ts";
import type { Arguments, Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { granted } from "../granted.ts";
import {
  type GitHooks,
  leftHooksText,
  onlyPlanned,
  outcomeText,
  planText,
  refusalText,
  restoredHooksText,
} from "../text/install.ts";
import { UsageError } from "../usage-error.ts";

const NAMES = HARNESSES.map(({ name }) => name).join(", ");

export const install: Command = {
  name: "install",
  roomless: true,
  summary: "set up your agents: tools, hooks and the skill",
  details: [
    `Without a name, every installed harness; by name, ${NAMES}.`,
    "Shows each file and key that it touches, edits only entries of its own, and keeps copies of what it edits.",
    "Running it again changes nothing. tt uninstall removes all of it.",
  ],
  example: "tt install --print",
  positionals: [{ name: "harness", rest: true }],
  flags: {
    all: { kind: "boolean", help: "every installed harness, as without a name" },
    guard: { kind: "boolean", help: "also ask the guard before each tool that writes; see tt guard" },
    "no-guard": { kind: "boolean", help: "remove the guard's hooks; the rest stays" },
    print: { kind: "boolean", help: "only show what would be touched" },
  },
  run: (context, args) => setUp(context, args, "in"),
};

export const uninstall: Command = {
  name: "uninstall",
  roomless: true,
  summary: "remove what tt install wrote, and nothing else",
  details: [
    `Without a name, in every harness; by name, ${NAMES}. Messages and rooms stay where they are.`,
    "The hooks by which git asks the guard go with the last harness.",
  ],
  example: "tt uninstall claude",
  positionals: [{ name: "harness", rest: true }],
  flags: {
    all: { kind: "boolean", help: "every harness, as without a name" },
    print: { kind: "boolean", help: "only show what would be touched" },
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
  const plan = installer.plan(names, direction);
  // A name that no harness has.
  if (isRefusal(plan)) throw new UsageError(plan.message, context.wordsOf(plan.next));
  const json = await context.wantsJson();
  const print = (text: string) => (text === "" || json ? Promise.resolve() : context.ports.writeOut(`${text}\n`));
  const style = { paint: context.paint, columns: context.columns, home: installer.home };
  await print(planText(plan, direction, style));
  const git = direction === "out" ? await takeOutGitHooks(context, installer.setUpBesides(names), args) : NO_HOOKS;
  await print(restoredHooksText(git, style));
  const outcomes = granted(args.isSet("print") ? plan : installer.carryOut(names, direction));
  const written = !args.isSet("print") && outcomes.some(({ files }) => files.some(({ action }) => action !== "keep"));
  if (json) await context.answer(answerOf(installer, { outcomes, direction, written, git }), () => "");
  await print(args.isSet("print") ? onlyPlanned(plan) : outcomeText(outcomes, installer, direction, style));
  await print(leftHooksText(git, style));
  const failed = outcomes.filter((outcome) => hasFailed(outcome, names));
  const [first] = failed;
  if (!first) return EXIT.done;
  // The answer says what became of each; an error says one thing.
  if (json) return context.refuse(refusalOf(first));
  for (const outcome of failed) await context.ports.writeError(`${refusalText(outcome, style)}\n`);
  return EXIT.refused;
}

const NO_HOOKS: GitHooks = { restored: [], left: [], besides: [] };

/**
 * They stay as long as a harness is set up. It comes before the harnesses, because the records of both are in one
 * directory, which goes with the last of them.
 */
async function takeOutGitHooks(context: CliContext, besides: readonly string[], args: Arguments): Promise<GitHooks> {
  const layer = granted(await context.ports.gitLayer("undo"));
  const recorded = layer.recorded();
  if (besides.length > 0) {
    return { restored: [], left: [...new Set(recorded.map(({ repository }) => repository))], besides };
  }
  if (args.isSet("print")) return { ...NO_HOOKS, restored: recorded.flatMap(({ paths }) => paths) };
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
    harnesses: outcomes,
    backups: installer.backups,
    restart: done.map(({ harness }) => harness),
    notes: direction === "in" && done.length > 0 ? installer.notes : [],
    ...(direction === "out" && { gitHooks: { restored, left } }),
  };
}

/** A named harness that could not be set up counts as failed; an unnamed one that is not here does not. */
function hasFailed({ status }: HarnessOutcome, names: readonly string[]): boolean {
  return status === "refused" || (status === "skipped" && names.length > 0);
}

function refusalOf({ harness, title, reason, next }: HarnessOutcome): Refusal {
  return refuse("invalid_path", `${title}: ${reason ?? ""}`, next ?? "", { harness });
}
