/**
 * The room picture: what every surface shows of a room, made in one place and drawn in several. It is a value: nothing in
 * it changes, times are absolute, and agents are named by their ids; `names` has what people call them.
 */
import type { RoomEvent } from "../../core/event.ts";
import type { AgentId, EventId, RoomId } from "../../core/ids.ts";
import type { Ask, Delivery } from "../../core/mail-records.ts";
import type { GuardMode } from "../../core/policy.ts";
import { wallTime, wallTimeOf } from "../../core/time.ts";
import { type DerivedState, stateOf } from "../../room/rules/derived-state.ts";
import { leaseDeadline, type MachineOf, reservationDeadline } from "../../room/rules/liveness.ts";
import { waitingInOrder } from "../../room/rules/queue.ts";
import type { Pause, Reservation, Room } from "../../room/rules/room.ts";
import { detailOf, type RoomDetail } from "../../room/rules/view.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import type { SeenMachine } from "../../session/rules/host-silence.ts";
import type { SeenActivity, Session } from "../../session/rules/session.ts";
import { type TurnLine, turnsIn } from "../../turns/rules/turn-lines.ts";
import {
  type AgentRow,
  agentRows,
  type FoldedAgents,
  foldedAgents,
  type ShownMachine,
  type ShownMembers,
  shownMachine,
} from "./picture-agents.ts";
import { type TalkItem, talkIn } from "./picture-talk.ts";
import { graphOf } from "./wait-edges.ts";
import { isStuck, type LeftQuestion, type Reason, reasonIn } from "./wait-graph.ts";
import { type Reader, type WayStep, wayOn } from "./way-on.ts";

/** How far writes without the stick are refused; null where nobody looked. */
export interface ShownProtection {
  readonly level: "guarded" | "partly" | "advisory" | "not_proven";
  readonly why: string | null;
}

export interface PictureNow {
  readonly state: DerivedState;
  readonly turnId: number;
  readonly holder: {
    readonly agentId: AgentId;
    /** Null if the log does not reach back that far, or nobody looked. */
    readonly since: string | null;
    /** What it says it is doing. */
    readonly purpose: string | null;
    readonly leaseUntil: string | null;
  } | null;
  /** Waiters for the stick, the next one first. */
  readonly queue: readonly AgentId[];
  readonly reservation: (Reservation & { readonly until: string | null }) | null;
  readonly paused: Pause | null;
  readonly guard: GuardMode;
  readonly protection: ShownProtection | null;
  readonly openNotes: number;
}

/** Why nobody moves, or that all is well. */
export interface Why {
  readonly reason: Reason;
  /** Whether nothing but an act ends it. */
  readonly isStuck: boolean;
  /** What the reader can do about it. */
  readonly step: WayStep | null;
}

export interface TurnSpan extends Pick<TurnLine, "turnId" | "ended" | "endedBy"> {
  /** Null if the log that was read does not reach back that far. */
  readonly from: string | null;
  /** Null while the turn goes on. */
  readonly to: string | null;
}

export interface TurnRibbon {
  readonly agentId: AgentId;
  readonly turns: readonly TurnSpan[];
}

export interface RoomPicture {
  readonly roomId: RoomId;
  readonly path: string;
  /** Only for a room of another machine than the reader's. */
  readonly machine: ShownMachine | null;
  /** The room as a look at its state shows it. */
  readonly detail: RoomDetail;
  readonly asOf: string;
  /** The newest event of the log that this picture knows of. */
  readonly lastSeq: number;
  readonly me: AgentId | null;
  /** Names for people, of all agents in the picture that have one. */
  readonly names: Readonly<Record<AgentId, string>>;
  readonly now: PictureNow;
  /** Agents that need a person come first, then the holder, then the queue. */
  readonly agents: readonly AgentRow[];
  readonly folded: FoldedAgents;
  readonly why: Why;
  /** The oldest first. */
  readonly talk: readonly TalkItem[];
  readonly turns: readonly TurnRibbon[];
}

