/**
 * Which program a process runs, by its program file, first argument and script. Text that only appears among its other
 * arguments does not count.
 */

import type { ProcessSight } from "../../core/harness.ts";

const INTERPRETERS = ["node", "nodejs", "bun", "deno", "sh", "bash", "dash", "zsh", "ksh"];
/** Options of Node whose value is the next argument, so that the value is not taken for the program. */
const WITH_VALUE = new Set(["-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions"]);

export interface Program {
  /** The names of the process: of its program file, of its first argument, of the script it interprets. */
  readonly names: readonly string[];
  /** The paths behind the names. */
  readonly paths: readonly string[];
  /** What follows the program on its command line. */
  readonly args: readonly string[];
}

/** Every harness asks this about every process, so the result is kept. */
export const programOf = memoize(readProgram);

function readProgram(process: ProcessSight): Program {
  const [first = "", ...rest] = process.argv;
  const scriptAt = isInterpreter(baseName(first)) ? scriptIndex(rest) : -1;
  const script = rest[scriptAt];
  const paths = [first, process.executable ?? "", script ?? ""].filter((path) => path !== "");
  return {
    names: [...paths.map(baseName), process.name],
    paths,
    args: scriptAt === -1 ? rest : rest.slice(scriptAt + 1),
  };
}

/**
 * Whether a harness only checks or configures its MCP servers. For example, `mcp list` starts each of them to see
 * whether it answers. No session runs in such a process. With `mcp serve` it is a server itself, whose tools run
 * commands.
 */
export function isProbe([command, action]: readonly string[]): boolean {
  return command === "mcp" && action !== "serve";
}

/** The first argument that is neither an option nor an option's value; -1 when code is given on the command line. */
function scriptIndex(args: readonly string[]): number {
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? "";
    if (isInlineCode(arg)) return -1;
    if (!arg.startsWith("-")) return index;
    if (WITH_VALUE.has(arg)) index += 1;
  }
  return -1;
}

/** The name may end with a version. This runs for nearly every process above the caller, so patterns come last. */
function isInterpreter(name: string): boolean {
  if (INTERPRETERS.includes(name)) return true;
  const version = /-?\d[\d.]*$/.exec(name);
  return version !== null && INTERPRETERS.includes(name.slice(0, version.index));
}

function isInlineCode(arg: string): boolean {
  if (!arg.startsWith("-")) return false;
  return /^-[A-Za-z]*[Cc]$/.test(arg) || arg === "-e" || arg === "--eval" || arg === "-p" || arg === "--print";
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Computes once for each object and keeps the result. The objects must not change. */
export function memoize<Key extends object, Value extends object>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const before = known.get(key);
    if (before) return before;
    const value = compute(key);
    known.set(key, value);
    return value;
  };
}
