/**
 * What an agent of the experiment does next: a random walk that holds the stick briefly, hands it over in every
 * way there is, tries what it may not do with tokens that are no longer its own, looks at the room and the log,
 * leaves and comes back, and now and then holds on in silence until its lease has expired.
 */
import type { SeededRandom } from "../../support/random.ts";
import type { Answer, Request, Token } from "./operation.ts";

/** What the agent believes, from the answers it got. */
export interface Mind {
  readonly agent: string;
  /** All agents it might meet, also ones that are dead or not born yet. */
  readonly others: readonly string[];
  token: Token | null;
  /** A token of an earlier turn. */
  oldToken: Token | null;
  turnId: number;
  /** Who held the stick, or was to get it, when it last looked. */
  lastSeen: string | null;
  cursor: number;
  tags: number;
  /** Looks still to be made in silence while it holds the stick. */
  silence: number;
}

export function newMind(agent: string, others: readonly string[]): Mind {
  return { agent, others, token: null, oldToken: null, turnId: 0, lastSeen: null, cursor: 0, tags: 0, silence: 0 };
}

type Choice = readonly [weight: number, make: (mind: Mind, random: SeededRandom) => Request];

const tag = (mind: Mind): string => {
  mind.tags += 1;
  return `${mind.agent}#${mind.tags}`;
};

/** Mostly an agent that was there a moment ago, sometimes any agent. */
const peer = (mind: Mind, random: SeededRandom): string =>
  mind.lastSeen !== null && random.chance(0.7) ? mind.lastSeen : random.pick(mind.others);

const FORGED = "no-such-lease";

/** A silence outlasts the lease. */
const SILENT_LOOK_MS = 300;
const SILENT_LOOKS = 4;

const LOOKS: readonly Choice[] = [
  [5, () => ({ kind: "state" })],
  [2, () => ({ kind: "list" })],
  [4, (_mind, random) => ({ kind: "events", after: null, limit: random.between(1, 12) })],
  [2, (mind, random) => ({ kind: "events", after: mind.cursor, limit: random.between(20, 60) })],
  [1, (mind, random) => ({ kind: "events", after: mind.cursor + random.between(1, 400), limit: 10 })],
];

const ANYTIME: readonly Choice[] = [
  ...LOOKS,
  [4, (mind, random) => ({ kind: "note", tag: tag(mind), turnId: random.pick([null, mind.turnId, mind.turnId + 1]) })],
  [1, () => ({ kind: "leave" })],
  [2, () => ({ kind: "join" })],
  [2, (mind) => ({ kind: "release", tag: tag(mind), ...(mind.oldToken ?? forged(mind)) })],
  [1, (mind, random) => ({ kind: "pass", tag: tag(mind), to: peer(mind, random), ...stale(mind) })],
  [2, (mind) => ({ kind: "heartbeat", ...stale(mind) })],
  [2, (mind) => ({ kind: "release", tag: tag(mind), ...forged(mind) })],
  [1, (mind, random) => ({ kind: "pass", tag: tag(mind), to: peer(mind, random), ...forged(mind) })],
  [1, (mind) => ({ kind: "heartbeat", ...forged(mind) })],
];

const WITHOUT_STICK: readonly Choice[] = [
  ...ANYTIME,
  [14, () => ({ kind: "wait", maxWaitMs: 0, claim: true })],
  [24, (_mind, random) => ({ kind: "wait", maxWaitMs: random.between(1, 120), claim: true })],
  [3, (_mind, random) => ({ kind: "wait", maxWaitMs: random.between(1, 30), claim: false })],
  [6, (mind) => ({ kind: "takeover", tag: tag(mind), turnId: mind.turnId })],
];

type Held = Mind & { readonly token: Token };

const WITH_STICK: readonly Choice[] = [
  ...ANYTIME,
  [50, (mind) => ({ kind: "release", tag: tag(mind), ...(mind as Held).token })],
  [30, (mind, random) => ({ kind: "pass", tag: tag(mind), to: peer(mind, random), ...(mind as Held).token })],
  [6, (mind) => ({ kind: "heartbeat", ...(mind as Held).token })],
  [3, (mind) => ({ kind: "wait", maxWaitMs: 0, claim: mind.turnId % 2 === 0 })],
  [2, () => ({ kind: "leave" })],
  [1, (mind) => ({ kind: "takeover", tag: tag(mind), turnId: mind.turnId })],
];

function stale(mind: Mind): Token {
  return mind.oldToken ?? forged(mind);
}

/** The right turn with a lease that nobody was given. */
function forged(mind: Mind): Token {
  return { turnId: mind.turnId, leaseId: FORGED };
}

export function choose(mind: Mind, random: SeededRandom): Request {
  if (mind.silence > 0) {
    mind.silence -= 1;
    return { kind: "watch", maxWaitMs: SILENT_LOOK_MS };
  }
  return weighted(mind.token ? WITH_STICK : WITHOUT_STICK, random)(mind, random);
}

function weighted(choices: readonly Choice[], random: SeededRandom): Choice[1] {
  const total = choices.reduce((sum, [weight]) => sum + weight, 0);
  let left = random.next() * total;
  for (const [weight, make] of choices) {
    left -= weight;
    if (left < 0) return make;
  }
  return choices[0]![1];
}

/** What the agent learns from an answer. `silenceChance`: how likely a new holder falls silent. */
export function learn(mind: Mind, answer: Answer, random: SeededRandom, silenceChance: number): void {
  if ("turnId" in answer && answer.turnId !== null && answer.is !== "noted") mind.turnId = answer.turnId;
  if ("owner" in answer) mind.lastSeen = notMe(mind, answer.owner) ?? mind.lastSeen;
  if ("reservedFor" in answer) mind.lastSeen = notMe(mind, answer.reservedFor) ?? mind.lastSeen;
  if (answer.is === "your_turn" || answer.is === "taken") {
    if (mind.token?.turnId !== answer.turnId && random.chance(silenceChance)) mind.silence = SILENT_LOOKS;
    mind.token = { turnId: answer.turnId, leaseId: answer.leaseId };
  } else if (answer.is === "events") mind.cursor = Math.max(mind.cursor, answer.cursor);
  else if (answer.is === "refused") learnRefusal(mind, answer.facts);
  else if (["released", "passed", "left", "not_yet", "takeover_available"].includes(answer.is)) loseToken(mind);
}

const notMe = ({ agent }: Mind, other: string | null): string | null => (other === agent ? null : other);

function learnRefusal(mind: Mind, facts: Readonly<Record<string, unknown>>): void {
  if (typeof facts["current_turn_id"] === "number") mind.turnId = facts["current_turn_id"];
  if ("current_owner" in facts && facts["current_owner"] !== mind.agent) loseToken(mind);
}

function loseToken(mind: Mind): void {
  mind.oldToken = mind.token ?? mind.oldToken;
  mind.token = null;
}
