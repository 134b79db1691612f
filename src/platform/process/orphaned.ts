/** A server must not outlive whoever started it, even if that one died without closing the connection. */
const LOOK_EVERY_MS = 5000;

/** `parent` is who that was when this process began: it may be gone by the time anybody asks. */
export function whenOrphaned(parent: number, end: () => void): void {
  if (process.ppid !== parent) return end();
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, LOOK_EVERY_MS);
  timer.unref();
}
