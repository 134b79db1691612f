/** Numbers with their units, and the few statistics the table needs. */
export interface Figure {
  readonly value: number;
  readonly shown: string;
}

/** From microseconds. */
export function milliseconds(us: number): Figure {
  const ms = us / 1000;
  return { value: us, shown: `${ms >= 100 ? ms.toFixed(0) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2)} ms` };
}

export function microseconds(us: number): Figure {
  return { value: us, shown: `${us.toFixed(0)} µs` };
}

export function perSecond(value: number): Figure {
  return { value, shown: `${value.toFixed(0)} /s` };
}

/** From a share of one core. */
export function percent(share: number): Figure {
  return { value: share, shown: `${(share * 100).toFixed(share >= 0.1 ? 1 : 3)} %` };
}

/** From bytes. */
export function megabytes(bytes: number): Figure {
  return { value: bytes, shown: `${(bytes / 1_048_576).toFixed(1)} MB` };
}

export function amount(value: number, unit: string): Figure {
  return { value, shown: `${value} ${unit}` };
}

/** The smallest sample that at least the given share of all samples do not exceed. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const sample = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (sample === undefined) throw new Error("there are no samples");
  return sample;
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
