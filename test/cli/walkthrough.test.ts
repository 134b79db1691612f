/** The README's walkthrough, typed as it is printed, into two real terminals. */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { CliWorld } from "./support/cli-world.ts";
import { atTerminal, type Terminal, Terminals } from "./support/terminal.ts";

interface TypedLine {
  readonly terminal: string;
  readonly line: string;
}

/** The lines of the block that begin with the name of a terminal; a comment says what is to be seen. */
function walkthrough(): readonly TypedLine[] {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const [, section = ""] = readme.split("## Two agents in one directory\n");
  const [, block = ""] = section.split("```\n");
  return block.split("\n").flatMap((text) => {
    const [, terminal, line] = /^([ab])\$ (.*?)( +#.*)?$/.exec(text) ?? [];
    return terminal !== undefined && line !== undefined ? [{ terminal, line }] : [];
  });
}

/** A prompt has the exit code of the last command, and a number that no prompt before it had. */
const PROMPT = "PS1='[$?:\\#] $ '; clear";

/** A terminal in which one line is typed after another, each on an empty screen. */
class Typing {
  readonly #terminal: Terminal;
  #prompts = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  async begin(): Promise<void> {
    this.#terminal.type(PROMPT);
    const screen = await this.#terminal.until(/^\[0:\d+\] \$$/);
    this.#prompts = Number(/\d+(?=\])/.exec(screen)?.[0]);
  }

  /** The last line has ended well. */
  ended(): Promise<string> {
    return this.#terminal.until(new RegExp(`\\[0:${this.#prompts}\\] \\$$`));
  }

  /** Resolves when the line has ended, or waits for another agent. */
  async type(line: string): Promise<void> {
    // A command that waited has ended by what the other terminal did.
    await this.ended();
    const isCleared = `^(?![^]*:${this.#prompts}\\])`;
    this.#prompts += 1;
    this.#terminal.type(`clear; ${line}`);
    await this.#terminal.until(
      new RegExp(`${isCleared}(?:[^]*\\n)?(?:Waiting|Asked|[^]*\\[\\d+:${this.#prompts}\\] \\$$)`),
    );
  }
}

atTerminal("the walkthrough of the README does as printed what it says, in two terminals", async () => {
  const terminals = new Terminals(new CliWorld());
  const open = new Map(["a", "b"].map((name) => [name, new Typing(terminals.open(name))]));
  for (const typing of open.values()) await typing.begin();
  const lines = walkthrough();
  expect(lines.length).toBeGreaterThan(8);
  for (const { terminal, line } of lines) await open.get(terminal)?.type(line);
  const shown = await Promise.all([...open.values()].map((typing) => typing.ended()));
  expect(shown[0]).toContain("message_sent");
});
