/** The agents of a room, as rows. The gone, and those that were not seen for long, are folded. */
import { isPersonsName } from "../../core/agent-id.ts";
import type { StateCard } from "../../core/event.ts";
import type { AgentId, EventId } from "../../core/ids.ts";
import { latest, type Moment, wallTimeOf } from "../../core/time.ts";
import { alivenessIn } from "../../room/rules/liveness.ts";
import { queuePosition } from "../../room/rules/queue.ts";
import type { Member, Room } from "../../room/rules/room.ts";
import type { Sight } from "../../session/rules/aliveness.ts";
import type { SeenMachine } from "../../session/rules/host-silence.ts";
import { type Activity, UNKNOWN_ACTIVITY } from "../../session/rules/session.ts";
import type { PictureFacts } from "./picture.ts";
import type { WaitEdge, WaitGraph } from "./wait-graph.ts";

/** `silent`: its machine was not heard of, so that nothing is known of it. */
export type AgentMark = "works" | "waits" | "idle" | "needs_you" | "silent";

export interface ShownMachine {
  /** What people call it. */
  readonly name: string;
  /** When it was last heard of; null if it is not silent. */
  readonly silentSince: string | null;
}

export interface AgentRow {
  readonly agentId: AgentId;
  readonly harness: string;
  readonly isPerson: boolean;
  readonly mark: AgentMark;
  /** The question that a person has to answer, or the prompt of its harness. */
  readonly needs: PersonNeed | null;
  readonly holdsStick: boolean;
  readonly isNext: boolean;
  readonly queuePosition: number | null;
  /** Only if that is another machine than the reader's. */
  readonly machine: ShownMachine | null;
  readonly card: StateCard | null;
  readonly branch: string | null;
  readonly activity: Activity;
  /** Its last sign of life. */
  readonly lastSeenAt: string | null;
  readonly unread: number;
  readonly waitsFor: readonly WaitEdge[];
}

export type PersonNeed =
  /** `question`: the beginning of its text, or null if the message is not there any more. */
  | {
      readonly kind: "answer";
      readonly person: AgentId;
      readonly messageId: EventId;
      readonly question: string | null;
    }
  | { readonly kind: "permission" };

/** What an agent that is not here left behind. */
export interface FoldedAgent extends Pick<AgentRow, "agentId" | "harness" | "holdsStick" | "isNext" | "unread"> {
  readonly lastSeenAt: string | null;
}

export interface FoldedAgents {
  /** Their processes are proven gone. */
  readonly gone: readonly FoldedAgent[];
  /** Not seen for long; nothing proves that they are gone. */
  readonly away: readonly FoldedAgent[];
  /** How many members are in none of the lists. */
  readonly notListed: number;
}

/** Which members a picture shows, and where. */
export interface ShownMembers {
  readonly rows: readonly AgentId[];
  readonly gone: readonly AgentId[];
  readonly away: readonly AgentId[];
  readonly notListed: number;
}

/** A picture has no more of each, however many members there are. */
const MOST_ROWS = 50;
const MOST_FOLDED = 20;

/** Members that matter for the stick, then those that were seen last. `asking`: the parties of open questions. */
export function membersToShow(room: Room, sight: Sight, asking: ReadonlySet<AgentId>): ShownMembers {
  const { owner, reservation, members } = room.state;
  const seenLast = [...members.values()].toSorted(lastSeenFirst(room)).map(({ agentId }) => agentId);
  const matters = (agentId: AgentId) =>
    agentId === owner || agentId === reservation?.agentId || room.waits.has(agentId) || asking.has(agentId);
  const inOrder = [...seenLast.filter(matters), ...seenLast.filter((agentId) => !matters(agentId))];
  const isGone = (agentId: AgentId) => alivenessIn(room, agentId, sight).isGone;
  const isHere = (agentId: AgentId) => matters(agentId) || alivenessIn(room, agentId, sight).isActive;
  const gone = inOrder.filter(isGone);
  const rest = inOrder.filter((agentId) => !isGone(agentId));
  const rows = rest.filter(isHere).slice(0, MOST_ROWS);
  const away = rest.filter((agentId) => !isHere(agentId)).slice(0, MOST_FOLDED);
  const listed = { rows, gone: gone.slice(0, MOST_FOLDED), away };
  return { ...listed, notListed: members.size - rows.length - listed.gone.length - away.length };
}

function lastSeenFirst({ presence }: Room): (a: Member, b: Member) => number {
  const seen = ({ agentId }: Member) => presence.get(agentId)?.lastSeenAt ?? "";
  return (a, b) => (seen(a) < seen(b) ? 1 : seen(a) > seen(b) ? -1 : a.joinedSeq - b.joinedSeq);
}

