/**
 * The terminal of `tt chat` and `tt watch`: raw keys in, text out. What it switches on is switched off when it is left,
 * when the process ends, and while the process is stopped.
 */
import { writeSync } from "node:fs";

const PASTE_MARKS = { on: "\u001b[?2004h", off: "\u001b[?2004l" };
const CURSOR = { shown: "\u001b[?25h", hidden: "\u001b[?25l" };
const ALTERNATE = { on: "\u001b[?1049h\u001b[H", off: "\u001b[?1049l" };

/** Handled elsewhere. Other libraries end the process at once where nobody else listens. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const listening = () => undefined;

const STOPS_WITHIN_MS = 100;

interface Entered {
  readonly fullScreen: boolean;
}

export class StandardTerminal {
  #entered: Entered | null = null;
  #isStopped = false;
  readonly #gone: (() => void)[] = [];
  readonly #continued: (() => void)[] = [];
  readonly #restore = () => this.leave();

  get columns(): number {
    // A terminal that does not tell its size says 0.
    return process.stdout.columns || 80;
  }

  get rows(): number {
    return process.stdout.rows || 24;
  }

  enter(options: Entered): void {
    this.#entered = options;
    process.prependListener("exit", this.#restore);
    process.on("SIGCONT", () => this.#continue());
    for (const signal of SIGNALS) process.on(signal, listening);
    process.stdin.setEncoding("utf8");
    process.stdin.on("end", () => this.#isGone());
    process.stdin.on("error", () => this.#isGone());
    process.stdout.on("error", () => this.#isGone());
    this.#switchOn(options);
  }

  leave(): void {
    const entered = this.#entered;
    if (!entered) return;
    this.#entered = null;
    process.off("exit", this.#restore);
    this.#switchOff(entered);
    process.stdin.pause();
    process.stdin.unref();
  }

  write(text: string): void {
    process.stdout.write(text);
  }

  flushed(): Promise<void> {
    return new Promise((resolve, reject) => {
      process.stdout.write("", (error) => (error ? reject(error) : resolve()));
    });
  }

  ring(about: string): void {
    this.write(`\u0007\u001b]9;${about.replaceAll(/\p{C}/gu, " ")}\u0007`);
  }

  suspend(): void {
    if (this.#entered) this.#switchOff(this.#entered);
    this.#isStopped = true;
    // The whole job stops, as the terminal itself would stop it.
    process.kill(0, "SIGTSTP");
    // Where no shell could continue it, the system stops nothing.
    setTimeout(() => this.#isStopped && this.#continue(), STOPS_WITHIN_MS).unref();
  }

  readonly on = {
    input: (listener: (chunk: string) => void) => void process.stdin.on("data", listener),
    resize: (listener: () => void) => void process.stdout.on("resize", listener),
    continued: (listener: () => void) => void this.#continued.push(listener),
    gone: (listener: () => void) => void this.#gone.push(listener),
  };

  #continue(): void {
    this.#isStopped = false;
    if (!this.#entered) return;
    this.#switchOn(this.#entered);
    for (const tell of this.#continued) tell();
  }

  #switchOn({ fullScreen }: Entered): void {
    this.#raw(true);
    this.#say(`${fullScreen ? ALTERNATE.on : ""}${PASTE_MARKS.on}${CURSOR.hidden}`);
  }

  #switchOff({ fullScreen }: Entered): void {
    this.#say(`${PASTE_MARKS.off}${CURSOR.shown}${fullScreen ? ALTERNATE.off : ""}`);
    this.#raw(false);
  }

  #raw(isRaw: boolean): void {
    try {
      process.stdin.setRawMode(isRaw);
    } catch {
      // The terminal is gone, and its mode with it.
    }
  }

  /** At once, because the process may be about to end. */
  #say(text: string): void {
    try {
      writeSync(1, text);
    } catch {
      // The terminal is gone, or does not take it at the moment.
    }
  }

  #isGone(): void {
    for (const tell of this.#gone) tell();
  }
}
