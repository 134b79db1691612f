/** What goes wrong during a run: agents die and return, a machine dies and returns, another one is cut off for a while. */
import { setTimeout as sleep } from "node:timers/promises";
import { SeededRandom } from "../../test/support/random.ts";
import { nowUs } from "../marks.ts";
import type { Crew, Place } from "./crew.ts";
import type { Machine } from "./machines.ts";
import type { Span } from "./phase.ts";

const HOUR_MS = 3_600_000;
/** Of one agent in an hour of life. */
const DEATHS = 1.5;
/** In life, until a person starts the agent again. */
const RETURNS_AFTER_MS = 2 * 60_000;

/** Shares of the whole time. */
const MACHINE_DIES_AT = 0.4;
const MACHINE_RETURNS_AT = 0.55;
const LINE_IS_CUT_AT = 0.7;
/** Shorter than the silence after which a machine counts as dead. */
const CUT_MS = 20_000;

export interface Troubled {
  deaths: number;
  returns: number;
  /** When a machine was cut off. */
  cut: Span | null;
}

export interface Trouble {
  readonly crew: Crew;
  readonly places: readonly Place[];
  readonly machines: readonly Machine[];
  readonly boot: (machine: Machine) => Promise<Machine["host"]>;
  readonly seed: number;
  readonly pace: number;
  readonly forMs: number;
}

/** Resolves when the time is over and everybody has returned. */
export async function makeTrouble(trouble: Trouble): Promise<Troubled> {
  const troubled: Troubled = { deaths: 0, returns: 0, cut: null };
  const down = new Set<number>();
  await Promise.all([
    killAgents(trouble, down, troubled),
    loseMachine(trouble, down, troubled),
    cutLine(trouble, troubled),
  ]);
  return troubled;
}

async function killAgents(trouble: Trouble, down: ReadonlySet<number>, troubled: Troubled): Promise<void> {
  const { crew, places, machines, pace, seed, forMs } = trouble;
  const random = new SeededRandom(seed);
  const meanMs = HOUR_MS / (DEATHS * places.length * pace);
  const until = performance.now() + forMs;
  const returns: Promise<void>[] = [];
  for (;;) {
    const waitMs = -Math.log(1 - random.next()) * meanMs;
    if (performance.now() + waitMs >= until) break;
    await sleep(waitMs);
    const place = random.pick(places);
    if (down.has(place.machine) || !crew.members.includes(place.agentId)) continue;
    troubled.deaths += 1;
    const comesBack = async () => {
      await crew.kill(place.agentId);
      await sleep(RETURNS_AFTER_MS / pace);
      const host = machines[place.machine]?.host;
      // The agents of a dead machine return with it.
      if (host === undefined || down.has(place.machine) || crew.has(place.agentId)) return;
      troubled.returns += 1;
      await crew.start(place, host);
    };
    const returned = comesBack();
    crew.guard(returned);
    returns.push(returned);
  }
  await Promise.all(returns);
}

async function loseMachine(trouble: Trouble, down: Set<number>, troubled: Troubled): Promise<void> {
  const { crew, places, machines, boot, forMs } = trouble;
  const number = machines.length - 1;
  const machine = machines[number];
  if (machine === undefined || number === 0) return;
  await sleep(MACHINE_DIES_AT * forMs);
  down.add(number);
  troubled.deaths += places.filter((place) => place.machine === number && crew.has(place.agentId)).length;
  await crew.lose(number, machine.host);
  await sleep((MACHINE_RETURNS_AT - MACHINE_DIES_AT) * forMs);
  machine.host = await boot(machine);
  down.delete(number);
  for (const place of places) {
    if (place.machine !== number || crew.has(place.agentId)) continue;
    troubled.returns += 1;
    await crew.start(place, machine.host);
  }
}

async function cutLine({ machines, forMs }: Trouble, troubled: Troubled): Promise<void> {
  const machine = machines[1] ?? machines[0];
  await sleep(LINE_IS_CUT_AT * forMs);
  const fromUs = nowUs();
  machine?.host.cut();
  await sleep(Math.min(CUT_MS, forMs / 10));
  machine?.host.mend();
  troubled.cut = { fromUs, untilUs: nowUs() };
}
