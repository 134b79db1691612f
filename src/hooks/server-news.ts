/**
 * If the MCP server of a session dies, its tools are gone. A hook tells the model once that `tt` in its shell does the
 * same. A server that its harness ends removes itself from the session's row, so that is no death. If the harness starts
 * another server, the row names a live one, and nothing is told.
 */

import { type ProcessRef, processKey } from "../core/process.ts";
import type { SessionNews } from "../session/note-session.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { Session } from "../session/rules/session.ts";
import { type HookDeps, type News, placeOf } from "./hook-deps.ts";
import { SERVER_DIED } from "./rules/brief.ts";
import type { HookCall } from "./rules/hook.ts";

type NotedServers = NonNullable<SessionNews["servers"]>;

const NOTHING: News = { text: "", remember: () => undefined };

export async function serverNews(deps: HookDeps, caller: Caller, call: HookCall): Promise<News> {
  const place = await placeOf(deps, call);
  if (place === null) return NOTHING;
  const rows = await ownRows(deps, caller, place.project);
  const servers = rows.flatMap((row) => row.servers);
  const haveDied = servers.length > 0 && servers.every((server) => isGone(deps, server));
  return haveDied ? { text: SERVER_DIED, remember: () => forgetServers(deps, rows) } : NOTHING;
}

/** For a session that starts: it keeps the live servers of its process, and is not told of earlier deaths. */
export async function serversOf(deps: HookDeps, caller: Caller, project: string): Promise<NotedServers> {
  const servers = (await ownRows(deps, caller, project)).flatMap((row) => row.servers);
  const ended = servers.filter((server) => isGone(deps, server));
  return { started: servers.filter((server) => !ended.includes(server)), ended };
}

/** A server that started before the first hook may know the session by its process alone. */
export async function ownRows({ store }: HookDeps, caller: Caller, project: string): Promise<readonly Session[]> {
  const own = caller.process && processKey(caller.process);
  const rows = await store.readSessions(project);
  return rows.filter(
    ({ agentId, process }) => agentId === caller.agentId || (process !== null && processKey(process) === own),
  );
}

async function forgetServers({ store }: HookDeps, rows: readonly Session[]): Promise<void> {
  for (const row of rows) {
    const told = new Set(row.servers.map(processKey));
    await store.changeSession(row, (known): Session => {
      const { servers } = known ?? row;
      return { ...(known ?? row), servers: servers.filter((server) => !told.has(processKey(server))) };
    });
  }
}

function isGone({ probe }: HookDeps, server: ProcessRef): boolean {
  return probe.verdict(server) === "gone";
}
