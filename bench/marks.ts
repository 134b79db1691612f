/**
 * Latencies between processes. The sender marks the moment before it begins, the receiver the moment it has the
 * thing in hand; both read the one monotonic clock of the machine, so the marks can be compared.
 */
export type Mark = readonly [key: string, us: number];

export function nowUs(): number {
  return Number(process.hrtime.bigint()) / 1000;
}

/** The senders' pause, so that what is measured is one message and not a queue of them. */
export const PACE_MS = 5;

/** After a pause caches are cold and processes asleep: the first few of a batch do not count. */
const WARM_UP = 5;

/** One latency for each start, the warm-up left out. */
export function latencies(starts: readonly Mark[], arrivals: readonly Mark[]): readonly number[] {
  const arrived = new Map(arrivals);
  return starts.slice(WARM_UP).map(([key, startUs]) => {
    const us = arrived.get(key);
    if (us === undefined) throw new Error(`${key} was sent and never arrived`);
    return us - startUs;
  });
}

/** One latency for each turn that was released to an agent that waited for it. */
export function turnLatencies(
  taken: readonly { readonly arrivals: readonly Mark[]; readonly starts: readonly Mark[] }[],
): readonly number[] {
  const arrivals = new Map(taken.flatMap((turns) => turns.arrivals));
  // The first turn of a batch was lying about, and the last release goes to nobody.
  const starts = taken.flatMap((turns) => turns.starts).filter(([turn]) => arrivals.has(turn));
  const inOrder = starts.toSorted(([, a], [, b]) => a - b);
  return latencies(inOrder, [...arrivals]);
}

export function batchOf(count: number): number {
  return count + WARM_UP;
}

export interface Samples {
  readonly floor: readonly number[];
  readonly measured: readonly number[];
}

type Batch = () => Promise<readonly number[]>;

/** Batches of both kinds take turns, so that whatever else the machine does hits both alike. */
export async function alternately(rounds: number, floor: Batch, measured: Batch): Promise<Samples> {
  const samples = { floor: [] as number[], measured: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    samples.floor.push(...(await floor()));
    samples.measured.push(...(await measured()));
  }
  return samples;
}
