/**
 * The guard's hook in git, from its words to whether the command is refused. It fails open: without a certain answer the
 * command goes on, and the log says why. Only an agent is ever refused, and only if its harness is seen above it: the
 * variables of a session alone may have been left in a person's terminal.
 */
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { answerGit, concernsGuard } from "../../guard/answer-git.ts";
import type { GuardDeps } from "../../guard/guard-deps.ts";
import { gitCommandsAbove } from "../../guard/rules/git-command.ts";
import { type GitHookCall, refUpdatesIn } from "../../guard/rules/git-operation.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import type { Surroundings } from "../../session/rules/evidence.ts";
import { findHarness } from "../../session/rules/harness-finding.ts";
import type { GuardPorts } from "./run-guard.ts";
import { causeOf } from "./run-hook.ts";

export interface GitHookPorts extends Pick<GuardPorts, "openDeps" | "writeReason" | "log"> {
  readonly readRefs: () => Promise<{ readonly text: string; readonly isCut: boolean }>;
  readonly lookAround: () => Surroundings;
  readonly place: () => { readonly directory: string; readonly isMidway: boolean } | null;
  readonly identify: (deps: GuardDeps, surroundings: Surroundings) => Promise<Caller | Refusal>;
}

/** Whether the command of git is refused. Its words: `git`, the hook, and the state of a transaction. */
export async function runGitHook([, hook = "", state = ""]: readonly string[], ports: GitHookPorts): Promise<boolean> {
  try {
    const reason = await reasonAgainst(hook, state, ports);
    if (reason === null) return false;
    ports.writeReason(`${reason}\n`);
    return true;
  } catch (error) {
    ports.log(causeOf(error));
    return false;
  }
}

async function reasonAgainst(hook: string, state: string, ports: GitHookPorts): Promise<string | null> {
  const surroundings = ports.lookAround();
  const finding = findHarness(surroundings);
  if (finding.kind !== "ancestor" || finding.process === null) return null;
  const call = await callFor(hook, state, ports);
  const place = ports.place();
  if (call === null || place === null) return null;
  const commands = gitCommandsAbove(surroundings.ancestry.processes);
  const step = { call, commands, isMidway: place.isMidway };
  if (!concernsGuard(step)) return null;
  const deps = await ports.openDeps();
  const caller = isRefusal(deps) ? deps : await ports.identify(deps, surroundings);
  if (isRefusal(deps) || isRefusal(caller)) {
    ports.log(causeOf(caller));
    return null;
  }
  if (caller.isPerson) return null;
  const sessionId = finding.mark?.sessionId ?? null;
  return answerGit(deps, caller, { step, directory: place.directory, sessionId });
}

async function callFor(hook: string, state: string, { readRefs }: GitHookPorts): Promise<GitHookCall | null> {
  if (hook === "pre-rebase") return { hook };
  if (hook !== "reference-transaction" || (state !== "prepared" && state !== "committed")) return null;
  const { text, isCut } = await readRefs();
  return { hook, state, updates: refUpdatesIn(text), isCut };
}
