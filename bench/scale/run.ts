/** One run: machines, a server and a crew are set up, work through some phases, come to rest, and are held to account. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bundleFixture } from "../../test/support/fixture.ts";
import { HostNetwork } from "../../test/support/host-network.ts";
import { inParallel } from "../../test/support/in-parallel.ts";
import { startPostgres } from "../../test/support/postgres-server.ts";
import { quickPlace } from "../../test/support/quick-place.ts";
import type { AtEnd } from "../../test/support/temporary-directory.ts";
import { buildProgram } from "../built-program.ts";
import { type Account, accountOf } from "./account.ts";
import { Crew, type Place } from "./crew.ts";
import { boot, type Machine, placesOn, startMachines } from "./machines.ts";
import { type Phase, type PhaseFacts, phaseOf } from "./phase.ts";
import { type Mailboxes, openStore, readLog, readMailboxes } from "./read-logs.ts";
import type { RoomLog } from "./records.ts";
import { ServerGauge } from "./server-gauge.ts";
import { makeTrouble, type Troubled } from "./trouble.ts";

export interface Plan {
  readonly agents: number;
  readonly machines: number;
  readonly pace: number;
  readonly minutes: number;
  /** Further paces, and for how long each: without trouble, to see where it ends. */
  readonly pushes: readonly number[];
  readonly pushMinutes: number;
  readonly seed: number;
}

export interface Result {
  readonly plan: Plan;
  readonly rooms: number;
  readonly phases: readonly Phase[];
  readonly troubled: Troubled;
  readonly account: Account;
  readonly crashes: readonly string[];
  readonly mailboxes: Mailboxes;
  readonly serverMemory: number;
  readonly serverVersion: string;
}

type Say = (text: string) => void;

/** Starting many processes at once takes longer than starting a few at a time. */
const STARTS_AT_A_TIME = 4;
/** First calls compile what they need. */
const SETTLES_IN_MS = 10_000;
/** More than twice what may pass until mail that a dead agent had taken comes again. */
const DRAINS_WITHIN_MS = 120_000;
const STOPS = ["SIGINT", "SIGTERM"] as const;
/** Two for each agent, and one for a command of it. */
const CONNECTIONS_OF_AN_AGENT = 3;
const CONNECTIONS_OF_OURS = 20;

/** However it ends, also by Ctrl-C, nothing of it is left. */
export async function runAtScale(plan: Plan, say: Say): Promise<Result> {
  const ends: End[] = [];
  let clearing: Promise<void> | null = null;
  const clear = () => (clearing ??= clearAll(ends));
  const stop = () => void clear().then(() => process.exit(1));
  for (const signal of STOPS) process.once(signal, stop);
  try {
    return await perform(plan, say, (end) => void (clearing ? end() : ends.push(end)));
  } finally {
    await clear();
    for (const signal of STOPS) process.off(signal, stop);
  }
}

type End = Parameters<AtEnd>[0];

/** What was made last goes first. One that fails keeps no other from its end. */
async function clearAll(ends: readonly End[]): Promise<void> {
  for (const end of ends.toReversed()) {
    try {
      await end();
    } catch (error) {
      console.error(error);
    }
  }
}

async function perform(plan: Plan, say: Say, atEnd: AtEnd): Promise<Result> {
  const site = await setUp(plan, atEnd);
  return Promise.race([site.crew.failed, play(plan, site, say, atEnd)]);
}

async function play(plan: Plan, site: Site, say: Say, atEnd: AtEnd): Promise<Result> {
  say(`${plan.agents} agents on ${plan.machines} machines begin; seed ${plan.seed}`);
  await inParallel(STARTS_AT_A_TIME, site.places, async (place) => {
    const host = site.machines[place.machine]?.host;
    if (host !== undefined) await site.crew.start(place, host);
  });
  await sleep(Math.min(SETTLES_IN_MS, plan.minutes * 10_000));
  const { facts, troubled, serverMemory } = await work(plan, site, say);
  say("the agents come to rest and read their mail");
  const { logs, mailboxes } = await comeToRest(site, atEnd);
  const serverVersion = await site.gauge.version();
  const { lives, crashes } = site.crew;
  const phases = facts.map((one) => phaseOf(one, lives, troubled.cut));
  const account = accountOf(lives, logs);
  return { plan, rooms: logs.length, phases, troubled, account, crashes, mailboxes, serverMemory, serverVersion };
}

