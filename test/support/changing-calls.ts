/**
 * Every call that changes a room, each with the room it needs. `prepare` brings a new store to the point where
 * the call makes sense and answers what the call must be told; `run` makes the call, in this process or another.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Deps } from "../../src/engine/deps.ts";
import { pruneRooms } from "../../src/room/prune-rooms.ts";
import { accepted, actor, type Ground } from "./sqlite-world.ts";

const ANN = "claude:ann";
const BOB = "codex:bob";
const PERSON = "person:pat";

/** Long deadlines, so that only the calls themselves change anything; a dead process is believed at once. */
export const CALL_SETTINGS = {
  TT_RELEASE_CLAIM_TTL_MS: "86400000",
  TT_CLAIM_TTL_MS: "86400000",
  TT_WAIT_GRACE_MS: "86400000",
  TT_GONE_GRACE_MS: "0",
};

export const OLD_HANDOFF = { status: "the first half stands", nextAction: "go on with the second" };
export const NEW_HANDOFF = {
  status: "both halves stand \u{1F3D7} \u0000 and the odd half \ud800 of a pair",
  nextAction: "x".repeat(9000),
  artifacts: [{ path: "src/a.ts", lines: [1, 40] as const, role: "review" as const, note: "the hot loop" }],
  openQuestions: ["is 7 right?"],
  doNot: ["rename parse()"],
};

/** What a call must be told, as JSON, so that it can travel to another process. */
export interface Told {
  readonly tree: string;
  readonly roomId: string;
  readonly leaseId: string;
  readonly expectedTurnId: number;
  readonly noteId: string;
}

export interface ChangingCall {
  prepare(deps: Deps, ground: Ground): Promise<Told>;
  run(deps: Deps, told: Told): Promise<unknown>;
}

async function joined(deps: Deps, { tree }: Ground, ...agents: string[]): Promise<Told> {
  let roomId = "";
  for (const agent of agents) roomId = accepted(await actor(deps, agent).joinPath({ contextPath: tree })).roomId;
  return { tree, roomId, leaseId: "", expectedTurnId: 0, noteId: "" };
}

/** Ann and Bob are members, and Ann holds the second turn: the old handoff gave it to her. */
async function annHolds(deps: Deps, ground: Ground, traits = {}): Promise<Told> {
  const told = await joined(deps, ground, ANN, BOB);
  const { roomId } = told;
  const ann = actor(deps, ANN, traits);
  const first = await turnOf(ann, roomId);
  accepted(await ann.releaseStick({ roomId, ...first, handoff: OLD_HANDOFF }));
  return { ...told, ...(await turnOf(ann, roomId)) };
}

/** Her harness has ended since. */
async function annHeldAndDied(deps: Deps, ground: Ground): Promise<Told> {
  const harness = spawn("sleep", ["60"], { stdio: "ignore" });
  const ended = once(harness, "exit");
  try {
    return await annHolds(deps, ground, { process: deps.probe.find(harness.pid ?? -1) });
  } finally {
    harness.kill("SIGKILL");
    await ended;
  }
}

