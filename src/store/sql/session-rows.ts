/** Sessions as rows, there and back, and the statements about them. Both databases share them. */
import type { AgentId } from "../../core/ids.ts";
import { STRATEGIES } from "../../session/rules/identity.ts";
import {
  ACTIVITIES,
  type Capabilities,
  type MailboxCapabilities,
  type Session,
  type SessionKey,
} from "../../session/rules/session.ts";
import { bit, idOf, json, list, nullable, oneOf, shape, text, truth } from "./decode.ts";
import { processRef } from "./documents.ts";
import { toStoredJson } from "./json.ts";
import { Columns } from "./read-rows.ts";
import { deleteFrom, type SqlRow, type Statement, upsertInto } from "./statement.ts";
import { jsonOrNull } from "./write-rows.ts";

export const SESSION_COLUMNS = `project, agent_id, harness, harness_version, session_id, id_source, cwd, transcript_path, capabilities,
  activity, activity_since, process, hooked, waker, turn, servers`;

const capabilities = shape<Capabilities>({
  mailbox: shape<MailboxCapabilities>({ replyTo: truth, provenance: truth, pushBudget: truth }),
});

export function selectSession({ project, agentId }: SessionKey): Statement {
  return {
    sql: `SELECT ${SESSION_COLUMNS} FROM sessions WHERE project = ? AND agent_id = ?`,
    params: [project, agentId],
  };
}

export function selectSessions(project: string): Statement {
  return { sql: `SELECT ${SESSION_COLUMNS} FROM sessions WHERE project = ? ORDER BY agent_id`, params: [project] };
}

export function selectSessionsWithId(sessionId: string): Statement {
  return {
    sql: `SELECT ${SESSION_COLUMNS} FROM sessions WHERE session_id = ? ORDER BY project, agent_id`,
    params: [sessionId],
  };
}

export function saveSession(session: Session): Statement {
  return upsertInto("sessions", ["project", "agent_id"], {
    project: session.project,
    agent_id: session.agentId,
    harness: session.harness,
    harness_version: session.harnessVersion,
    session_id: session.sessionId,
    id_source: session.idSource,
    cwd: session.cwd,
    transcript_path: session.transcriptPath,
    capabilities: toStoredJson(session.capabilities),
    activity: session.activity.state,
    activity_since: session.activity.since,
    process: jsonOrNull(session.process),
    hooked: session.hooked ? 1 : 0,
    waker: jsonOrNull(session.waker),
    turn: session.turn,
    servers: toStoredJson(session.servers),
  });
}

export function readSession(row: SqlRow): Session {
  const columns = new Columns("sessions", row);
  return {
    agentId: columns.get("agent_id", idOf<AgentId>()),
    project: columns.get("project", text),
    harness: columns.get("harness", text),
    harnessVersion: columns.get("harness_version", nullable(text)),
    sessionId: columns.get("session_id", nullable(text)),
    idSource: columns.get("id_source", nullable(oneOf(STRATEGIES))),
    cwd: columns.get("cwd", nullable(text)),
    transcriptPath: columns.get("transcript_path", nullable(text)),
    capabilities: columns.get("capabilities", json(capabilities)),
    activity: {
      state: columns.get("activity", oneOf(ACTIVITIES)),
      since: columns.get("activity_since", nullable(text)),
    },
    process: columns.get("process", nullable(json(processRef))),
    hooked: columns.get("hooked", bit),
    waker: columns.get("waker", nullable(json(processRef))),
    turn: columns.get("turn", nullable(text)),
    servers: columns.get("servers", json(list(processRef))),
  };
}

/** A session that is known under two names keeps the row of its own name; the old one's is taken along otherwise. */
export function mergeSessions(old: AgentId, agentId: AgentId): readonly Statement[] {
  const steps: readonly Statement[] = [
    {
      sql: `UPDATE sessions SET agent_id = ? WHERE agent_id = ?
        AND NOT EXISTS (SELECT 1 FROM sessions o WHERE o.agent_id = ? AND o.project = sessions.project)`,
      params: [agentId, old, agentId],
    },
    deleteFrom("sessions", { agent_id: old }),
  ];
  return steps.map((step) => ({ ...step, inOrder: true as const }));
}