/** Everything that a picture is made of. Agents have the names that the room knows them by. */
export interface PictureFacts {
  readonly room: Room;
  readonly given: Given;
  /** The machines of agents, if those are others than the reader's. */
  readonly machineOf: MachineOf;
  /** The machine of the room, if that is another one. */
  readonly machine: SeenMachine | null;
  readonly reader: Reader;
  readonly shown: ShownMembers;
  readonly sessions: ReadonlyMap<AgentId, Session>;
  readonly activities: ReadonlyMap<AgentId, SeenActivity>;
  readonly branches: ReadonlyMap<AgentId, string>;
  readonly unread: ReadonlyMap<AgentId, number>;
  /** Those that are awaited now. */
  readonly asks: readonly Ask[];
  /** Questions to the reader that nobody awaits any more, and that have no answer. */
  readonly leftQuestions: readonly LeftQuestion[];
  readonly readQuestions: ReadonlySet<EventId>;
  /** The beginnings of the questions to persons. */
  readonly questions: ReadonlyMap<EventId, string>;
  /** The newest events, in their order. */
  readonly events: readonly RoomEvent[];
  readonly deliveries: ReadonlyMap<EventId, readonly Delivery[]>;
  readonly openNotes: number;
  readonly protection: ShownProtection | null;
  readonly mostTalk: number;
  readonly mostTurns: number;
}

export function makePicture(facts: PictureFacts): RoomPicture {
  const { room, given, reader, events, shown } = facts;
  const names = namesIn(facts);
  const graph = graphOf(facts);
  const reason = reasonIn(graph, reader.agentId);
  const nameOf = (agentId: AgentId) => nameIn(names, agentId);
  const { turnId } = room.state;
  const standing = { turnId, isPaused: graph.paused !== null, readQuestions: facts.readQuestions, nameOf };
  return {
    roomId: room.id,
    path: room.path,
    machine: shownMachine(facts.machine, given.moment),
    detail: { ...detailOf(room, given), ...(facts.machine && { hostName: facts.machine.label }) },
    asOf: wallTime(given.moment.wallMs),
    lastSeq: room.state.lastSeq,
    me: reader.agentId,
    names,
    now: nowOf(facts),
    agents: agentRows(facts, graph, shown.rows),
    folded: foldedAgents(facts, shown),
    why: { reason, isStuck: isStuck(reason), step: wayOn(reason, reader, standing) },
    talk: talkIn(facts),
    turns: ribbonsIn(events, facts.mostTurns),
  };
}

function nowOf({ room, given, events, openNotes, protection }: PictureFacts): PictureNow {
  const { owner, reservation, paused, turnId, members } = room.state;
  const leaseEnd = leaseDeadline(room, given);
  const claimEnd = reservationDeadline(room);
  const grants = (event: RoomEvent) => (event.type === "claim" || event.type === "takeover") && event.turnId === turnId;
  return {
    state: stateOf(room, given),
    turnId,
    holder: owner && {
      agentId: owner,
      since: events.findLast(grants)?.createdAt ?? null,
      purpose: members.get(owner)?.card?.purpose ?? null,
      leaseUntil: leaseEnd && wallTimeOf(leaseEnd, given.moment),
    },
    queue: waitingInOrder(room, given),
    reservation: reservation && {
      ...reservation,
      until: claimEnd && wallTimeOf(claimEnd, given.moment),
    },
    paused,
    guard: room.policy.guard,
    protection,
    openNotes,
  };
}

/** What people call an agent. An agent may have the name of something that every object has, such as `constructor`. */
export function nameIn(names: RoomPicture["names"], agentId: AgentId): string {
  return (Object.hasOwn(names, agentId) ? names[agentId] : undefined) ?? agentId;
}

/** Those of members, and of agents that have left since, as far as the events tell. */
function namesIn({ room, events, shown }: PictureFacts): Readonly<Record<AgentId, string>> {
  const names = new Map<AgentId, string>();
  for (const event of events) {
    if (event.type === "member_joined" && event.fromAgentId !== null) {
      names.set(event.fromAgentId, event.payload.handle);
    }
  }
  const known = new Set([...names.keys(), ...shown.rows, ...shown.gone, ...shown.away]);
  for (const event of events) {
    for (const agentId of [event.fromAgentId, event.toAgentId]) if (agentId !== null) known.add(agentId);
  }
  for (const agentId of known) {
    const handle = room.presence.get(agentId)?.handle;
    if (handle !== undefined) names.set(agentId, handle);
  }
  return Object.fromEntries(names);
}

function ribbonsIn(events: readonly RoomEvent[], most: number): readonly TurnRibbon[] {
  const lines = most === 0 ? [] : turnsIn(events).slice(-most);
  const ribbons = new Map<AgentId, TurnSpan[]>();
  for (const { turnId, agentId, startedAt, endedAt, ended, endedBy } of lines) {
    if (agentId === null) continue;
    const span = { turnId, from: startedAt, to: endedAt, ended, endedBy };
    ribbons.set(agentId, [...(ribbons.get(agentId) ?? []), span]);
  }
  return [...ribbons].map(([agentId, turns]) => ({ agentId, turns }));
}
