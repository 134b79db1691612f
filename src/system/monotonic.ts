/** Milliseconds on a clock that all processes of the machine share and that nobody can set. For measuring only. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
