/** A server must not outlive whoever started it, even if that one died without closing the connection. */
const LOOK_EVERY_MS = 5000;

export function whenOrphaned(end: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, LOOK_EVERY_MS);
  timer.unref();
}
