/** Runs real processes against one room, kills some of them, and gathers what they wrote down and what the log says. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openService } from "../../../src/app/open-talking-stick.ts";
import { isRefusal } from "../../../src/core/refusal.ts";
import type { EventView } from "../../../src/room/rules/event-view.ts";
import type { TalkingStick } from "../../../src/surfaces/library/talking-stick.ts";
import { type Bundle, type RunningFixture, startFixture } from "../../support/fixture.ts";
import { SeededRandom } from "../../support/random.ts";
import type { StickUserPlan } from "../fixtures/stick-user.ts";
import { type History, type RoomTimes, readHistory } from "./history.ts";
import type { Operation } from "./operation.ts";

export interface Experiment {
  readonly seed: number;
  readonly processes: number;
  /** Of each process, over all its lives. */
  readonly operations: number;
  /** How often each process is killed and comes back as another agent. */
  readonly kills: number;
  readonly silenceChance: number;
}

/** The shortest times a room may have, so that everything that can expire does. */
export const TIMES: RoomTimes = { leaseTtlMs: 1000, claimTtlMs: 150, releaseClaimTtlMs: 100 };

const POLICY = {
  TT_LEASE_TTL_MS: String(TIMES.leaseTtlMs),
  TT_CLAIM_TTL_MS: String(TIMES.claimTtlMs),
  TT_RELEASE_CLAIM_TTL_MS: String(TIMES.releaseClaimTtlMs),
  TT_WAIT_GRACE_MS: "30",
  TT_GONE_GRACE_MS: "40",
  TT_PRIOR_OWNER_COOLDOWN_MS: "15",
  TT_PRESENCE_TTL_MS: "1000",
} as const;

const now = (): number => Number(process.hrtime.bigint());

/** `directory` is empty and goes away afterwards; `env` chooses the store. */
export async function runExperiment(
  bundle: Bundle,
  experiment: Experiment,
  directory: string,
  env: Readonly<Record<string, string>> = {},
): Promise<History> {
  const stage = new Stage(bundle, experiment, directory, env);
  await stage.play();
  const { operations, endedAt, crashes } = stage;
  return { operations, endedAt, crashes, times: TIMES, ...(await readRoom(stage.env, stage.path)) };
}

class Stage {
  readonly operations: Operation[] = [];
  readonly endedAt = new Map<string, number>();
  readonly crashes: string[] = [];
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  readonly #bundle: Bundle;
  readonly #experiment: Experiment;
  readonly #directory: string;
  readonly #random: SeededRandom;
  readonly #agents: readonly string[][];

  constructor(bundle: Bundle, experiment: Experiment, directory: string, env: Readonly<Record<string, string>>) {
    this.#bundle = bundle;
    this.#experiment = experiment;
    this.#directory = directory;
    this.#random = new SeededRandom(experiment.seed);
    this.path = join(directory, "tree");
    this.env = { ...POLICY, ...env, TT_DATA_DIR: join(directory, "data"), HOME: directory };
    const { processes, kills } = experiment;
    this.#agents = Array.from({ length: processes }, (_, slot) =>
      Array.from({ length: kills + 1 }, (_life, life) => `user${slot}.${life}`),
    );
    mkdirSync(this.path);
    mkdirSync(join(directory, "history"));
  }

  async play(): Promise<void> {
    const lives = this.#agents.map((agents) => this.#start(agents, 0));
    const ready = lives.map((life) => life.ready);
    await Promise.all(ready);
    for (const life of lives) life.process.send("go");
    await Promise.all(lives.map((life, slot) => this.#liveOn(this.#agents[slot] as string[], life)));
  }

  /** One slot: its lives, one after the other. */
  async #liveOn(agents: readonly string[], first: Life): Promise<void> {
    let life = first;
    for (let number = 0; ; number += 1) {
      await life.over;
      this.#gather(life);
      if (number === agents.length - 1) return;
      life = this.#start(agents, number + 1);
      await life.ready;
      life.process.send("go");
    }
  }

  #start(agents: readonly string[], number: number): Life {
    const { operations, silenceChance } = this.#experiment;
    const plan: StickUserPlan = {
      agent: agents[number] as string,
      others: this.#agents.flat(),
      path: this.path,
      seed: this.#random.between(0, 2 ** 31),
      operations: Math.ceil(operations / agents.length),
      history: join(this.#directory, "history", `${agents[number]}.jsonl`),
      silenceChance,
      dies: number === agents.length - 1 ? "never" : this.#random.pick(["anywhere", "holding"]),
    };
    return new Life(plan, startFixture(this.#bundle, [JSON.stringify(plan)], { env: this.env }));
  }

  #gather({ plan, killedAt, crash }: Life): void {
    const { operations, endedAt } = readHistory(plan.agent, plan.history);
    for (const operation of operations) this.operations.push(operation);
    if (crash !== null) this.crashes.push(`${plan.agent}: ${crash}`);
    const ended = killedAt ?? endedAt;
    if (ended !== null) this.endedAt.set(plan.agent, ended);
  }
}

/** One process from its start to its end, by itself or by the kill it asked for. */
class Life {
  readonly plan: StickUserPlan;
  readonly process: RunningFixture;
  readonly ready: Promise<void>;
  readonly over: Promise<void>;
  killedAt: number | null = null;
  crash: string | null = null;

  constructor(plan: StickUserPlan, process: RunningFixture) {
    this.plan = plan;
    this.process = process;
    this.over = this.#end();
    this.ready = new Promise((resolve) => {
      void this.#listen(resolve);
      // A process that dies at once is never ready; its end tells why.
      void process.ended.then(() => resolve());
    });
  }

  async #listen(ready: () => void): Promise<void> {
    for await (const line of this.process.lines()) {
      const message = line as { readonly ready?: string; readonly kill?: string };
      if (message.ready !== undefined) ready();
      if (message.kill === undefined) continue;
      this.killedAt = now();
      this.process.child.kill("SIGKILL");
    }
  }

  async #end(): Promise<void> {
    const { code, signal, stderr } = await this.process.ended;
    const asPlanned = code === 0 || (signal === "SIGKILL" && this.killedAt !== null);
    if (!asPlanned) this.crash = `ended with ${code ?? signal}: ${stderr.slice(0, 2000)}`;
  }
}

async function readRoom(env: Readonly<Record<string, string>>, path: string) {
  const stick = await openService({ agentId: "reader", env });
  if (isRefusal(stick)) throw new Error(stick.message);
  try {
    const list = await stick.listRooms({ contextPath: path });
    const room = isRefusal(list) ? undefined : list.rooms[0];
    if (!room) throw new Error(`the experiment left no room: ${JSON.stringify(list)}`);
    return { final: room, log: await readLog(stick, room.roomId) };
  } finally {
    await stick.close();
  }
}

async function readLog(stick: TalkingStick, roomId: string): Promise<readonly EventView[]> {
  const log: EventView[] = [];
  for (;;) {
    const batch = await stick.getRoomEvents({ roomId, afterEventSeq: log.at(-1)?.eventSeq ?? 0, limit: 500 });
    if (isRefusal(batch)) throw new Error(batch.message);
    if (batch.events.length === 0) return log;
    log.push(...batch.events);
  }
}
