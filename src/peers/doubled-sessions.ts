/**
 * Sessions that run in more than one process, as when one was resumed in a second terminal. They are one agent with one
 * place in the room, so nothing keeps the two from writing at the same time. A read.
 */
import type { AgentId } from "../core/ids.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { type ProjectInput, readProject } from "../room/project-sight.ts";

export interface DoubledSession {
  readonly agentId: AgentId;
  readonly pids: readonly number[];
}

export async function doubledSessions(deps: Deps, input: ProjectInput): Promise<readonly DoubledSession[] | Refusal> {
  const project = await readProject(deps, input);
  if (isRefusal(project)) return project;
  return [...project.sessions.values()].flatMap(({ agentId, harness, sessionId }) => {
    const known = sessionId === null ? [] : (deps.cards?.processesOf({ harness, sessionId }) ?? []);
    const living = known.filter((process) => deps.probe.verdict(process) === "alive").map(({ pid }) => pid);
    return living.length > 1 ? [{ agentId, pids: living.toSorted((a, b) => a - b) }] : [];
  });
}
