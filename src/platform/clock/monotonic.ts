/** Milliseconds on a clock that all processes of the machine share and that nobody can set. For measuring only. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
