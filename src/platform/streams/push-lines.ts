/**
 * Writes a few lines to a program that listens on a socket in the file system, and closes its half.
 *
 * `taken`: the program has read to the end and closed its half, too. `refused`: it never got anything. `unknown`: the
 * lines have left, and nothing says whether they were read.
 */
export type Pushed = "taken" | "refused" | "unknown";

export function pushLines(path: string, lines: readonly string[], timeoutMs: number): Promise<Pushed> {
  return new Promise((settle) => {
    if (timeoutMs <= 0) return settle("refused");
    let hasLeft = false;
    // Sockets take longer to load than most commands take to run.
    const socket = process.getBuiltinModule("node:net").connect({ path, allowHalfOpen: true });
    const finish = (pushed: Pushed) => {
      clearTimeout(timer);
      socket.destroy();
      settle(pushed);
    };
    const givenUp = () => finish(hasLeft ? "unknown" : "refused");
    const timer = setTimeout(givenUp, timeoutMs);
    socket.once("connect", () => {
      hasLeft = true;
      socket.end(`${lines.join("\n")}\n`);
    });
    // Its answer is ignored; only its end counts.
    socket.resume();
    socket.once("end", () => finish(socket.writableFinished ? "taken" : "unknown"));
    socket.once("error", givenUp);
    socket.once("close", givenUp);
  });
}
