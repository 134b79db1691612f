/** A server must not outlive its parent process, even if the parent died without closing the connection. */
const LOOK_EVERY_MS = 5000;

/** `parent` is the parent's pid when this process began; it may be gone by now. */
export function whenOrphaned(parent: number, end: () => void): void {
  if (process.ppid !== parent) return end();
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, LOOK_EVERY_MS);
  timer.unref();
}
