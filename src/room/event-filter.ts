/** What a reader of the log asks for. A name in it stands for all names of that session: it may be renamed. */
import type { RoomEvent } from "../core/event.ts";
import type { AgentId } from "../core/ids.ts";
import { invalidInput, isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import { wallMsOf, wallTime } from "../core/time.ts";
import { decodeAgentId } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { ownNames } from "../engine/evidence.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import {
  type AgentNames,
  decodeEventTypes,
  type EventFilter,
  type TargetFilter,
  withNamesIn,
} from "./rules/event-view.ts";

export interface EventFilterInput {
  readonly eventTypes?: readonly string[];
  /** `self` (default), `any`, or an agent's id. */
  readonly targetAgentId?: string;
  readonly fromAgentId?: string;
  readonly aboutAgentId?: string;
  readonly turnId?: number;
  /** An ISO time with its zone. */
  readonly since?: string;
}

export type FilterRefusal = "invalid_event_type_filter" | "agent_id_required" | "invalid_input";

export function decodeFilter(caller: Caller | null, input: EventFilterInput): EventFilter | Refusal<FilterRefusal> {
  const types = input.eventTypes === undefined ? null : decodeEventTypes(listOf(input.eventTypes));
  if (types !== null && isRefusal(types)) return types;
  const target = decodeTarget(caller, input.targetAgentId ?? "self");
  if (isRefusal(target)) return target;
  const from = input.fromAgentId === undefined ? null : decodeAgentId("from_agent_id", input.fromAgentId);
  if (isRefusal(from)) return from;
  const about = input.aboutAgentId === undefined ? null : decodeAgentId("about_agent_id", input.aboutAgentId);
  if (isRefusal(about)) return about;
  const since = input.since === undefined ? null : decodeSince(input.since);
  if (isRefusal(since)) return since;
  const { turnId = null } = input;
  return { types, target, from: from && named(caller, from), about: about && named(caller, about), turnId, since };
}

/** Without a zone it would be the local time of this machine, which its reader may not mean. */
const ISO_TIME = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** In the form that events have, because both are compared as text; null if it is not a time with its zone. */
export function wallTimeIn(text: unknown): string | null {
  const wallMs = typeof text === "string" && ISO_TIME.test(text) ? wallMsOf(text) : Number.NaN;
  return Number.isNaN(wallMs) ? null : wallTime(wallMs);
}

function decodeSince(since: unknown): string | Refusal<"invalid_input"> {
  const time = wallTimeIn(since);
  if (time !== null) return time;
  return invalidInput(
    "since",
    "since is not a time with its zone.",
    "Give since as an ISO 8601 time, such as 2026-11-18T14:02:07Z.",
  );
}

/** One name alone is a list of one; anything else that is no list names no type. */
function listOf(types: unknown): readonly string[] {
  return (Array.isArray(types) ? types : [types]).map(String);
}

function decodeTarget(caller: Caller | null, target: string): TargetFilter | Refusal<FilterRefusal> {
  if (target === "any") return { kind: "any" };
  if (target === "self") {
    if (caller) return { kind: "self", who: named(caller, caller.agentId) };
    return refuse(
      "agent_id_required",
      "Only a caller with an identity can ask for its own events.",
      "Say who you are, or ask for any target.",
    );
  }
  const agentId = decodeAgentId("target_agent_id", target);
  return isRefusal(agentId) ? agentId : { kind: "agent", who: named(caller, agentId) };
}

/** Only the caller itself knows its former name. */
function named(caller: Caller | null, agentId: AgentId): AgentNames {
  return { agentId, names: new Set(caller?.agentId === agentId ? ownNames(caller) : [agentId]) };
}

/**
 * The filter with the names that those in it have now, and with those that the events tell of; the very same if it has
 * them. A former name counts as long as it still leads to the same session: one that has come back has its own again.
 */
export async function underPresentNames(
  { store }: Pick<Deps, "store">,
  filter: EventFilter,
  events: readonly RoomEvent[] = [],
): Promise<EventFilter> {
  const renamed = async (who: AgentNames): Promise<AgentNames> => {
    const present = await store.resolveAlias(who.agentId);
    const names = new Set([who.agentId, present]);
    for (const name of withNamesIn(events, new Set([...who.names, present]))) {
      if (!names.has(name) && (await store.resolveAlias(name)) === present) names.add(name);
    }
    return names.size === who.names.size && [...names].every((name) => who.names.has(name)) ? who : { ...who, names };
  };
  const target = filter.target.kind === "any" ? filter.target : await renamedTarget(filter.target, renamed);
  const from = filter.from && (await renamed(filter.from));
  const about = filter.about && (await renamed(filter.about));
  const isSame = target === filter.target && from === filter.from && about === filter.about;
  return isSame ? filter : { ...filter, target, from, ...(about && { about }) };
}

async function renamedTarget(
  target: Exclude<TargetFilter, { readonly kind: "any" }>,
  renamed: (who: AgentNames) => Promise<AgentNames>,
): Promise<TargetFilter> {
  const who = await renamed(target.who);
  return who === target.who ? target : { ...target, who };
}
