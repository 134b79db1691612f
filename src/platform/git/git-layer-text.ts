/**
 * What the guard writes into a repository so that git asks our program, and how that is recognised and removed later.
 * Each line does nothing if the program is not there, so that a copied checkout refuses nothing.
 */
import { shellQuoted } from "../../core/shell-word.ts";
import { quotedGitValue } from "./git-config.ts";

export const GUARD_HOOKS = ["reference-transaction", "pre-rebase"] as const;
export type GuardHook = (typeof GUARD_HOOKS)[number];

/** In the directory of hooks: where a hook of the project is moved to. Its name stays, because it may look at that. */
export const MOVED_HOOKS = "talking-stick";

const MARK = "# talking-stick: asks before an agent without the stick changes this repository.";
const LINE_MARK = "# talking-stick";
/** The name of a section says what the section is for; a hook in a configuration does not learn its event. */
const SECTIONS: Readonly<Record<GuardHook, string>> = {
  "reference-transaction": "talking-stick",
  "pre-rebase": "talking-stick-rebase",
};

/** A hook of its own. */
export function hookFile(program: string, hook: GuardHook): string {
  const script = shellQuoted(program);
  return `#!/bin/sh
${MARK} \`tt guard off\` removes it.
test ! -x ${script} || exec ${script} ${hook} "$@"
`;
}

/** A hook that runs the one that was there before. */
export function chainedHookFile(program: string, hook: GuardHook): string {
  const script = shellQuoted(program);
  return `#!/bin/sh
${MARK} \`tt guard off\` puts the hook back
# that was here before. That one runs first, and its result counts.
before="\${0%/*}/${MOVED_HOOKS}/${hook}"
test ! -x ${script} || exec ${script} ${hook} --after "$before" "$@"
test ! -x "$before" || exec "$before" "$@"
`;
}

export function isOurHookFile(text: string): boolean {
  return text.startsWith(`#!/bin/sh\n${MARK}`);
}

/** The line for a hook that must stay where it is; it comes right after the first line. */
export function hookLine(program: string, hook: GuardHook): string {
  const script = shellQuoted(program);
  return `test ! -x ${script} || ${script} ${hook} "$@" || exit 1 ${LINE_MARK}\n`;
}

/** Husky's hooks read a file beside them, under the name by which they are called. */
export function isHuskyHook(text: string): boolean {
  return /^#!\/usr\/bin\/env sh\n(?:test ! -x .* # talking-stick\n)?\. "\$\(dirname "\$0"\)\/h"\n?$/.test(text);
}

export function withHookLine(text: string, line: string): string {
  return withoutHookLines(text).replace("\n", () => `\n${line}`);
}

export function withoutHookLines(text: string): string {
  return text.replace(/^test ! -x .* # talking-stick\n/gm, "");
}

/** What is appended to the configuration of a repository. */
export function configSections(program: string): string {
  const script = shellQuoted(program);
  const sections = GUARD_HOOKS.map((hook) => {
    const command = quotedGitValue(`test ! -x ${script} || ${script} ${hook}`);
    return `[hook "${SECTIONS[hook]}"]\n\tevent = ${hook}\n\tcommand = ${command}\n`;
  });
  return sections.join("");
}

/** Also sections that an earlier version wrote, or that git has rewritten. */
export function withoutConfigSections(text: string): string {
  return text.replace(/^\[hook "talking-stick(?:-rebase)?"\]\n(?:[ \t]+(?:event|command) = .*\n)*/gm, "");
}
