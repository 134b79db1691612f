/**
 * The git commands above a hook, from the command lines of its ancestors. The nearest one is the command that called the
 * hook. One above it may have started it: `git pull` starts `git merge`, and an alias starts what it stands for.
 */
import type { ProcessSight } from "../../core/harness.ts";

export interface GitCommand {
  /** Such as `commit`; null if the command line cannot be read. */
  readonly verb: string | null;
  /** What follows the verb. */
  readonly words: readonly string[];
  /** It is a program `git-NAME` and not git itself. */
  readonly isOther: boolean;
  /** Its parent is the next command of the list, with no process in between. */
  readonly isChild: boolean;
}

/** Options before the verb that take the next word as their value. */
const WITH_VALUE = new Set([
  "-C",
  "-c",
  "--attr-source",
  "--config-env",
  "--exec-path",
  "--git-dir",
  "--namespace",
  "--super-prefix",
  "--work-tree",
]);
/** Options before the verb that stand alone. */
const ALONE = new Set([
  "--bare",
  "--glob-pathspecs",
  "--icase-pathspecs",
  "--literal-pathspecs",
  "--no-advice",
  "--no-lazy-fetch",
  "--no-optional-locks",
  "--no-pager",
  "--no-replace-objects",
  "--noglob-pathspecs",
  "--paginate",
  "-P",
  "-p",
]);

/** `ancestors`: from the parent of the hook upwards. */
export function gitCommandsAbove(ancestors: readonly ProcessSight[]): readonly GitCommand[] {
  return ancestors.flatMap((process, index): readonly GitCommand[] => {
    const program = programOf(process);
    if (program === null) return [];
    const parent = ancestors[index + 1];
    const isChild = parent !== undefined && programOf(parent) !== null;
    const rest = process.argv.slice(1);
    if (program !== "git") return [{ verb: program.slice("git-".length), words: rest, isOther: true, isChild }];
    return [{ ...parsed(rest), isOther: false, isChild }];
  });
}

/** `git` or `git-NAME`; null for another program. */
function programOf({ argv: [first = ""] }: ProcessSight): string | null {
  const name = first.slice(first.lastIndexOf("/") + 1);
  return /^git(?:-[a-z0-9-]+)?$/.test(name) ? name : null;
}

function parsed(words: readonly string[]): Pick<GitCommand, "verb" | "words"> {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (!word.startsWith("-")) return { verb: word, words: words.slice(at + 1) };
    if (WITH_VALUE.has(word)) at += 1;
    else if (!ALONE.has(word) && !WITH_VALUE.has(word.slice(0, Math.max(0, word.indexOf("="))))) break;
  }
  return { verb: null, words: [] };
}
