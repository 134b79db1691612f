/**
 * The account of a run: what the agents were told, held against each other and against the logs of their rooms. Anything it
 * finds is a broken promise, named in a sentence.
 */
import type { Life, RoomLog } from "./records.ts";

export interface Account {
  /** Messages whose sender was told that they were sent, and which their agent never saw. */
  readonly lost: readonly string[];
  /** Turns that two agents had, or had at the same time. */
  readonly doubled: readonly string[];
  /** What else does not fit: handoffs, and what was told against what the log says. */
  readonly wrong: readonly string[];
  readonly messages: number;
  /** Messages that came more than once, as after the death of their receiver. */
  readonly cameAgain: number;
  readonly turns: number;
}

export function accountOf(lives: readonly Life[], logs: readonly RoomLog[]): Account {
  const sent = lives.flatMap(sentBy);
  const shown = shownTo(lives);
  const lost = sent.filter(({ to, messageId }) => !shown.get(to)?.has(messageId));
  const times = [...shown.values()].flatMap((ids) => [...ids.values()]);
  const holds = lives.flatMap(holdsOf);
  const logOf = new Map(logs.map((log) => [log.roomId, log]));
  return {
    lost: lost.map(({ messageId, from, to }) => `${to} never saw ${messageId}, which ${from} sent`),
    doubled: logs.flatMap(({ roomId }) => doubledIn(holds.filter((hold) => hold.roomId === roomId))),
    wrong: [
      ...sent.flatMap((one) => missingIn(logOf.get(one.roomId), one)),
      ...holds.flatMap((hold) => misfits(logOf.get(hold.roomId), hold)),
    ],
    messages: sent.length,
    cameAgain: times.filter((count) => count > 1).length,
    turns: new Set(holds.map(({ roomId, turnId }) => `${roomId} ${turnId}`)).size,
  };
}

interface SentMessage {
  readonly messageId: string;
  readonly from: string;
  readonly to: string;
  readonly roomId: string;
}

function sentBy({ agentId, roomId, deeds }: Life): readonly SentMessage[] {
  return deeds.flatMap(({ messageId, to }) => (messageId && to ? [{ messageId, from: agentId, to, roomId }] : []));
}

/** How often each agent saw each message. */
function shownTo(lives: readonly Life[]): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const all = new Map<string, Map<string, number>>();
  for (const { agentId, deeds } of lives) {
    const seen = all.get(agentId) ?? new Map<string, number>();
    all.set(agentId, seen);
    for (const id of deeds.flatMap(({ shown = [] }) => shown)) seen.set(id, (seen.get(id) ?? 0) + 1);
  }
  return all;
}

/** A turn in the hands of one process: from the answer that brought it until it began to hand over, or was killed. */
interface Hold {
  readonly roomId: string;
  readonly agentId: string;
  readonly turnId: number;
  readonly fromUs: number;
  readonly untilUs: number;
  readonly handoff: string | null;
}

function holdsOf({ agentId, roomId, deeds, killedUs }: Life): readonly Hold[] {
  // The first release of a turn counts: after a fault there is another one.
  const releases = deeds.filter(({ call }) => call === "release").toReversed();
  const ends = new Map(releases.map((deed) => [deed.turnId, deed]));
  const grants = deeds.filter((deed) => deed.turnId !== undefined && deed.call !== "release");
  return grants.map(({ turnId = 0, endedUs, handoff = null }) => {
    const untilUs = ends.get(turnId)?.begunUs ?? killedUs ?? Number.POSITIVE_INFINITY;
    return { roomId, agentId, turnId, fromUs: endedUs, untilUs, handoff };
  });
}

/** One that came back may be told of its turn again; another one may not. */
function doubledIn(ofRoom: readonly Hold[]): readonly string[] {
  const inOrder = ofRoom.toSorted((one, other) => one.fromUs - other.fromUs);
  return inOrder.flatMap((hold, index) =>
    inOrder
      .slice(0, index)
      .filter((before) => before.agentId !== hold.agentId)
      .filter((before) => before.turnId === hold.turnId || before.untilUs > hold.fromUs)
      .map((before) => `${hold.agentId} got turn ${hold.turnId} while ${before.agentId} had turn ${before.turnId}`),
  );
}

function missingIn(log: RoomLog | undefined, { messageId, from }: SentMessage): readonly string[] {
  return log?.messages.has(messageId) ? [] : [`the log lacks ${messageId}, which ${from} sent`];
}

function misfits(log: RoomLog | undefined, { turnId, agentId, handoff }: Hold): readonly string[] {
  const granted = log?.grants.filter((grant) => grant.turnId === turnId).map((grant) => grant.agentId) ?? [];
  const told = `${agentId} was told of turn ${turnId}`;
  const newest = handoffBefore(log, turnId);
  return [
    ...(granted.length === 1 && granted[0] === agentId
      ? []
      : [`${told}, which the log gives to ${granted.join(", ") || "nobody"}`]),
    ...(handoff === newest ? [] : [`${told} with the handoff "${handoff}" instead of "${newest}"`]),
  ];
}

function handoffBefore(log: RoomLog | undefined, turnId: number): string | null {
  const earlier = [...(log?.handoffs ?? [])].filter(([turn]) => turn < turnId);
  return earlier.toSorted(([one], [other]) => other - one)[0]?.[1] ?? null;
}