async function turnOf(agent: ReturnType<typeof actor>, roomId: string) {
  const turn = accepted(await agent.waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error(`no turn: ${JSON.stringify(turn)}`);
  return { leaseId: turn.leaseId, expectedTurnId: turn.turnId };
}

function turnIn({ roomId, leaseId, expectedTurnId }: Told) {
  return { roomId, leaseId, expectedTurnId };
}

async function bobWaits(deps: Deps, told: Told): Promise<Told> {
  accepted(await actor(deps, BOB).waitForTurn({ roomId: told.roomId, maxWaitMs: 1 }));
  return told;
}

async function annHoldsBobWaits(deps: Deps, ground: Ground): Promise<Told> {
  return bobWaits(deps, await annHolds(deps, ground));
}

/** The name of a call is what the tests print. */
export const CHANGING_CALLS: Readonly<Record<string, ChangingCall>> = {
  "join that makes a room": {
    prepare: async (_deps, { tree }) => ({ tree, roomId: "", leaseId: "", expectedTurnId: 0, noteId: "" }),
    run: (deps, { tree }) => actor(deps, ANN).joinPath({ contextPath: tree }),
  },
  "join of a room that is there": {
    prepare: (deps, ground) => joined(deps, ground, ANN),
    run: (deps, { tree }) => actor(deps, BOB).joinPath({ contextPath: tree }),
  },
  "join that reopens": {
    prepare: async (deps, ground) => {
      const told = await joined(deps, ground, ANN, PERSON);
      accepted(await actor(deps, PERSON, { isPerson: true }).closeRoom({ roomId: told.roomId }));
      return told;
    },
    run: (deps, { tree }) => actor(deps, BOB).joinPath({ contextPath: tree }),
  },
  "wait that claims": {
    prepare: (deps, ground) => joined(deps, ground, ANN),
    run: (deps, { roomId }) => actor(deps, ANN).waitForTurn({ roomId, maxWaitMs: 0 }),
  },
  "wait that claims a reserved turn": {
    prepare: async (deps, ground) => {
      const told = await annHoldsBobWaits(deps, ground);
      accepted(await actor(deps, ANN).releaseStick({ ...turnIn(told), handoff: NEW_HANDOFF }));
      return told;
    },
    run: (deps, { roomId }) => actor(deps, BOB).waitForTurn({ roomId, maxWaitMs: 0 }),
  },
  "wait that takes a place in the queue": {
    prepare: annHolds,
    run: (deps, { roomId }) => actor(deps, BOB).waitForTurn({ roomId, maxWaitMs: 1 }),
  },
  "wait of a newcomer": {
    prepare: annHolds,
    run: (deps, { roomId }) => actor(deps, "gemini:cy").waitForTurn({ roomId, maxWaitMs: 1 }),
  },
  "release to a waiter": {
    prepare: annHoldsBobWaits,
    run: (deps, told) => actor(deps, ANN).releaseStick({ ...turnIn(told), handoff: NEW_HANDOFF }),
  },
  "release to nobody": {
    prepare: annHolds,
    run: (deps, told) => actor(deps, ANN).releaseStick({ ...turnIn(told), handoff: NEW_HANDOFF }),
  },
  pass: {
    prepare: annHoldsBobWaits,
    run: (deps, told) => actor(deps, ANN).passStick({ ...turnIn(told), toAgentId: BOB, handoff: NEW_HANDOFF }),
  },
  takeover: {
    prepare: annHeldAndDied,
    run: (deps, { roomId, expectedTurnId }) =>
      actor(deps, BOB).takeoverStick({ roomId, expectedTurnId, reason: "it has died" }),
  },
  give: {
    prepare: annHoldsBobWaits,
    run: (deps, { roomId }) =>
      actor(deps, PERSON, { isPerson: true }).giveStick({ roomId, toAgentId: BOB, operatorRequested: true }),
  },
  // With nobody to tell: a message about the pause is a change of its own.
  "pause of a room": {
    prepare: (deps, ground) => joined(deps, ground, PERSON),
    run: (deps, { roomId }) => actor(deps, PERSON, { isPerson: true }).pauseRoom({ roomId, reason: "lunch" }),
  },
  "resuming of a room": {
    prepare: async (deps, ground) => {
      const told = await joined(deps, ground, PERSON);
      accepted(await actor(deps, PERSON, { isPerson: true }).pauseRoom({ roomId: told.roomId }));
      return told;
    },
    run: (deps, { roomId }) => actor(deps, PERSON, { isPerson: true }).resumeRoom({ roomId }),
  },
  heartbeat: {
    prepare: annHolds,
    run: (deps, told) => actor(deps, ANN).heartbeat(turnIn(told)),
  },
  "leave while holding": {
    prepare: annHoldsBobWaits,
    run: (deps, { roomId }) => actor(deps, ANN).leaveRoom({ roomId }),
  },
  "kick of a dead holder": {
    prepare: annHeldAndDied,
    run: (deps, { roomId }) => actor(deps, BOB).kickMember({ roomId, targetAgentId: ANN, reason: "gone" }),
  },
  close: {
    prepare: annHoldsBobWaits,
    run: (deps, { roomId }) => actor(deps, PERSON, { isPerson: true }).closeRoom({ roomId, operatorRequested: true }),
  },
  "change of policy": {
    prepare: annHolds,
    run: (deps, { roomId }) =>
      actor(deps, ANN, { isPerson: true }).changePolicy({ roomId, changes: { leaseTtlMs: 60_000 } }),
  },
  "call that merges a provisional name": {
    prepare: annHoldsBobWaits,
    run: (deps, told) => actor(deps, "claude:known", { formerId: ANN }).heartbeat(turnIn(told)),
  },
  "choice of a handle": {
    prepare: annHolds,
    run: (deps, { roomId }) => actor(deps, ANN).nameMyself({ roomId, handle: "scribe" }),
  },
  "add a note": {
    prepare: annHolds,
    run: (deps, { roomId }) => actor(deps, BOB).addNote({ roomId, body: "fixture 7 is wrong on purpose" }),
  },
  "resolve a note": {
    prepare: async (deps, ground) => {
      const told = await annHolds(deps, ground);
      const { noteId } = accepted(await actor(deps, BOB).addNote({ roomId: told.roomId, body: "look at 7" }));
      return { ...told, noteId };
    },
    run: (deps, { roomId, noteId }) => actor(deps, ANN).resolveNote({ roomId, noteId }),
  },
  "forgetting of history": {
    prepare: async (deps, ground) => {
      const told = await annHolds(deps, ground);
      const { roomId } = told;
      const { noteId } = accepted(await actor(deps, BOB).addNote({ roomId, body: "done" }));
      accepted(await actor(deps, BOB).addNote({ roomId, body: "still open" }));
      accepted(await actor(deps, ANN).resolveNote({ roomId, noteId }));
      accepted(await actor(deps, ANN).releaseStick({ ...turnIn(told), handoff: NEW_HANDOFF }));
      accepted(await actor(deps, PERSON, { isPerson: true }).closeRoom({ roomId }));
      return told;
    },
    run: (deps, { roomId }) => pruneRooms(deps, { roomId, carryOut: true }),
  },
};

export function changingCall(name: string): ChangingCall {
  const call = CHANGING_CALLS[name];
  if (!call) throw new Error(`no call is named ${name}`);
  return call;
}
