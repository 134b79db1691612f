import type { AgentId } from "../../domain/ids.ts";
import type { Deps } from "../deps.ts";

/** Whether a session answers with `reply_to`: all do that have not said otherwise. */
export async function knowsReplyTo(deps: Deps, project: string, agentId: AgentId): Promise<boolean> {
  const sessions = await deps.store.readSessions(project);
  return sessions.find((session) => session.agentId === agentId)?.capabilities.mailbox.replyTo ?? true;
}
