/** The statement that rings over PostgreSQL. */
import type { AgentId } from "../../core/ids.ts";
import type { Statement } from "../sql/statement.ts";

/** PostgreSQL takes payloads below 8000 bytes. */
const LONGEST_PAYLOAD_BYTES = 7999;

/** The payload that wakes all who listen. */
export const EVERYONE = "";

export function channelOf(schema: string): string {
  return `${schema}_bell`;
}

export function notify(schema: string, agents: readonly AgentId[]): Statement {
  const names = JSON.stringify(agents);
  const fits = new TextEncoder().encode(names).length <= LONGEST_PAYLOAD_BYTES;
  return {
    sql: "SELECT set_config('synchronous_commit', 'off', true), pg_notify(?, ?)",
    params: [channelOf(schema), fits ? names : EVERYONE],
    // A lost ring costs only time: every waiter also looks by itself.
    mayFail: true,
  };
}
