/** What an agent may do next: mostly what a sensible one would, sometimes what a confused one would. */

import { asRoomId } from "../../src/core/ids.ts";
import type { Deps } from "../../src/engine/deps.ts";
import { untilEvents } from "../../src/room/events.ts";
import { leave as leaveFor } from "../../src/room/leave-room.ts";
import type { Caller } from "../../src/session/rules/decision-input.ts";
import type { TalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import type { SeededRandom } from "../support/random.ts";
import type { SimAgent, Token } from "./agent.ts";
import type { Tree } from "./tree.ts";

export interface Command {
  readonly name: string;
  readonly roomId: string;
  /** For a wait: whether it takes a place in the queue while it lasts, and whether it claims an idle stick. */
  readonly waits?: { readonly queues: boolean; readonly claims: boolean };
  /** For a holder's call: what it proves its turn with. */
  readonly token?: Token;
  run(stick: TalkingStick, deps: Deps, signal: AbortSignal, caller: Caller): Promise<unknown>;
}

/** What the generator knows of the world; agents may be given any of it to be wrong about. */
export interface Surroundings {
  readonly random: SeededRandom;
  readonly tree: Tree;
  readonly agentIds: readonly string[];
  readonly roomIds: readonly string[];
  readonly noteIds: readonly string[];
  /** Agents that wait or receive somewhere, and agents whose process is dead. */
  readonly waiting: readonly string[];
  readonly dead: readonly string[];
  readonly listsRooms: boolean;
  /** Decides when the person steps in; null if it never does. */
  readonly stepsIn: SeededRandom | null;
  turnOf(roomId: string): number;
  lastSeqOf(roomId: string): number;
}

type Maker = (agent: SimAgent, around: Surroundings) => Command;

const command = (name: string, roomId: string, run: Command["run"]): Command => ({ name, roomId, run });

/** One of `entries` by weight. */
function draw<Item>(random: SeededRandom, entries: readonly (readonly [number, Item])[]): Item {
  let left = random.next() * entries.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, item] of entries) {
    left -= weight;
    if (left < 0) return item;
  }
  return entries[0]![1];
}

export function drawCommand(agent: SimAgent, around: Surroundings): Command {
  if (around.roomIds.length === 0) return join(around.tree.root, false);
  const { random, stepsIn } = around;
  if (agent.isPerson && stepsIn?.chance(0.3)) return stepIn(around, stepsIn);
  if (agent.offered && random.chance(0.5)) return takeover(agent, around);
  const makers = agent.held && random.chance(0.8) ? HOLDING : random.chance(0.65) ? WAITING : ANYTHING;
  return draw<Maker>(random, makers)(agent, around);
}

const HOLDING: readonly (readonly [number, Maker])[] = [
  [4, (agent, around) => heartbeat(agent.held!, around)],
  [5, (agent, around) => release(agent.held!, around)],
  [6, (agent, around) => pass(agent.held!, around)],
  [1, (_, around) => note(around)],
  [1, (_, around) => waitIn(aRoom(around), 0, true)],
];

const WAITING: readonly (readonly [number, Maker])[] = [
  [8, (_, around) => waitIn(aRoom(around), around.random.pick([500, 5_000, 30_000, 110_000]), true)],
  [2, (_, around) => waitIn(aRoom(around), around.random.pick([5_000, 60_000]), false)],
  [2, (_, around) => waitIn(aRoom(around), 0, true)],
];

const ANYTHING: readonly (readonly [number, Maker])[] = [
  [3, (_, { random, tree }) => join(random.pick([tree.root, tree.nested, tree.missing]), random.chance(0.3))],
  [3, takeover],
  [2, lateCall],
  [2, (_, around) => leave(around)],
  [4, kick],
  [2, (_, around) => close(around)],
  [1, (_, around) => policy(around)],
  [4, (_, around) => note(around)],
  [4, (_, around) => resolve(around)],
  [2, (_, around) => read(around)],
  [3, (agent, around) => events(agent, around)],
  [
    1,
    (_, around) =>
      command("wait in no room", "nowhere", (stick) =>
        stick.waitForTurn({ roomId: "nowhere", maxWaitMs: around.random.between(0, 1) }),
      ),
  ],
];

