/** A child process that is spoken to in lines: one goes in, one comes out. */
import type { Environment } from "../settings/environment.ts";

export interface LineProcess {
  /** Sends a line and resolves with the next line that comes back; rejects when the process ends instead. */
  ask(line: string): Promise<string>;
  kill(): Promise<void>;
  /** Closes its input and waits until it is gone. */
  end(): Promise<void>;
}

export function startLineProcess(program: string, args: readonly string[], env: Environment): LineProcess {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const { createInterface } = process.getBuiltinModule("node:readline");
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], env });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  let over: Error | null = null;
  const waiting: { resolve: (line: string) => void; reject: (error: Error) => void }[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.resolve(line));
  // A dead child breaks its pipe; the rejection below tells the caller that waits for an answer.
  child.stdin.on("error", () => undefined);
  child.once("error", (error) => failAll(error));
  child.once("close", (code, signal) => failAll(new Error(`the process ended with ${signal ?? `code ${code}`}`)));

  function failAll(error: Error): void {
    over = error;
    for (const { reject } of waiting.splice(0)) reject(error);
  }

  return {
    ask: (line) =>
      new Promise((resolve, reject) => {
        if (over) return reject(over);
        waiting.push({ resolve, reject });
        child.stdin.write(`${line}\n`);
      }),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async end() {
      child.stdin.end();
      await ended;
    },
  };
}