export function agentRows(facts: PictureFacts, graph: WaitGraph, agents: readonly AgentId[]): readonly AgentRow[] {
  const rows = agents.map((agentId) => rowOf(facts, graph, agentId));
  const joined = ({ agentId }: AgentRow) => facts.room.state.members.get(agentId)?.joinedSeq ?? 0;
  return rows.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || (a.queuePosition ?? 0) - (b.queuePosition ?? 0) || joined(a) - joined(b),
  );
}

const RANKS: Readonly<Record<AgentMark, number>> = { needs_you: 0, works: 4, waits: 5, silent: 6, idle: 7 };

function rankOf({ mark, holdsStick, isNext, queuePosition: place }: AgentRow): number {
  if (mark === "needs_you") return RANKS[mark];
  return holdsStick ? 1 : isNext ? 2 : place === null ? RANKS[mark] : 3;
}

function rowOf(
  facts: PictureFacts,
  { edges, fates, leftQuestions, leaseHasExpired }: WaitGraph,
  agentId: AgentId,
): AgentRow {
  const { room, given, sessions, activities, branches, questions } = facts;
  const { owner, members } = room.state;
  const waitsFor = edges.filter(({ from }) => from === agentId);
  const left = leftQuestions.find(({ asker }) => asker === agentId);
  const needs = needOf(waitsFor, questions) ?? (left ? answerOf(left, questions) : null);
  const fate = fates.get(agentId);
  const isWaiting = waitsFor.length > 0 || alivenessIn(room, agentId, given).isWaiting;
  // A holder of which nothing else is known is taken to work while its lease lasts.
  const works = fate === "works" || (fate === "unknown" && owner === agentId && !leaseHasExpired);
  const { state, since } = activities.get(agentId) ?? sessions.get(agentId)?.activity ?? UNKNOWN_ACTIVITY;
  return {
    ...commonOf(facts, agentId),
    isPerson: isPersonsName(agentId),
    mark: needs ? "needs_you" : fate === "silent" ? "silent" : isWaiting ? "waits" : works ? "works" : "idle",
    needs,
    queuePosition: queuePosition(room, given, agentId),
    machine: shownMachine(facts.machineOf(agentId), given.moment),
    card: members.get(agentId)?.card ?? null,
    branch: branches.get(agentId) ?? null,
    activity: { state, since },
    waitsFor,
  };
}

export function shownMachine(machine: SeenMachine | null, moment: Moment): ShownMachine | null {
  return (
    machine && { name: machine.label, silentSince: machine.silentSince && wallTimeOf(machine.silentSince, moment) }
  );
}

type Questions = PictureFacts["questions"];

function needOf(waitsFor: readonly WaitEdge[], questions: Questions): PersonNeed | null {
  for (const { to, awaits, messageId } of waitsFor) {
    if (awaits === "permission") return { kind: "permission" };
    if (to !== null && messageId !== undefined && isPersonsName(to)) {
      return answerOf({ person: to, messageId }, questions);
    }
  }
  return null;
}

function answerOf({ person, messageId }: { person: AgentId; messageId: EventId }, questions: Questions): PersonNeed {
  return { kind: "answer", person, messageId, question: questions.get(messageId) ?? null };
}

function commonOf({ room, given, unread }: PictureFacts, agentId: AgentId): FoldedAgent {
  const { owner, reservation, members } = room.state;
  return {
    agentId,
    harness: members.get(agentId)?.harness ?? "agent",
    holdsStick: owner === agentId,
    isNext: reservation?.agentId === agentId,
    unread: unread.get(agentId) ?? 0,
    lastSeenAt: lastSignOf(room, given, agentId),
  };
}

/** A call, or a later sign that its hooks left. */
function lastSignOf({ presence }: Room, { evidence, moment }: Sight, agentId: AgentId): string | null {
  const seen = presence.get(agentId);
  const sign = evidence.activity.get(agentId);
  if (!sign || (seen && latest(seen.lastSeen, sign) === seen.lastSeen)) return seen?.lastSeenAt ?? null;
  return wallTimeOf(sign, moment);
}

export function foldedAgents(facts: PictureFacts, { gone, away, notListed }: ShownMembers): FoldedAgents {
  const folded = (agents: readonly AgentId[]) => agents.map((agentId) => commonOf(facts, agentId));
  return { gone: folded(gone), away: folded(away), notListed };
}
