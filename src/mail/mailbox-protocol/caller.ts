import type { AgentId } from "../../core/ids.ts";
import type { Caller } from "../../session/rules/decision-input.ts";

/** The caller that the protocol names. It is an id and nothing more: no session, no process, no member of a room. */
export function mailboxCaller(agentId: AgentId): Caller {
  return {
    agentId,
    harness: "mailbox",
    isPerson: false,
    process: null,
    sessionId: null,
    formerId: null,
    tmuxPane: null,
  };
}
