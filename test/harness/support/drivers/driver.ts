/** What differs between harnesses when a test drives them. */
import { asOffered } from "../../../support/as-offered.ts";
import type { HarnessWorld } from "../harness-world.ts";
import type { Step } from "../script.ts";
import type { Window } from "../terminal.ts";
import type { HarnessName } from "../wires/index.ts";

type Input = Readonly<Record<string, unknown>>;

export interface Driver {
  readonly name: HarnessName;
  /** An operation of ours, as its model has to call it. */
  readonly ours: (operation: string, input?: Input) => Step;
  /** A command in its shell. */
  readonly shell: (command: string) => Step;
  /** Writes the settings of a user who does not know us yet: the model, permissions, answers to its first questions. */
  prepare(world: HarnessWorld): void;
  /**
   * One prompt without a terminal, until all of it is done; resolves with the session's id, as the harness says it.
   */
  prompt(world: HarnessWorld, text: string, options?: PromptOptions): Promise<string>;
  readonly inTerminal: InTerminal;
}

export interface PromptOptions {
  /** The session that goes on with it, instead of a new one. */
  readonly resumed?: string;
  /** What the session may do, in place of the driver's own flags about that. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** How it is started in a terminal, and what its screen tells. */
export interface InTerminal {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Whether it waits for its user, with no dialog open. */
  readonly isReady: (window: Window) => boolean;
  /** Where the cursor stands in an empty box for the prompt. */
  readonly emptyColumns: readonly number[];
  /** Whether Esc stops its turn now. */
  readonly isStoppable: (window: Window) => boolean;
  /** The status of a failed request that it does not try again. */
  readonly failsAt: number;
  /** How often its user presses Esc to stop a turn. */
  readonly escapes: number;
  /** How its user has the conversation replaced by a summary, and what the screen says then. */
  readonly compacts: { readonly command: string; readonly done: RegExp };
  /** How it is started so that it asks its user before some tool, that tool, and what the question says. */
  readonly asks: {
    readonly command: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly step: Step;
    readonly question: RegExp;
  };
}

/** A call of a tool of ours by the name that the harness gives it; an operation that is no tool goes through the gateway. */
export function oursAs(operation: string, input: Input = {}, toolName: (tool: string) => string): Step {
  const { name, arguments: given } = asOffered(operation, input);
  return { tool: toolName(name), input: given };
}

/** Collects what a program says and throws it all if the program fails. */
export async function outputOf(child: ReturnType<HarnessWorld["run"]>): Promise<string> {
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`It ended with ${code}:\n${output}\n${errors}`);
  return output;
}

export function jsonLines(output: string): readonly Readonly<Record<string, unknown>>[] {
  const lines = output.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}
