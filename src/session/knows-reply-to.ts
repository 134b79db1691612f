import type { AgentId } from "../core/ids.ts";
import type { Session } from "./rules/session.ts";

/** Whether one of these sessions answers with `reply_to`: all do that have not said otherwise. */
export function knowsReplyTo(sessions: readonly Session[], agentId: AgentId): boolean {
  return sessions.find((session) => session.agentId === agentId)?.capabilities.mailbox.replyTo ?? true;
}
