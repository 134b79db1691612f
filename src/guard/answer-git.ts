/**
 * The guard's hook in git: a command of an agent is about to change refs, or has changed them. It is refused only where a
 * refusal leaves everything as it was (guard/rules/git-operation.ts). What an agent without the stick has changed is recorded.
 */
import { isRefusal } from "../core/refusal.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { recordForeignWrite } from "./foreign-writes.ts";
import type { GuardDeps } from "./guard-deps.ts";
import { isCaller, judgeRooms, turnDuring } from "./judge-attempt.ts";
import { foreignWrite } from "./rules/foreign-write.ts";
import { changedRefs, type GitStep, isRefusable } from "./rules/git-operation.ts";

/** Whether there may be something to refuse or to record. Most steps of git are neither. */
export function concernsGuard(step: GitStep): boolean {
  return isRefusable(step) || changedRefs(step).length > 0;
}

export interface GitCall {
  readonly step: GitStep;
  /** Where git was started, in the working tree that it works on. */
  readonly directory: string;
  /** The session as the environment of the command names it. */
  readonly sessionId: string | null;
}

/** Why the command is refused; null if it may go on. */
export async function answerGit(deps: GuardDeps, asked: Caller, call: GitCall): Promise<string | null> {
  const { step, directory } = call;
  if (isRefusal(await deps.workspace.locate(directory))) return null;
  const agentId = await deps.store.resolveAlias(asked.agentId);
  const caller = agentId === asked.agentId ? asked : { ...asked, agentId };
  // The first place is the directory itself; a room below it is not concerned.
  const {
    above: [paths = []],
  } = await deps.writePlaces(".", [directory]);
  const { rooms: found, moment } = await deps.store.readRooms({ host: deps.host, paths });
  // The refs belong to every room of the repository, also to those above.
  const rooms = paths.flatMap((path) => found.find((each) => each.path === path) ?? []);
  const [here] = rooms;
  if (!here) return null;
  const who = { caller, sessionId: caller === asked ? call.sessionId : null, cwd: directory };
  const done = isAm(step) ? NOTHING_APPLIED : NOTHING_CHANGED;
  const judged = await judgeRooms(deps, who, { rooms, moment }, { effect: "writes", done });
  if (isRefusable(step)) {
    // The holder of the room in which git runs is never refused. The other rooms get to know what it changed.
    const isHolder = await isCaller(deps.store, caller, here.state.owner);
    return judged.verdict === "refuse" && !isHolder ? judged.text : null;
  }
  const refs = changedRefs(step);
  for (const each of judged.rooms) {
    const [command] = step.commands;
    const tool = command?.verb ? { tool: `git ${command.verb}` } : {};
    const write = foreignWrite(refs, { evidence: "git_ref", ...tool, duringTurn: turnDuring(each) });
    await recordForeignWrite(deps, caller, each.room.id, { writer: caller.agentId, write });
  }
  return null;
}

const NOTHING_CHANGED = "Nothing was changed.";
/** Git keeps the patches until it is told not to. */
const NOTHING_APPLIED = "Nothing was applied; clear it with `git am --quit`.";

function isAm({ commands: [command] }: GitStep): boolean {
  return command?.verb === "am";
}
