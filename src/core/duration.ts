export const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `500ms`, `30s`, `10m`, `2h`, `7d`; a bare 0 is no time at all. NaN for anything else. */
export function durationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  if (match) return Math.round(Number(match[1]) * UNITS_MS[match[2] as keyof typeof UNITS_MS]);
  return text === "0" ? 0 : Number.NaN;
}
