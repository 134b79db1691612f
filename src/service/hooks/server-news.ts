/**
 * The MCP server of a session may die, and with it go its tools. Its model is told once that `tt` in its shell does the
 * same. A server that its harness ends, or starts again, is no death: the one takes itself out of the session's row, the
 * other enters a living one.
 */
import type { Caller } from "../../domain/given.ts";
import { SERVER_DIED } from "../../domain/hooks/brief.ts";
import type { HookCall } from "../../domain/hooks/hook.ts";
import { processKey } from "../../domain/process.ts";
import { noteSession, type SessionNews } from "../sessions/note-session.ts";
import { type HookDeps, placeOf } from "./hook-deps.ts";

type NotedServers = NonNullable<SessionNews["servers"]>;

export interface ServerNews {
  /** Empty when there is nothing new. */
  readonly text: string;
  /** For when it has been said. */
  readonly remember: () => Promise<void>;
}

const NOTHING: ServerNews = { text: "", remember: async () => undefined };

export async function serverNews(deps: HookDeps, caller: Caller, call: HookCall): Promise<ServerNews> {
  const place = await placeOf(deps, call);
  if (place === null) return NOTHING;
  const rows = await deps.store.readSessions(place.project);
  const { servers = [] } = rows.find(({ agentId }) => agentId === caller.agentId) ?? {};
  const haveDied = servers.length > 0 && servers.every((server) => deps.probe.verdict(server) === "gone");
  if (!haveDied) return NOTHING;
  const remember = async () => void (await noteSession(deps, caller, place.project, { servers: { ended: servers } }));
  return { text: SERVER_DIED, remember };
}

/** For a session that starts: the servers that run for its process go on for it, and of earlier deaths nobody is told. */
export async function serversOf(deps: HookDeps, caller: Caller, project: string): Promise<NotedServers> {
  const own = caller.process && processKey(caller.process);
  const rows = (await deps.store.readSessions(project)).filter(
    ({ agentId, process }) => agentId === caller.agentId || (process !== null && processKey(process) === own),
  );
  const servers = rows.flatMap((row) => row.servers);
  const isGone = (server: (typeof servers)[number]) => deps.probe.verdict(server) === "gone";
  return { started: servers.filter((server) => !isGone(server)), ended: servers.filter(isGone) };
}
