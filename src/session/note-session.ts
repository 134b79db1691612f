/** Stores what a call reports about its session, if something differs from what is known. */

import { type ProcessRef, processKey } from "../core/process.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { wallTime } from "../core/time.ts";
import { decodeChoice } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { ignoringFaults } from "../engine/ignoring-faults.ts";
import { locate } from "../engine/locate.ts";
import type { Caller } from "./rules/decision-input.ts";
import {
  ACTIVITIES,
  type ActivityState,
  type Capabilities,
  newSession,
  type Session,
  withActivity,
  withFacts,
} from "./rules/session.ts";

export interface SessionNews {
  readonly capabilities?: Capabilities;
  readonly activity?: ActivityState;
  /** The activity begins now, even if it was the same before. */
  readonly begins?: boolean;
  /** Whether hooks of its harness show it its mail from now on. */
  readonly hooked?: boolean;
  /** The harness's process, where the caller's is not the one: null when it stands for another session now. */
  readonly process?: ProcessRef | null;
  /** A process inside the harness that can begin a turn of the session. */
  readonly waker?: ProcessRef | null;
  /** The turn that begins. */
  readonly turn?: string | null;
  /** The MCP server that started or ended; null when the session has none any more. */
  readonly servers?: ServerNews | null;
}

export interface ServerNews {
  readonly started?: readonly ProcessRef[];
  readonly ended?: readonly ProcessRef[];
}

export async function noteSession(
  deps: Deps,
  caller: Caller,
  project: string,
  news: SessionNews = {},
): Promise<boolean> {
  const { agentId, harness, sessionId, facts } = caller;
  if (!facts && Object.values(news).every((value) => value === undefined)) return false;
  return deps.store.changeSession({ agentId, project }, (known, now) => {
    const row: Session = { ...(known ?? newSession({ agentId, project }, harness)), harness };
    const told = facts ? withFacts(row, sessionId, facts) : row;
    const { capabilities = told.capabilities, hooked = told.hooked, waker = told.waker, turn = told.turn } = news;
    const process = news.process === undefined ? (caller.process ?? told.process) : news.process;
    const servers = serversAfter(told.servers, news.servers);
    const able = { ...told, capabilities, hooked, process, waker, turn, servers };
    if (news.activity === undefined) return able;
    return withActivity(able, news.activity, wallTime(now().wallMs), news.begins);
  });
}

function serversAfter(known: Session["servers"], news: SessionNews["servers"]): Session["servers"] {
  if (news === undefined) return known;
  const { started = [], ended = [] } = news ?? { ended: known };
  const over = new Set(ended.map(processKey));
  const left = [...known, ...started].filter((server) => !over.has(processKey(server)));
  return [...new Map(left.map((server) => [processKey(server), server])).values()];
}

/** The same after a join, which has happened whether or not this can be written; the next one writes it. */
export async function noteJoin(deps: Deps, caller: Caller, project: string): Promise<void> {
  await ignoringFaults(() => noteSession(deps, caller, project));
}

export interface ReportActivityInput {
  readonly contextPath: string;
  readonly activity: ActivityState;
}

/** For hooks: what the session is doing from now on, and with the caller's facts where its transcript lies. */
export async function reportActivity(
  deps: Deps,
  caller: Caller,
  input: ReportActivityInput,
): Promise<{ readonly changed: boolean } | Refusal> {
  const activity = decodeChoice("activity", input.activity, ACTIVITIES);
  if (isRefusal(activity)) return activity;
  const place = await locate(deps, input.contextPath);
  if (isRefusal(place)) return place;
  return { changed: await noteSession(deps, caller, place.project, { activity }) };
}
