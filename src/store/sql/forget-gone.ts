/**
 * Forgetting agents that are gone: in no room, by whatever name, without mail, without a question that waits, and not
 * among those that left a room lately. What was sent under which `msg_id` is never forgotten.
 */
import type { SessionKey } from "../../session/rules/session.ts";
import { toStoredJson } from "./json.ts";
import { inParts, type PruneStep } from "./prune.ts";
import { SESSION_COLUMNS } from "./session-rows.ts";
import type { Statement } from "./statement.ts";

/** The condition that the agent of this column is gone; its one parameter is since when departures are late ones. */
function isGone(agent: string): string {
  return `NOT EXISTS (SELECT 1 FROM members m WHERE m.agent_id = ${agent})
      AND NOT EXISTS (SELECT 1 FROM aliases f JOIN members m ON m.agent_id = f.old_agent_id WHERE f.agent_id = ${agent})
      AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.recipient = ${agent})
      AND NOT EXISTS (SELECT 1 FROM asks q WHERE q.state = 'waiting' AND q.asker = ${agent})
      AND ${agent} NOT IN (SELECT ${DEPARTED} FROM events e
        WHERE e.event_type IN ('member_left', 'kick') AND e.created_at > ? AND ${DEPARTED} IS NOT NULL
        AND e.payload NOT LIKE '${EXPIRED}')`;
}

/** A member that left because it had been away for long was gone long before. */
const EXPIRED = `${toStoredJson({ reason: "expired" }).slice(0, -1)}%`;
const DEPARTED = "(CASE e.event_type WHEN 'kick' THEN e.to_agent_id ELSE e.from_agent_id END)";
const hasSession = (agent: string) => `EXISTS (SELECT 1 FROM sessions s WHERE s.agent_id = ${agent})`;

const IDLE_MAILBOXES = `DELETE FROM mailboxes WHERE receivers = '[]' AND pending = 0 AND in_flight = 0
        AND ${isGone("mailboxes.agent_id")} AND NOT ${hasSession("mailboxes.agent_id")}`;

export function selectGoneSessions(since: string): Statement {
  return {
    sql: `SELECT ${SESSION_COLUMNS} FROM sessions WHERE ${isGone("sessions.agent_id")} ORDER BY project, agent_id`,
    params: [since],
  };
}

/** Run inside one transaction, in this order: what has a session, a mailbox or a handle left is not forgotten. */
export function forgetGone(since: string, sessions: readonly SessionKey[]): readonly PruneStep[] {
  return [
    ...inParts(sessions).map(
      (part): PruneStep => ({
        sql: `DELETE FROM sessions WHERE ${isGone("sessions.agent_id")}
          AND (project, agent_id) IN (VALUES ${part.map(() => "(?, ?)").join(", ")})`,
        params: [since, ...part.flatMap(({ project, agentId }) => [project, agentId])],
        kind: "sessions",
      }),
    ),
    {
      sql: `DELETE FROM asks WHERE state <> 'waiting'
        AND NOT EXISTS (SELECT 1 FROM events e WHERE e.event_id = asks.request_id) AND ${isGone("asks.asker")}`,
      params: [since],
      kind: "asks",
    },
    // A store may have made a row for one that never got mail: that is no mailbox to tell of.
    { sql: `${IDLE_MAILBOXES} AND acked + dead_letter + expired = 0`, params: [since] },
    { sql: IDLE_MAILBOXES, params: [since], kind: "mailboxes" },
    {
      sql: `DELETE FROM handles WHERE ${isGone("handles.agent_id")} AND NOT ${hasSession("handles.agent_id")}`,
      params: [since],
      kind: "handles",
    },
    {
      sql: `DELETE FROM aliases WHERE ${isGone("aliases.agent_id")} AND NOT ${hasSession("aliases.agent_id")}
        AND NOT EXISTS (SELECT 1 FROM mailboxes b WHERE b.agent_id = aliases.agent_id)
        AND NOT EXISTS (SELECT 1 FROM handles h WHERE h.agent_id = aliases.agent_id)
        AND NOT EXISTS (SELECT 1 FROM sent w WHERE w.sender = aliases.agent_id)`,
      params: [since],
      kind: "aliases",
    },
  ];
}

export const SELECT_AGENTS: Statement = {
  sql: `SELECT agent_id FROM members UNION SELECT agent_id FROM mailboxes UNION SELECT agent_id FROM handles
    UNION SELECT agent_id FROM sessions`,
  params: [],
};

export const SELECT_SESSION_IDS: Statement = {
  sql: `SELECT session_id FROM sessions WHERE session_id IS NOT NULL
    UNION SELECT session_id FROM members WHERE session_id IS NOT NULL`,
  params: [],
};

export const SELECT_MEMBERSHIPS: Statement = { sql: "SELECT agent_id, room_id FROM members", params: [] };
