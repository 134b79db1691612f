import { alsoNamed, flag, optional, path } from "../core/field.ts";
import type { AgentId } from "../core/ids.ts";
import { type StoredMailbox } from "../core/mail-records.ts";
import { isRefusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { lookAtRooms } from "../engine/evidence.ts";
import { operation } from "../engine/operation.ts";
import { countUnread } from "../mail/mailbox-reads.ts";
import { outsidersOf } from "../mail/outside-sessions.ts";
import { unread } from "../mail/rules/mailbox.ts";
import { readProject, whereaboutsIn } from "../room/project-sight.ts";
import { reachabilityOf, readBoxes } from "../room/reachability.ts";
import { activityNow } from "../session/activity-now.ts";
import { hostLabel } from "../session/rules/host-silence.ts";
import type { Activity } from "../session/rules/session.ts";
import { type PeerView, peersOf } from "./rules/peers.ts";

type Optional = "sessionId" | "activitySince" | "lastSeenAt" | "status";

export interface PeerEntry extends Omit<PeerView, Optional | "place">, Partial<Pick<PeerView, Optional>> {
  /** What people call its machine; only where the project's sessions are on several. */
  readonly host?: string;
  /** For how long that machine is silent: it may be dead or cut off. Only if it is. */
  readonly hostSilentMs?: number;
}

export interface SessionList {
  readonly sessions: readonly PeerEntry[];
}

/** The directory whose project is meant; left out: the caller's own. */
export const PROJECT = alsoNamed(optional(path()), "project_root");

export const listProjectSessions = operation({
  name: "list_project_sessions",
  summary:
    "The sessions in this project, yours among them: who they are, what their state cards say, busy or idle, who holds the stick, who can be reached now, how much mail waits for them.",
  needs: { store: "read", caller: "anyone", room: "project" },
  input: {
    contextPath: PROJECT,
    // Leaves out what only a closer look needs: the session id and the times.
    compact: optional(flag()),
    // Those that are not live as well, each with its status.
    all: optional(flag()),
  },
  refusals: [],
  mcp: "core",
  async run({ deps, directory, roomId }, { contextPath = directory, compact = false, all = false }) {
    const project = await readProject(deps, { contextPath, roomId });
    if (isRefusal(project)) return project;
    const names = new Set(project.rooms.flatMap(({ state }) => [...state.members.keys()]));
    const found = await Promise.all([...names].map((name) => readBoxes(deps, [name])));
    const boxes = new Map(found.flatMap((box) => [...box]));
    const reached = { ...project, sessions: project.sessions.values(), boxes };
    const reachability = await reachabilityOf(deps, reached);
    // Not settled: members that are long gone still show in a full list.
    const rooms = (await lookAtRooms(deps, project)).map(({ room, given }) => ({
      room,
      given: { ...given, evidence: { ...given.evidence, ...reachability } },
    }));
    const activities = new Map<AgentId, Activity>();
    for (const [agentId, session] of project.sessions) activities.set(agentId, session.activity);
    for (const [agentId, peer] of whereaboutsIn(deps, project, rooms)) activities.set(agentId, activityNow(deps, peer));
    const waiting = await unreadIn(deps, boxes);
    const peers = peersOf({ self: deps.probe.self(), rooms, aliases: project.aliases, unread: waiting, activities });
    const listed = [...peers, ...(await outsidersOf(deps, project))].filter(({ status }) => all || status === "active");
    const machineOf = await machinesOf(deps, listed);
    const sessions = listed.map((peer) => ({ ...entry(compact, all)(peer), ...machineOf(peer) }));
    return { sessions } satisfies SessionList;
  },
});

/** Nothing where all are on this machine. */
async function machinesOf({ hosts, host }: Deps, listed: readonly PeerView[]) {
  const isAlone = listed.every(({ place }) => place.host === host);
  const known = isAlone || !hosts ? [] : [hosts.own, ...(await hosts.all())];
  return ({ place }: PeerView): Pick<PeerEntry, "host" | "hostSilentMs"> => {
    if (isAlone) return {};
    const name = { host: hostLabel(place, known) };
    return place.hostSilentMs === null ? name : { ...name, hostSilentMs: place.hostSilentMs };
  };
}

/** An empty mailbox need not be gone through. */
async function unreadIn(deps: Deps, boxes: ReadonlyMap<AgentId, StoredMailbox>): Promise<ReadonlyMap<AgentId, number>> {
  const full = new Set([...boxes.values()].filter((box) => unread(box) > 0).map(({ agentId }) => agentId));
  const counts = [...full].map(async (agentId) => [agentId, await countUnread(deps, { agentId }, null)] as const);
  return new Map(await Promise.all(counts));
}

function entry(compact: boolean, all: boolean) {
  return (peer: PeerView): PeerEntry => {
    const { sessionId, activitySince, lastSeenAt, status, place: _, ...rest } = peer;
    if (compact) return all ? { ...rest, status } : rest;
    const { agentId, handle, harness, stateCard, activity, ...more } = rest;
    const whole = { agentId, handle, harness, sessionId, stateCard, activity, activitySince, ...more, lastSeenAt };
    return all ? { ...whole, status } : whole;
  };
}