function aRoom({ random, roomIds }: Surroundings): string {
  return random.chance(0.8) ? roomIds[0]! : random.pick(roomIds);
}

export function join(contextPath: string, forceNew: boolean): Command {
  return command(`join ${contextPath}${forceNew ? " as a new room" : ""}`, "", (stick) =>
    stick.joinPath({ contextPath, forceNew }),
  );
}

export function waitIn(roomId: string, maxWaitMs: number, claim: boolean): Command {
  return {
    name: `${claim ? "wait" : "listen"} ${maxWaitMs} ms`,
    roomId,
    waits: { queues: maxWaitMs > 0, claims: claim },
    run: (stick, _, signal) => stick.waitForTurn({ roomId, maxWaitMs, claim, signal }),
  };
}

function withToken(token: Token, name: string, run: Command["run"]): Command {
  return { name, roomId: token.roomId, token, run };
}

function heartbeat(token: Token, { random }: Surroundings): Command {
  const given = random.chance(0.05) ? { ...token, leaseId: "not a lease" } : token;
  return withToken(given, `heartbeat of turn ${token.expectedTurnId}`, (stick) => stick.heartbeat(given));
}

function handoff({ random }: Surroundings): unknown {
  const good = { status: `done ${random.between(1, 1e9)}`, nextAction: "go on", artifacts: ["src/a.ts"] };
  return draw<unknown>(random, [
    [20, good],
    [1, { status: " ", nextAction: "go on" }],
    [1, { ...good, doNot: ["x".repeat(2000)] }],
  ]);
}

export function releaseWith(token: Token, words: unknown): Command {
  const given = { ...token, handoff: words };
  return withToken(token, `release turn ${token.expectedTurnId}`, (stick) => stick.releaseStick(given));
}

function release(token: Token, around: Surroundings): Command {
  return releaseWith(token, handoff(around));
}

function pass(token: Token, around: Surroundings): Command {
  const { random, agentIds } = around;
  const toAgentId = draw(random, [
    [8, random.pick(around.waiting.length > 0 ? around.waiting : agentIds)],
    [2, random.pick(agentIds)],
    [1, random.pick(["alpha-2", "beta", "person", "Gamma"])],
    [2, random.pick(["Alpha", "Beta"])],
  ]);
  const given = { ...token, toAgentId, handoff: handoff(around), operatorRequested: random.chance(0.1) };
  return withToken(token, `pass turn ${token.expectedTurnId} to ${toAgentId}`, (stick) => stick.passStick(given));
}

/** A holder's call whose turn is over, or one with a made-up lease. */
function lateCall(agent: SimAgent, around: Surroundings): Command {
  const { random } = around;
  const roomId = aRoom(around);
  const forged = { roomId, leaseId: "forged", expectedTurnId: around.turnOf(roomId) };
  const token = agent.oldTokens.length > 0 && random.chance(0.7) ? random.pick(agent.oldTokens) : forged;
  return random.pick([heartbeat, release, pass])(token, around);
}

export function takeover(agent: SimAgent, around: Surroundings): Command {
  const { random } = around;
  const roomId = agent.offered?.roomId ?? aRoom(around);
  const expectedTurnId = agent.offered?.turnId ?? around.turnOf(roomId) - (random.chance(0.1) ? 1 : 0);
  const input = {
    roomId,
    expectedTurnId: Math.max(0, expectedTurnId),
    reason: random.chance(0.05) ? " " : "it is silent",
    operatorRequested: random.chance(agent.isPerson ? 0.6 : 0.1),
  };
  return command(`take over turn ${expectedTurnId}`, roomId, (stick) => stick.takeoverStick(input));
}

function leave(around: Surroundings): Command {
  const reason = around.random.pick(["left", "session_ended"] as const);
  const roomId = aRoom(around);
  return command("leave", roomId, (stick, deps, _cancel, caller) =>
    reason === "left" ? stick.leaveRoom({ roomId }) : leaveFor(deps, caller, asRoomId(roomId), reason),
  );
}

