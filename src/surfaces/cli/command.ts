/** What a command is: a name, its flags, its help, and what it does. */
import type { OperationName } from "../../core/operation-names.ts";
import type { CliContext } from "./context.ts";

export type FlagKind = "boolean" | "text" | "duration" | "number" | "list";

export interface Flag {
  readonly kind: FlagKind;
  readonly help: string;
  /** How the value is called in the help, for flags that take one. */
  readonly value?: string;
  /** The longest duration; without it as long as a wait may last. */
  readonly maxHours?: number;
}

export interface Positional {
  readonly name: string;
  readonly required?: boolean;
  /** Takes every word that is left. */
  readonly rest?: boolean;
  /** With `rest`: takes the words after `--`, as they are, and only those. */
  readonly afterDashes?: boolean;
  /** With `rest`: takes the words after the one before it as they are, flags included. */
  readonly untouched?: boolean;
  /** The name is the word itself. */
  readonly literal?: boolean;
}

/** Said by commands that take an id. */
export const SHORT_ID = "The first four characters of the id are enough if no other id begins with them.";

export interface Command {
  readonly name: string;
  /** The operation whose answer it prints. */
  readonly of?: OperationName;
  readonly summary: string;
  /** Further lines of help; the example comes last. */
  readonly details?: readonly string[];
  readonly example: string;
  readonly positionals?: readonly Positional[];
  readonly flags?: Readonly<Record<string, Flag>>;
  /** Flags of other tools: what to write instead. Null: it means what the command does anyway. */
  readonly otherFlags?: Readonly<Record<string, string | null>>;
  /** After the command's name, this global flag is short for a flag of the command. */
  readonly ownFlags?: Readonly<Record<string, string>>;
  /** Has nothing to do with a room, so --room is refused. */
  readonly roomless?: boolean;
  /** Hidden from lists; still has help. */
  readonly hidden?: boolean;
  run(context: CliContext, args: Arguments): Promise<number>;
}

/** The words of a command line after parsing. A flag that was not given is undefined, a list empty. */
export class Arguments {
  readonly #values: ReadonlyMap<string, boolean | string | number | readonly string[]>;
  readonly #positionals: ReadonlyMap<string, string>;
  readonly rest: readonly string[];

  constructor(
    values: ReadonlyMap<string, boolean | string | number | readonly string[]>,
    positionals: ReadonlyMap<string, string>,
    rest: readonly string[],
  ) {
    this.#values = values;
    this.#positionals = positionals;
    this.rest = rest;
  }

  /** As it was given; undefined where it was not. */
  value(flag: string): boolean | string | number | readonly string[] | undefined {
    return this.#values.get(flag);
  }

  isSet(flag: string): boolean {
    return this.#values.get(flag) === true;
  }

  text(flag: string): string | undefined {
    const value = this.#values.get(flag);
    return typeof value === "string" ? value : undefined;
  }

  number(flag: string): number | undefined {
    const value = this.#values.get(flag);
    return typeof value === "number" ? value : undefined;
  }

  list(flag: string): readonly string[] {
    const value = this.#values.get(flag);
    return Array.isArray(value) ? value : [];
  }

  positional(name: string): string | undefined {
    return this.#positionals.get(name);
  }

  /** A positional that the parser has made sure of. */
  required(name: string): string {
    return this.#positionals.get(name) ?? "";
  }
}
