/** tt guard: what happens here to a write without the stick, and how far that is proven. A person changes it. */
import { GUARD_MODES, type GuardMode, mayRefuse } from "../../../core/policy.ts";
import { isRefusal, type Refusal, refuse } from "../../../core/refusal.ts";
import { quoted } from "../../../core/visible.ts";
import type { GitLayerState, GitLayerWrite } from "../../../engine/ports/git-layer.ts";
import { type Protection, protectionWords, provenWords } from "../../../prove/rules/protection.ts";
import type { GuardedHarness } from "../../../prove/rules/room-protection.ts";
import { changePolicy } from "../../../room/change-policy.ts";
import { roomClosed } from "../../../room/rules/refusals.ts";
import type { Room } from "../../../room/rules/room.ts";
import { field, visible, wrap, wrapWhole } from "../../words/wrap.ts";
import type { Arguments, Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { granted, Refused } from "../granted.ts";
import { type GuardedBy, protectionOfMode } from "../protection-of.ts";
import { actingIn, roomOf } from "../room-of.ts";
import { UsageError } from "../usage-error.ts";

/** What the guard does not see. */
const HOLES: readonly string[] = [
  "what an allowed program does: in deny, commands of unknown effect run (strict refuses them)",
  "tools of other MCP servers",
  "text that Codex types into a shell that runs already",
  "programs that outlive the turn, editors, and people",
  "a tool that was allowed just before the stick moved: it may still finish",
];

const CLOSED: Protection = { level: "advisory", why: "the room is closed" };

/** What each mode does, for people. */
const MODE_WORDS = {
  off: "writes without the stick are neither refused nor told",
  advise: "an agent that writes without the stick is told so once a turn",
  deny: "writes without the stick are refused while another agent holds it",
  strict: "only the holder may write or run commands of unknown effect",
} as const;

interface GuardReport extends GuardedBy {
  readonly canonicalPath: string;
  readonly guard: GuardMode;
  readonly git: GitReport;
  readonly holes: readonly string[];
}

interface GitReport {
  readonly status: GitLayerState["status"];
  /** What git will not ask about here. */
  readonly holes: readonly string[];
}

export const guard: Command = {
  name: "guard",
  summary: "what happens to writes without the stick; a person sets it",
  details: [
    `${GUARD_MODES.map((mode) => `${mode}: ${MODE_WORDS[mode]}.`).join("\n")}\n\ntt install --guard lets your agents' programs ask before each write. Reading is never refused, nor is a person.`,
    "deny and strict also let git ask before an agent commits or moves a branch. What is written for that into the",
    "repository's hooks or configuration is shown first, and you are asked; off and advise put everything back.",
  ],
  example: "tt guard deny",
  positionals: [{ name: "mode" }],
  flags: {
    yes: { kind: "boolean", help: "set up git's hooks without asking" },
    "no-git": { kind: "boolean", help: "leave git's hooks alone" },
  },
  async run(context, args) {
    const mode = modeIn(args.positional("mode"));
    const left = mode === null ? null : await setMode(context, mode, args);
    const room = granted(await roomOf(context));
    const isClosed = room.state.status === "closed";
    const report: GuardReport = {
      canonicalPath: room.path,
      guard: room.policy.guard,
      ...(await protectionOfMode(context, room.policy.guard)),
      ...(isClosed && { protection: CLOSED }),
      git: await gitReport(context, room.path),
      holes: HOLES,
    };
    await context.answer(report, () => reportText(context, report));
    return left === null ? EXIT.done : context.refuse(left);
  },
};

/** Sets mode and hooks together, or changes nothing. The refusal: why hooks are left that should be removed. */
async function setMode(context: CliContext, mode: GuardMode, args: Arguments): Promise<Refusal | null> {
  await assertPerson(context, mode);
  const room = granted(await roomOf(context));
  const wantsGit = !args.isSet("no-git");
  // The way out: hooks that cannot be removed do not keep the mode, and a closed room does not keep the hooks.
  const left = wantsGit && !mayRefuse(mode) ? await removeGitHooks(context, room) : null;
  if (wantsGit && mayRefuse(mode)) await setUpWithGit(context, mode, room, args.isSet("yes"));
  else await changeMode(context, mode);
  return left && { ...left, message: `The guard is set to ${mode}, but git's hooks stay. ${left.message}` };
}

async function setUpWithGit(context: CliContext, mode: GuardMode, room: Room, yes: boolean): Promise<void> {
  if (room.state.status === "closed") throw new Refused(roomClosed(room, { isPerson: true }));
  const layer = granted(await context.ports.gitLayer("change"));
  const { writes } = await layer.plan(room.path);
  const changes = writes.filter(({ action }) => action !== "keep");
  if (changes.length > 0 && !(await isAgreed(context, mode, changes, yes))) return;
  const installed = changes.length > 0 ? await layer.install(room.path) : null;
  if (isRefusal(installed)) {
    const next = `${context.wordsOf(installed.next)} To leave git's hooks alone: ${context.tt} guard ${mode} --no-git`;
    throw new Refused({ ...installed, message: `${installed.message} Nothing was changed.`, next });
  }
  try {
    await changeMode(context, mode);
  } catch (error) {
    if (installed && !mayRefuse(room.policy.guard)) await removeGitHooks(context, room);
    throw error;
  }
}

async function changeMode(context: CliContext, mode: GuardMode): Promise<void> {
  const { deps, caller, roomId } = await actingIn(context);
  granted(await changePolicy.run({ deps, caller, roomId, directory: context.path }, { changes: { guard: mode } }, {}));
}

/** Comes before all else: without a terminal, a name does not help. */
async function assertPerson(context: CliContext, mode: GuardMode): Promise<void> {
  const unknown = await context.unknownCaller();
  const { input, output, errors } = context.ports.terminal;
  const isAtTerminal = input || output || errors;
  if (unknown && (isAtTerminal || unknown.error !== "agent_id_required")) throw new Refused(unknown);
  if ((await context.caller())?.isPerson) return;
  const next = `A person can do it in a terminal of their own: ${context.tt} guard ${mode}`;
  throw new Refused(refuse("not_authorized", "Only a person at a terminal may set the guard.", next));
}

async function isAgreed(
  context: CliContext,
  mode: GuardMode,
  changes: readonly GitLayerWrite[],
  yes: boolean,
): Promise<boolean> {
  const { writeError, confirm, terminal } = context.ports;
  if (!yes && !terminal.input)
    throw new UsageError(
      "There is no terminal to ask for a yes to git's hooks.",
      "Add --yes, or --no-git to leave git's hooks alone.",
    );
  const shown = changes.map((write) => writeText(write, context.columns));
  await writeError(`${shown.join("\n")}\n`);
  if (yes) return true;
  const alone = `For the mode alone: ${context.tt} guard ${mode} --no-git`;
  if (await confirm(`Write this and set ${mode}? "No" changes nothing.`)) return true;
  await writeError(`${wrapWhole(`Nothing was changed. ${alone}`, context.columns, "  ")}\n`);
  return false;
}

/** Why that did not work, or null. */
async function removeGitHooks(context: CliContext, { path, project }: Room): Promise<Refusal | null> {
  const { writeError, gitLayer } = context.ports;
  const tell = (text: string) => writeError(`${wrapWhole(text, context.columns, "  ")}\n`);
  const other = await guardedElsewhere(context, { path, project });
  if (other) {
    await tell(`Git's hooks stay: ${other.path} is of the same repository, and its guard is ${other.policy.guard}.`);
    return null;
  }
  const restored = await granted(await gitLayer("undo")).remove(path);
  if (isRefusal(restored)) return restored;
  if (restored.length > 0) await tell(`Put back: ${restored.join(", ")}`);
  return null;
}

/** All working trees of a repository have the same hooks. A closed room guards nothing. */
async function guardedElsewhere(context: CliContext, { path, project }: Pick<Room, "path" | "project">) {
  const deps = granted(await context.deps());
  const { rooms } = await deps.store.readRooms({ host: deps.host, project });
  return rooms.find((room) => room.path !== path && room.state.status !== "closed" && mayRefuse(room.policy.guard));
}

/** What is going to be written, word for word: its lines are not wrapped. */
function writeText({ path, action, text, movedTo }: GitLayerWrite, width: number): string {
  const how = movedTo === null ? ACTIONS[action] : `a new file; what is there moves to ${movedTo}, and still runs`;
  const lines = visible(text.trim()).split("\n");
  return [wrap(`${path}: ${how}`, width, "  "), ...lines.map((line) => `    ${line}`)].join("\n");
}

const ACTIONS: Readonly<Record<GitLayerWrite["action"], string>> = {
  make: "a new file",
  add: "added lines",
  chain: "a new file that also runs what was there",
  replace: "a newer text of ours",
  keep: "as it is",
};

async function gitReport(context: CliContext, path: string): Promise<GitReport> {
  const layer = await context.ports.gitLayer("change");
  if (isRefusal(layer)) return { status: "impossible", holes: [layer.message] };
  const { status, plan } = await layer.inspect(path);
  return { status, holes: plan.holes };
}

function modeIn(word: string | undefined): GuardMode | null {
  if (word === undefined) return null;
  const mode = GUARD_MODES.find((known) => known === word);
  if (mode !== undefined) return mode;
  throw new UsageError(`${quoted(word)} is no mode of the guard.`, `Give ${GUARD_MODES.join(", ")}.`);
}

function reportText({ columns, tt }: CliContext, report: GuardReport): string {
  const { canonicalPath, guard: mode, protection, harnesses, git, holes } = report;
  const line = (label: string, text: string) => field(label, text, columns, "  ");
  const rows = harnesses.map((each) => line(each.title.toLowerCase(), harnessText(each)));
  const isOn = mode !== "off" && protection !== CLOSED;
  const covered = [
    line("protection", protectionWords(protection)),
    ...rows,
    line("git", gitText(git, mode, tt)),
    "",
    "  Not covered:",
    ...holes.map((hole) => `  - ${wrap(hole, columns, "    ")}`),
  ];
  return [
    wrap(canonicalPath, columns),
    line("guard", `${mode}: ${protection === CLOSED ? `${CLOSED.why}, so nothing is guarded` : MODE_WORDS[mode]}`),
    ...(isOn ? covered : []),
    wrapWhole(protection === CLOSED ? `To reopen it: ${tt} join` : switchText(isOn, tt), columns, "  "),
  ].join("\n");
}

function switchText(isOn: boolean, tt: string): string {
  return isOn ? `To switch it off: ${tt} guard off` : `To switch it on: ${tt} guard deny`;
}

function gitText({ status, holes }: GitReport, mode: GuardMode, tt: string): string {
  if (status === "in_place") {
    const except = holes.length === 0 ? "" : `, except: ${holes.join(" ")}`;
    return `asks before an agent commits, or moves a branch, tag or stash${except}`;
  }
  if (status === "impossible") return `does not ask: ${holes.join(" ")}`;
  if (mode === "advise") return "does not ask; advise needs no hooks of git";
  const which = status === "partly" ? "its hooks are not all in place" : "does not ask";
  return `${which}; to set it up: ${tt} guard ${mode} --yes`;
}

function harnessText({ harness, asks, problem, protection, proof }: GuardedHarness): string {
  if (!asks) return problem ?? "does not ask: tt install --guard";
  const proven = protection === null ? "its program is not on the path" : provenWords({ protection, proof });
  const how = protection?.level === "not_proven" ? `; try: tt doctor --prove ${harness}` : "";
  return `asks; ${proven}${how}`;
}