function kick(_: SimAgent, around: Surroundings): Command {
  const { random, agentIds } = around;
  const targetAgentId = random.pick(around.dead.length > 0 && random.chance(0.5) ? around.dead : agentIds);
  const input = { roomId: aRoom(around), targetAgentId, force: random.chance(0.2) };
  return command(`kick ${input.targetAgentId}`, input.roomId, (stick) => stick.kickMember(input));
}

function close(around: Surroundings): Command {
  const input = { roomId: aRoom(around), operatorRequested: around.random.chance(0.5) };
  return command("close", input.roomId, (stick) => stick.closeRoom(input));
}

/** Resuming is likelier than pausing, so that most of a run goes on. */
function stepIn(around: Surroundings, random: SeededRandom): Command {
  const roomId = around.roomIds[random.between(0, around.roomIds.length - 1)]!;
  const toAgentId = random.pick(around.waiting.length > 0 && random.chance(0.7) ? around.waiting : around.agentIds);
  const operatorRequested = random.chance(0.7);
  return draw(random, [
    [3, command(`give to ${toAgentId}`, roomId, (stick) => stick.giveStick({ roomId, toAgentId, operatorRequested }))],
    [1, command("pause", roomId, (stick) => stick.pauseRoom({ roomId }))],
    [3, resume(roomId)],
  ]);
}

export function resume(roomId: string): Command {
  return command("resume", roomId, (stick) => stick.resumeRoom({ roomId }));
}

function policy(around: Surroundings): Command {
  const leaseTtlMs = around.random.pick([1, 4_000, 45_000]);
  const roomId = aRoom(around);
  return command(`policy ${leaseTtlMs}`, roomId, (stick) => stick.changePolicy({ roomId, changes: { leaseTtlMs } }));
}

function note(around: Surroundings): Command {
  const { random } = around;
  const roomId = aRoom(around);
  const body = draw(random, [
    [8, `remember ${random.between(1, 1e9)}`],
    [1, " "],
    [1, "long ".repeat(200)],
  ]);
  const turnId = random.pick([null, 0, around.turnOf(roomId), around.turnOf(roomId) + 7]);
  return command("add a note", roomId, (stick) => stick.addNote({ roomId, body, turnId }));
}

function resolve(around: Surroundings): Command {
  const noteId = around.random.pick([...around.noteIds, "no-such-note"]);
  const roomId = aRoom(around);
  return command(`resolve ${noteId}`, roomId, (stick) => stick.resolveNote({ roomId, noteId }));
}

function read(around: Surroundings): Command {
  const { random } = around;
  const roomId = aRoom(around);
  const afterEventSeq = random.between(0, around.lastSeqOf(roomId)) + (random.chance(0.3) ? 1000 : 0);
  const look = command("look at the room", roomId, (stick) => stick.getRoomState({ roomId }));
  const list = command("list rooms", roomId, (stick) => stick.listRooms({ contextPath: around.tree.root }));
  return random.pick([
    look,
    around.listsRooms ? list : look,
    command("list notes", roomId, (stick) => stick.listNotes({ roomId, unresolvedOnly: afterEventSeq % 2 === 0 })),
    command("read events", roomId, (stick) => stick.getRoomEvents({ roomId, afterEventSeq, limit: 5 })),
  ]);
}

function events(agent: SimAgent, around: Surroundings): Command {
  const { random } = around;
  const roomId = aRoom(around);
  const eventTypes = random.pick([undefined, ["claim"], ["release", "pass"], ["clame"]]);
  const target = random.pick([undefined, "any", random.pick(around.agentIds)]);
  const input = {
    roomId,
    maxWaitMs: random.pick([0, 10_000]),
    ...(eventTypes && { eventTypes }),
    ...(target !== undefined && { targetAgentId: target }),
  };
  if (agent.isPerson) {
    return command("watch as nobody", roomId, (_, deps, signal) => untilEvents(deps, null, { ...input, signal }));
  }
  return command("watch events", roomId, (stick, _, signal) => stick.waitForEvents({ ...input, signal }));
}
