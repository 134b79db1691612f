/**
 * The programs that stand in the configurations of harnesses and of git: shell scripts with every path written into them.
 */
import { shellWord } from "../core/shell-word.ts";
import type { Pins } from "../install/rules/harness-setup.ts";
import type { WholeFile } from "../install/rules/wanted-file.ts";
import guardPass from "./guard-pass.sh";
import { HARNESSES } from "./harnesses.ts";
import quiet from "./quiet.sh";
import gitTemplate from "./tt-git-guard.sh";
import template from "./tt-hook.sh";

/** `variables`: for harnesses that strip the environment. */
export type HookScriptOptions = Pick<Pins, "version" | "node" | "hookProgram" | "dataDir"> &
  Partial<Pick<Pins, "variables" | "sharedStore">>;

/** Node 20 reads them all at every start, which takes longer than everything else. */
const WITHOUT_CERTIFICATES = `case $TT_STORE in
  postgres*) ;;
  *) unset NODE_EXTRA_CA_CERTS ;;
  esac`;

export function hookScript(options: HookScriptOptions): string {
  // A function, because "$" means something in a text that replaces another.
  const whole = template.replace("@QUIET@", () => quiet.trimEnd());
  const cases = { SESSION_IDS: sessionIdCases(), TURN_FIELDS: turnFieldCases() };
  return filledIn(whole, options, { ...cases, SHARED_STORE: options.sharedStore ? "shared" : "" });
}

/** The script that git calls. */
export function gitGuardScript(options: HookScriptOptions): string {
  return filledIn(gitTemplate, options, { SESSIONS: sessionLines() });
}

/** A script of ours with its values in their places. `more`: those that only this script has. */
function filledIn(text: string, options: HookScriptOptions, more: Readonly<Record<string, string>>): string {
  const { version, node, hookProgram, dataDir, variables = {}, sharedStore = false } = options;
  const values: Readonly<Record<string, string>> = {
    ...more,
    GUARD_PASS: guardPass.trimEnd(),
    VERSION: version,
    NODE: shellWord(node),
    HOOK_PROGRAM: shellWord(hookProgram),
    DATA_DIR: shellWord(dataDir),
    PINNED_ENV: pinnedLines(variables),
    CERTIFICATES: sharedStore ? ":" : WITHOUT_CERTIFICATES,
  };
  return text.replace(/@([A-Z_]+)@/g, (place, name: string) => values[name] ?? place);
}

/** One case for each harness that names the session of a tool's hook in a variable. */
function sessionIdCases(): string {
  const cases = HARNESSES.flatMap(({ name, hooks: { sessionVariable: variable } }) => {
    if (!variable) return [];
    if (!variable.mayRotate) return [`${name}) id=$${variable.name} ;;`];
    return [
      `${name})`,
      `  id=$${variable.name}`,
      "  # It may change the id without a word. An id that has left no sign yet is for a better reader.",
      '  [ -e "$data/activity/$id" ] || id=',
      "  ;;",
    ];
  });
  return cases.join("\n    ");
}

/** One case for each harness that has names for turns. */
function turnFieldCases(): string {
  const cases = HARNESSES.flatMap(({ name, hooks: { turnField } }) =>
    turnField === undefined ? [] : [`${name}) field=${turnField} ;;`],
  );
  return cases.join("\n  ");
}

/** For each harness: its mark, and the session that it names. */
function sessionLines(): string {
  const lines = HARNESSES.flatMap(({ markedBy, sessionNamedBy }) => [
    `if [ -n "${markedBy.map((name) => `$${name}`).join("")}" ]; then`,
    "  marks=$marks.",
    `  id=${sessionNamedBy.reduceRight((rest, name) => `\${${name}:-${rest}}`, "")}`,
    "fi",
  ]);
  return lines.join("\n  ");
}

/** The environment overrides the pinned values. */
function pinnedLines(pinned: Readonly<Record<string, string>>): string {
  const lines = Object.entries(pinned).map(
    ([name, value]) => `[ -n "$${name}" ] || ${name}=${shellWord(value)}\n  export ${name}`,
  );
  return lines.length === 0 ? ":" : lines.join("\n  ");
}

export function hookProgramFile(pins: Pins): WholeFile {
  return {
    kind: "whole",
    path: pins.hookScript,
    text: hookScript(pins),
    executable: true,
    what: "the program that the hooks call",
    standsAlone: true,
    looks: { mark: /^#!\/bin\/sh\n# talking-stick (\d\S*)\n/, pinned: /^ {2}\[ -x .+ \] && \[ -r .+hook\.cjs'? \]/m },
  };
}
