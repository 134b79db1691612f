/** Whether a process is a shell that a person types into: not one that runs a script or a command it was given. */
import type { ProcessSight } from "../../core/harness.ts";
import { baseName } from "./program.ts";

const SHELLS = ["sh", "bash", "dash", "zsh", "ksh", "fish"];
/** Options whose value is the next argument, so that the value is not taken for a script. */
const WITH_VALUE = /^(--rcfile|--init-file|[-+][A-Za-z]*[oO])$/;
const WITH_VALUE_IN_FISH =
  /^(-[CdDfop]|--(init-command|debug|debug-stack-frames|debug-output|features|profile|profile-startup))$/;

export function isInteractiveShell({ argv }: ProcessSight): boolean {
  const [first = "", ...rest] = argv;
  const name = baseName(first);
  const shell = name.startsWith("-") ? name.slice(1) : name;
  if (!SHELLS.includes(shell)) return false;
  const { options, operands } = split(rest, shell === "fish" ? WITH_VALUE_IN_FISH : WITH_VALUE);
  if (options.some((option) => /^(-[A-Za-z]*i[A-Za-z]*|--interactive)$/.test(option))) return true;
  return operands === 0 && !options.some((option) => /^(-[A-Za-z]*c[A-Za-z]*|--command(=.*)?)$/s.test(option));
}

/** A shell's own options end where its script, or what the script is given, begins. */
function split(args: readonly string[], withValue: RegExp): { readonly options: string[]; readonly operands: number } {
  const options: string[] = [];
  let index = 0;
  for (; index < args.length; index += 1) {
    const arg = args[index] ?? "";
    if (!/^[-+]./.test(arg)) break;
    options.push(arg);
    if (withValue.test(arg)) index += 1;
  }
  return { options, operands: Math.max(0, args.length - index) };
}