interface Site {
  readonly directory: string;
  /** The server's address for this process. */
  readonly store: string;
  readonly gauge: ServerGauge;
  readonly network: HostNetwork;
  readonly machines: readonly Machine[];
  readonly places: readonly Place[];
  readonly crew: Crew;
}

async function setUp(plan: Plan, atEnd: AtEnd): Promise<Site> {
  const directory = realpathSync(mkdtempSync(join(quickPlace(), "tt-scale-")));
  atEnd(() => rmSync(directory, { recursive: true, force: true }));
  const built = buildProgram("scale");
  atEnd(built.remove);
  const bundle = await bundleFixture("bench/workers/teammate.ts");
  atEnd(() => bundle.remove());
  const { program } = built;
  const network = HostNetwork.open({ atEnd, program });
  // The database is on a disk: what is acknowledged is synced.
  const connections = CONNECTIONS_OF_AN_AGENT * plan.agents + CONNECTIONS_OF_OURS;
  const settings = [...network.serverSettings, `max_connections=${connections}`];
  const server = await startPostgres(settings, "", undefined, network.range);
  atEnd(() => server.stop());
  const gauge = await ServerGauge.open(server.url);
  atEnd(() => gauge.close());
  const machines = await startMachines(network, plan.machines, directory);
  const places = placesOn(machines, plan.agents, directory);
  const crew = new Crew({ bundle, program, store: network.reach(server.url), seed: plan.seed, pace: plan.pace });
  atEnd(() => crew.end());
  return { directory, store: server.url, gauge, network, machines, places, crew };
}

async function work(plan: Plan, { gauge, network, machines, places, crew }: Site, say: Say) {
  const facts: PhaseFacts[] = [];
  const bootAgain = (machine: Machine) => boot(network, machine);
  const phase = async (pace: number, minutes: number, go: (forMs: number) => Promise<unknown>) => {
    say(`work at ${pace} × life for ${minutes} min`);
    crew.setPace(pace);
    gauge.connections();
    const from = await gauge.read();
    await go(minutes * 60_000);
    facts.push({ pace, from, until: await gauge.read(), connections: gauge.connections() });
  };
  let troubled: Troubled = { deaths: 0, returns: 0, cut: null };
  await phase(plan.pace, plan.minutes, async (forMs) => {
    const trouble = { crew, places, machines, boot: bootAgain, seed: plan.seed, pace: plan.pace, forMs };
    [troubled] = await Promise.all([makeTrouble(trouble), sleep(forMs)]);
  });
  const serverMemory = gauge.memoryBytes();
  for (const pace of plan.pushes) await phase(pace, plan.pushMinutes, sleep);
  return { facts, troubled, serverMemory };
}

/** Nobody holds or begins anything any more, and all mail is read. */
async function comeToRest({ directory, store, places, crew }: Site, atEnd: AtEnd) {
  await crew.rest();
  const deps = await openStore(store, join(directory, "account"));
  atEnd(() => deps.store.close());
  const agents = places.map(({ agentId }) => agentId);
  const until = performance.now() + DRAINS_WITHIN_MS;
  let mailboxes = await readMailboxes(deps, agents);
  while (mailboxes.open > 0 && performance.now() < until) {
    await sleep(1000);
    mailboxes = await readMailboxes(deps, agents);
  }
  await crew.end();
  const logs: RoomLog[] = [];
  for (const roomId of new Set(crew.lives.map((life) => life.roomId))) logs.push(await readLog(deps, roomId));
  return { logs, mailboxes };
}
