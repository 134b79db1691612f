/**
 * The member of some rooms that a name means: an exact id first, then the handle of an active member, a harness
 * session, a tmux session, the only active member of a harness, then, if no active member matches, the handle of
 * an inactive one, and last the beginning of a session's id. Sessions that are in no room count like active members without a handle.
 */

import type { AgentId } from "../../core/ids.ts";
import { LIMITS } from "../../core/limits.ts";
import { byNearness } from "../../core/nearest.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import type { Presence } from "../../session/rules/session.ts";
import { alivenessIn } from "./liveness.ts";
import type { Room } from "./room.ts";

/** The tmux session that each pane belongs to now. */
export type TmuxSessions = ReadonlyMap<string, string>;

/** A session that lives in the project and is in none of its rooms. */
export interface OutsideSession {
  readonly agentId: AgentId;
  readonly harness: string;
  readonly sessionId: string | null;
}

interface Candidate extends OutsideSession {
  readonly presence: Presence | null;
  readonly active: boolean;
}

const MOST_CANDIDATES = 10;

export type RecipientRefusal = "ambiguous_recipient" | "unknown_recipient";

export function findRecipient(
  rooms: readonly Room[],
  given: Given,
  name: string,
  tmuxSessions: TmuxSessions = new Map(),
  outside: readonly OutsideSession[] = [],
): AgentId | Refusal<RecipientRefusal> {
  const candidates = [
    ...candidatesIn(rooms, given),
    ...outside.map((session) => ({ ...session, presence: null, active: true })),
  ];
  const exact = candidates.find(({ agentId }) => agentId === name);
  if (exact) return exact.agentId;
  const active = candidates.filter((candidate) => candidate.active);
  const called = candidates.filter(({ presence }) => presence?.handle === name);
  const byHandle = called.filter((candidate) => candidate.active);
  const bySession = candidates.filter(({ sessionId }) => sessionId === name);
  const isLongEnough = name.replace(/^[a-z]+_/, "").length >= LIMITS.sessionPrefixCharacters;
  const begun = !isLongEnough ? [] : candidates.filter((one) => one.sessionId?.startsWith(name));
  const byTmux = active.filter(({ presence }) => tmuxSessions.get(presence?.tmuxPane ?? "") === name);
  const byHarness = active.filter(({ harness }) => harness === name);
  const [found = []] = [byHandle, bySession, byTmux, byHarness, called, begun].filter(({ length }) => length > 0);
  const [only, ...others] = found;
  if (only && others.length === 0) return only.agentId;
  return only
    ? ambiguous(name, found)
    : unknown(
        name,
        active.filter((candidate) => !isCaller(candidate, given)),
      );
}

/** One of each agent; it is active if it is so in any of the rooms. */
function candidatesIn(rooms: readonly Room[], given: Given): readonly Candidate[] {
  const candidates = new Map<AgentId, Candidate>();
  for (const room of rooms) {
    for (const { agentId, harness } of room.state.members.values()) {
      const known = candidates.get(agentId);
      const active = known?.active === true || alivenessIn(room, agentId, given).isActive;
      const presence = known?.presence ?? room.presence.get(agentId) ?? null;
      candidates.set(agentId, { agentId, harness, sessionId: presence?.sessionId ?? null, presence, active });
    }
  }
  return [...candidates.values()];
}

function ambiguous(name: string, found: readonly Candidate[]): Refusal<"ambiguous_recipient"> {
  return refuse(
    "ambiguous_recipient",
    `${JSON.stringify(name)} means ${found.length} members.`,
    "Name one of the candidates.",
    { candidates: found.map(nameOf) },
  );
}

function isCaller({ agentId }: Candidate, { caller }: Given): boolean {
  return agentId === caller.agentId || agentId === caller.formerId;
}

function unknown(name: string, others: readonly Candidate[]): Refusal<"unknown_recipient"> {
  const nearest = byNearness(name, others, ({ agentId, presence }) => [agentId, presence?.handle ?? agentId]);
  return refuse(
    "unknown_recipient",
    `There is no member ${JSON.stringify(name)} here.`,
    others.length === 0
      ? "Nobody else is here now. The agent has to join first."
      : "Name one of the candidates by its id or handle.",
    { candidates: nearest.slice(0, MOST_CANDIDATES).map(nameOf) },
  );
}

function nameOf({ agentId, presence }: Candidate): string {
  return nameWith(agentId, presence);
}

/** As a refusal names a candidate: by both names by which it can be meant. */
export function memberName({ presence }: Room, agentId: AgentId): string {
  return nameWith(agentId, presence.get(agentId) ?? null);
}

function nameWith(agentId: AgentId, presence: Presence | null): string {
  return presence ? `${presence.handle} (${agentId})` : agentId;
}
