/** A child process that says lines at any time, and takes lines. */
import type { Environment } from "../settings/environment.ts";

export interface Conversation {
  send(line: string): void;
  /** Closes its input. */
  endInput(): void;
  /** The first of the lines, also of those said before, of which something is found. Rejects if the process ends first. */
  until<Found>(find: (line: string) => Found | undefined): Promise<Found>;
  /** Resolves with its code; null if a signal ended it, or if it could not be started. */
  readonly ended: Promise<number | null>;
  /** What it said last, on either stream. */
  lastWords(): string;
}

export interface ConversationStart {
  /** An absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All that the child sees. */
  readonly env: Environment;
}

const MOST_LAST_WORDS = 400;

/** The child belongs to the process group of this process. */
export function startConversation({ program, args, cwd, env }: ConversationStart): Conversation {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const { createInterface } = process.getBuiltinModule("node:readline");
  const child = spawn(program, [...args], { cwd, env: { ...env }, stdio: ["pipe", "pipe", "pipe"] });
  const lines: string[] = [];
  const watchers = new Set<() => void>();
  let last = "";
  const heard = (text: string) => {
    last = `${last}${text}\n`.slice(-MOST_LAST_WORDS);
  };
  createInterface({ input: child.stdout }).on("line", (line) => {
    heard(line);
    lines.push(line);
    for (const look of watchers) look();
  });
  createInterface({ input: child.stderr }).on("line", heard);
  // A child that ends breaks its pipe; the promises below tell of its end.
  child.stdin.on("error", () => undefined);
  const ended = new Promise<number | null>((resolve) => {
    child.once("error", (error) => {
      heard(error.message);
      resolve(null);
    });
    child.once("close", resolve);
  });
  return {
    send: (line) => void child.stdin.write(`${line}\n`),
    endInput: () => void child.stdin.end(),
    until(find) {
      return new Promise((resolve, reject) => {
        let seen = 0;
        const look = () => {
          for (; seen < lines.length; seen += 1) {
            const found = find(lines[seen] ?? "");
            if (found === undefined) continue;
            watchers.delete(look);
            return resolve(found);
          }
        };
        watchers.add(look);
        look();
        void ended.then((code) => reject(new Error(`it ended with ${code ?? "a signal"}: ${last.trim()}`)));
      });
    },
    ended,
    lastWords: () => last.trim(),
  };
}
