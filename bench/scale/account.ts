/**
 * The account of a run: what the agents were told, held against each other and against the logs of their rooms, both ways.
 * Anything it finds is a broken promise, named in a sentence.
 */
import type { Deed, Life, RoomLog } from "./records.ts";

export interface Account {
  /** Messages in the log that their agent never saw. */
  readonly lost: readonly string[];
  /** Turns that two agents had, or had at the same time. */
  readonly doubled: readonly string[];
  /** What else does not fit: what was told against what the log says, and mail that came after it was confirmed. */
  readonly wrong: readonly string[];
  readonly messages: number;
  /** Messages that came more than once, as after the death of their receiver. */
  readonly cameAgain: number;
  readonly turns: number;
}

export function accountOf(lives: readonly Life[], logs: readonly RoomLog[]): Account {
  const shown = shownTo(lives);
  const logged = logs.flatMap(({ messages }) => [...messages].map(([messageId, to]) => ({ messageId, to })));
  const lost = logged.filter(({ messageId, to }) => !shown.get(to)?.has(messageId));
  const holds = lives.flatMap(holdsOf);
  return {
    lost: lost.map(({ messageId, to }) => `${to} never saw the message ${messageId}`),
    doubled: logs.flatMap(({ roomId }) => doubledIn(holds.filter((hold) => hold.life.roomId === roomId))),
    wrong: [...logs.flatMap((log) => misfits(log, lives, holds)), ...confirmedAndShown(lives)],
    messages: logged.length,
    cameAgain: [...shown.values()].flatMap((ids) => [...ids.values()]).filter((count) => count > 1).length,
    turns: logs.flatMap(({ grants }) => grants).length,
  };
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

/** A turn in the hands of one process: from the answer that brought it until it began to hand over, or ended. */
interface Hold {
  readonly life: Life;
  readonly turnId: number;
  readonly fromUs: number;
  readonly untilUs: number;
  readonly handoff: string | null;
}

function holdsOf(life: Life): readonly Hold[] {
  const releases = firstReleases(life);
  const grants = life.deeds.filter((deed) => deed.turnId !== undefined && deed.call !== "release");
  return grants.map(({ turnId = 0, endedUs, handoff = null }) => {
    const untilUs = releases.get(turnId)?.begunUs ?? life.endedUs ?? Number.POSITIVE_INFINITY;
    return { life, turnId, fromUs: endedUs, untilUs, handoff };
  });
}

/** By turn. After a fault there is another one, and the first may have done it. */
export function firstReleases({ deeds }: Life): ReadonlyMap<number, Deed> {
  const releases = deeds.filter(({ call }) => call === "release").toReversed();
  return new Map(releases.map((deed) => [deed.turnId ?? 0, deed]));
}

/** An agent that came back may be told of its turn again. Nobody else may, and it may not be told twice in one life. */
function doubledIn(ofRoom: readonly Hold[]): readonly string[] {
  const inOrder = ofRoom.toSorted((one, other) => one.fromUs - other.fromUs);
  return inOrder.flatMap((hold, index) =>
    inOrder
      .slice(0, index)
      .filter((before) => before.life === hold.life || before.life.agentId !== hold.life.agentId)
      .filter((before) => before.turnId === hold.turnId || before.untilUs > hold.fromUs)
      .map((before) => `${sayHold(hold)} while ${before.life.agentId} had turn ${before.turnId}`),
  );
}

function sayHold({ life, turnId }: Hold): string {
  return `${life.agentId} got turn ${turnId}`;
}

function misfits(log: RoomLog, lives: readonly Life[], holds: readonly Hold[]): readonly string[] {
  const here = lives.filter(({ roomId }) => roomId === log.roomId);
  const holdsHere = holds.filter(({ life }) => life.roomId === log.roomId);
  return [
    ...here.flatMap((life) => unknownMessages(log, life)),
    ...here.flatMap((life) => unknownHandoffs(log, life)),
    ...holdsHere.flatMap((hold) => unknownGrant(log, hold)),
    ...untoldGrants(log, here, holdsHere),
  ];
}

function unknownMessages({ messages }: RoomLog, { agentId, deeds }: Life): readonly string[] {
  return deeds
    .filter(({ messageId, to }) => messageId !== undefined && messages.get(messageId) !== to)
    .map(({ messageId, to }) => `the log lacks ${messageId}, which ${agentId} sent to ${to}`);
}

function unknownHandoffs({ handoffs }: RoomLog, { agentId, deeds }: Life): readonly string[] {
  return deeds
    .filter(({ call, refused, fault }) => call === "release" && refused === undefined && fault === undefined)
    .filter(({ turnId = 0, handoff }) => handoffs.get(turnId) !== handoff)
    .map(({ turnId, handoff }) => `the log lacks the handoff "${handoff}" of ${agentId}, which ended turn ${turnId}`);
}

function unknownGrant({ grants, handoffs }: RoomLog, hold: Hold): readonly string[] {
  const granted = grants.filter(({ turnId }) => turnId === hold.turnId).map(({ agentId }) => agentId);
  const earlier = [...handoffs].filter(([turn]) => turn < hold.turnId);
  const newest = earlier.toSorted(([one], [other]) => other - one)[0]?.[1] ?? null;
  const isKnown = granted.length === 1 && granted[0] === hold.life.agentId;
  return [
    ...(isKnown ? [] : [`${sayHold(hold)}, which the log gives to ${granted.join(", ") || "nobody"}`]),
    ...(hold.handoff === newest ? [] : [`${sayHold(hold)} with the handoff "${hold.handoff}" instead of "${newest}"`]),
  ];
}

/** One that was killed, or met a fault, may have missed the answer. */
function untoldGrants({ grants }: RoomLog, here: readonly Life[], holds: readonly Hold[]): readonly string[] {
  const mayMiss = new Set(here.filter(hasMissed).map(({ agentId }) => agentId));
  return grants
    .filter(({ agentId }) => !mayMiss.has(agentId))
    .filter((grant) => !holds.some(({ life, turnId }) => turnId === grant.turnId && life.agentId === grant.agentId))
    .map(({ agentId, turnId }) => `${agentId} was never told of turn ${turnId}`);
}

function hasMissed({ endedUs, deeds }: Life): boolean {
  return endedUs !== null || deeds.some(({ fault }) => fault !== undefined);
}

/** What an agent has confirmed must not come again. */
function confirmedAndShown(lives: readonly Life[]): readonly string[] {
  const confirmed = new Map<string, number>();
  for (const { agentId, deeds } of lives) {
    for (const { confirmed: ids = [], refused, fault, endedUs } of deeds) {
      if (refused === undefined && fault === undefined) {
        for (const id of ids) confirmed.set(`${agentId} ${id}`, endedUs);
      }
    }
  }
  return lives.flatMap(({ agentId, deeds }) =>
    deeds.flatMap(({ shown = [], begunUs }) =>
      shown
        .filter((id) => (confirmed.get(`${agentId} ${id}`) ?? Number.POSITIVE_INFINITY) < begunUs)
        .map((id) => `${agentId} got ${id} again after it had confirmed it`),
    ),
  );
}
