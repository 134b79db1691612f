/** The terminal that the console draws on. Whatever it switches on is switched off again at every exit. */
export interface ConsoleTerminal {
  readonly columns: number;
  readonly rows: number;
  /** Raw keys, marks around what is pasted, no cursor; with `fullScreen` on the alternate screen. */
  enter(options: { readonly fullScreen: boolean }): void;
  leave(): void;
  write(text: string): void;
  /** Resolves once everything that was written has left the process. */
  flushed(): Promise<void>;
  /** Rings, and tells a terminal that shows notifications what happened. */
  ring(about: string): void;
  /** Stops this job, as Ctrl-Z does; returns when it goes on. */
  suspend(): void;
  readonly on: {
    /** What was typed, as the terminal sent it. */
    input(listener: (chunk: string) => void): void;
    resize(listener: () => void): void;
    /** The process goes on after it was stopped. */
    continued(listener: () => void): void;
    /** The terminal is gone: nothing can be read or written any more. */
    gone(listener: () => void): void;
  };
}
