/** Writes down what a call told about its session, where something differs from what is known. */
import type { Caller } from "../../domain/given.ts";
import {
  type ActivityState,
  type Capabilities,
  newSession,
  type Session,
  withActivity,
  withFacts,
} from "../../domain/session/session.ts";
import { wallTime } from "../../domain/time.ts";
import { Fault } from "../../ports/fault.ts";
import type { Deps } from "../deps.ts";

export interface SessionNews {
  readonly capabilities?: Capabilities;
  readonly activity?: ActivityState;
}

export async function noteSession(
  deps: Deps,
  caller: Caller,
  project: string,
  news: SessionNews = {},
): Promise<boolean> {
  const { agentId, harness, sessionId, facts } = caller;
  if (!facts && news.capabilities === undefined && news.activity === undefined) return false;
  const now = wallTime(deps.clock.now().wallMs);
  return deps.store.changeSession({ agentId, project }, (known) => {
    const row: Session = { ...(known ?? newSession({ agentId, project }, harness)), harness };
    const told = facts ? withFacts(row, sessionId, facts) : row;
    const able = news.capabilities === undefined ? told : { ...told, capabilities: news.capabilities };
    return news.activity === undefined ? able : withActivity(able, news.activity, now);
  });
}

/** The same after a join, which has happened whether or not this can be written; the next one writes it. */
export async function noteJoin(deps: Deps, caller: Caller, project: string): Promise<void> {
  try {
    await noteSession(deps, caller, project);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
}
