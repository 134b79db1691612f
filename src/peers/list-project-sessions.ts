import type { AgentId } from "../core/ids.ts";
import type { Mailbox } from "../core/mail-records.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { decodeFlag } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { countUnread } from "../mail/count-unread.ts";
import { outsidersOf } from "../mail/outside-sessions.ts";
import { unread } from "../mail/rules/mailbox.ts";
import {
  type ProjectInput,
  reachabilityInProject,
  readBoxes,
  readProject,
  sightsOf,
  whereaboutsOf,
} from "../room/project-sight.ts";
import type { Activity } from "../session/rules/session.ts";
import { type PeerView, peersOf } from "./rules/peers.ts";

export interface ListSessionsInput extends ProjectInput {
  /** Leaves out what only a closer look needs: the session id and the times. */
  readonly compact?: boolean;
  /** Those that are not live as well, each with its `status`. */
  readonly all?: boolean;
}

type Optional = "sessionId" | "activitySince" | "lastSeenAt" | "status";

export type PeerEntry = Omit<PeerView, Optional> & Partial<Pick<PeerView, Optional>>;

export interface SessionList {
  readonly sessions: readonly PeerEntry[];
}

/** Every live session of the project, in a terminal multiplexer or not, and no other project's. Changes nothing. */
export async function listProjectSessions(deps: Deps, input: ListSessionsInput): Promise<SessionList | Refusal> {
  const compact = decodeFlag("compact", input.compact);
  if (isRefusal(compact)) return compact;
  const all = decodeFlag("all", input.all);
  if (isRefusal(all)) return all;
  const project = await readProject(deps, input);
  if (isRefusal(project)) return project;
  const boxes = await readBoxes(deps, project);
  const rooms = sightsOf(deps, project, await reachabilityInProject(deps, project, boxes));
  const activities = new Map<AgentId, Activity>();
  for (const [agentId, session] of project.sessions) activities.set(agentId, session.activity);
  for (const [agentId, peer] of whereaboutsOf(deps, project, rooms)) {
    const seen = deps.sights?.activity(peer) ?? null;
    if (seen) activities.set(agentId, seen);
  }
  const waiting = await unreadIn(deps, boxes);
  const peers = peersOf({ rooms, aliases: project.aliases, unread: waiting, activities });
  const listed = [...peers, ...(await outsidersOf(deps, project))].filter(({ status }) => all || status === "active");
  return { sessions: listed.map(entry(compact, all)) };
}

/** An empty mailbox need not be gone through. */
async function unreadIn(deps: Deps, boxes: ReadonlyMap<AgentId, Mailbox>): Promise<ReadonlyMap<AgentId, number>> {
  const full = [...boxes].filter(([, box]) => unread(box) > 0);
  const counts = full.map(async ([agentId]) => [agentId, await countUnread(deps, { agentId }, null)] as const);
  return new Map(await Promise.all(counts));
}

function entry(compact: boolean, all: boolean) {
  return (peer: PeerView): PeerEntry => {
    const { sessionId, activitySince, lastSeenAt, status, ...rest } = peer;
    if (compact) return all ? { ...rest, status } : rest;
    const { agentId, handle, harness, stateCard, activity, ...more } = rest;
    const whole = { agentId, handle, harness, sessionId, stateCard, activity, activitySince, ...more, lastSeenAt };
    return all ? { ...whole, status } : whole;
  };
}
