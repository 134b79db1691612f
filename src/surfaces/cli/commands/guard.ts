/** tt guard: what happens here to a write without the stick, and how far that is proven. A person changes it. */
import { GUARD_MODES, type GuardMode, mayRefuse } from "../../../core/policy.ts";
import { isRefusal } from "../../../core/refusal.ts";
import { quoted } from "../../../core/visible.ts";
import type { GitLayerState, GitLayerWrite } from "../../../engine/ports/git-layer.ts";
import { type Protection, protectionWords } from "../../../prove/rules/protection.ts";
import { type GuardedHarness, roomProtection } from "../../../prove/rules/room-protection.ts";
import { changePolicy } from "../../../room/change-policy.ts";
import type { Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { granted } from "../granted.ts";
import { actingIn, roomOf } from "../room-of.ts";
import { field, visible, wrap } from "../text/wrap.ts";
import { UsageError } from "../usage-error.ts";

/** What the guard does not see. */
const HOLES: readonly string[] = [
  "what an allowed program does: in deny, commands of unknown effect run (strict refuses them)",
  "tools of other MCP servers",
  "text that Codex types into a shell that runs already",
  "programs that outlive the turn, editors, and people",
  "a tool that was allowed just before the stick moved: it may still finish",
];

/** What each mode does, for people. */
const MODE_WORDS = {
  off: "writes without the stick are neither refused nor told",
  advise: "an agent that writes without the stick is told so once a turn",
  deny: "writes without the stick are refused while another agent holds it",
  strict: "only the holder may write or run commands of unknown effect",
} as const;

interface GuardReport {
  readonly canonicalPath: string;
  readonly guard: GuardMode;
  readonly protection: Protection;
  readonly harnesses: readonly GuardedHarness[];
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
    ...GUARD_MODES.map((mode) => `${mode}: ${MODE_WORDS[mode]}.`),
    "tt install --guard lets your agents' programs ask before each write. Reading is never refused, nor is a person.",
    "deny and strict also let git ask before an agent commits or moves a branch. What is written for that into the",
    "repository's hooks or configuration is shown first; off and advise put everything back.",
  ],
  example: "tt guard deny",
  positionals: [{ name: "mode" }],
  flags: {
    yes: { kind: "boolean", help: "set up git's hooks without asking" },
    "no-git": { kind: "boolean", help: "leave git's hooks alone" },
  },
  async run(context, args) {
    const mode = modeIn(args.positional("mode"));
    const wantsGit = mode !== null && !args.isSet("no-git");
    // The way out comes first: it must work in a room that is closed, too.
    if (wantsGit && !mayRefuse(mode)) await removeGitHooks(context);
    if (mode !== null) {
      const { deps, caller, roomId } = await actingIn(context);
      granted(
        await changePolicy.run({ deps, caller, roomId, directory: context.path }, { changes: { guard: mode } }, {}),
      );
    }
    const room = granted(await roomOf(context));
    if (wantsGit && mayRefuse(mode)) await setGitHooks(context, room.path, mode, args.isSet("yes"));
    const harnesses = await guardedHarnesses(context);
    const report: GuardReport = {
      canonicalPath: room.path,
      guard: room.policy.guard,
      protection: roomProtection(room.policy.guard, harnesses),
      harnesses,
      git: await gitReport(context, room.path),
      holes: HOLES,
    };
    await context.answer(report, () => reportText(context, report));
    return EXIT.done;
  },
};

/** Only a person's command gets that far: an agent may not change the policy, and so not remove hooks. */
async function removeGitHooks(context: CliContext): Promise<void> {
  const { writeError, gitLayer } = context.ports;
  const { caller } = granted(await context.session());
  const room = granted(await roomOf(context));
  if (!caller.isPerson) return;
  if (await isGuardedElsewhere(context, room.path)) {
    await writeError("Git's hooks stay: another room of this repository is guarded.\n");
    return;
  }
  const restored = granted(await granted(await gitLayer("undo")).remove(room.path));
  if (restored.length > 0) await writeError(`${wrap(`Put back: ${restored.join(", ")}`, context.columns, "  ")}\n`);
}

/** Sets git's hooks up. The policy of the room is set by now, whatever happens here. */
async function setGitHooks(context: CliContext, path: string, mode: GuardMode, yes: boolean): Promise<void> {
  const { writeError, confirm, terminal } = context.ports;
  const layer = granted(await context.ports.gitLayer("change"));
  const { writes } = await layer.plan(path);
  const changes = writes.filter(({ action }) => action !== "keep");
  if (changes.length === 0) return;
  await writeError(`${changes.map((write) => writeText(write, context.columns)).join("\n")}\n`);
  const agreed = yes || (terminal.input && (await confirm("Let git ask before agents change refs?")));
  if (agreed) granted(await layer.install(path));
  else await writeError(`The mode is set, but git does not ask. To set that up: ${context.tt} guard ${mode} --yes\n`);
}

/** All working trees of a repository have the same hooks. */
async function isGuardedElsewhere(context: CliContext, path: string): Promise<boolean> {
  const deps = granted(await context.deps());
  const { project } = granted(await roomOf(context));
  const { rooms } = await deps.store.readRooms({ host: deps.host, project });
  return rooms.some((room) => room.path !== path && mayRefuse(room.policy.guard));
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

async function guardedHarnesses(context: CliContext): Promise<readonly GuardedHarness[]> {
  const installer = await context.ports.installer("read");
  return isRefusal(installer) ? [] : installer.guarded();
}

function reportText({ columns, tt }: CliContext, report: GuardReport): string {
  const { canonicalPath, guard: mode, protection, harnesses, git, holes } = report;
  const line = (label: string, text: string) => field(label, text, columns, "  ");
  const rows = harnesses.map((each) => line(each.title.toLowerCase(), harnessText(each)));
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
    line("guard", `${mode}: ${MODE_WORDS[mode]}`),
    ...(mode === "off" ? [] : covered),
    wrap(mode === "off" ? `To switch it on: ${tt} guard deny` : `To switch it off: ${tt} guard off`, columns, "  "),
  ].join("\n");
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

function harnessText({ harness, asks, problem, protection }: GuardedHarness): string {
  if (!asks) return problem ?? "does not ask; to set it up: tt install --guard";
  const proof = protection === null ? "its program is not on the path" : protectionWords(protection);
  const how = protection?.level === "not_proven" ? `; to prove it: tt doctor --prove ${harness}` : "";
  return `asks before each write; ${proof}${how}`;
}
