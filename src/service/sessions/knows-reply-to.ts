import type { AgentId } from "../../domain/ids.ts";
import type { Session } from "../../domain/session/session.ts";

/** Whether one of these sessions answers with `reply_to`: all do that have not said otherwise. */
export function knowsReplyTo(sessions: readonly Session[], agentId: AgentId): boolean {
  return sessions.find((session) => session.agentId === agentId)?.capabilities.mailbox.replyTo ?? true;
}
