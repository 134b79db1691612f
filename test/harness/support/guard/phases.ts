/** In which rooms the tools are tried, and what must become of them there. */
import type { GuardMode } from "../../../../src/core/policy.ts";

export type Outcome = "refused" | "written" | "read";
export type Holder = "another" | "nobody" | "the caller";

export interface Phase {
  /** Names the scripts and marks of the phase. */
  readonly key: string;
  readonly mode: GuardMode;
  readonly holder: Holder;
  /** Of an edit tool, and of a plain write in a shell. */
  readonly writes: Outcome;
  /** Of a command whose effect cannot be told from its text. */
  readonly unknown: Outcome;
  /** A subagent tries the tools, too. */
  readonly delegates?: true;
  /** The hook is replaced by one that allows everything. */
  readonly sabotaged?: true;
}

const DENY_ANOTHER: Phase = {
  key: "deny-another",
  mode: "deny",
  holder: "another",
  writes: "refused",
  unknown: "written",
  delegates: true,
};
const DENY_NOBODY: Phase = {
  key: "deny-nobody",
  mode: "deny",
  holder: "nobody",
  writes: "written",
  unknown: "written",
};
const STRICT_NOBODY: Phase = {
  key: "strict-nobody",
  mode: "strict",
  holder: "nobody",
  writes: "refused",
  unknown: "refused",
  delegates: true,
};
const STRICT_ANOTHER: Phase = {
  key: "strict-another",
  mode: "strict",
  holder: "another",
  writes: "refused",
  unknown: "refused",
};

/** In an order in which the stick can go from one to the next. */
export const PHASES: readonly Phase[] = [
  DENY_NOBODY,
  DENY_ANOTHER,
  { key: "advise-another", mode: "advise", holder: "another", writes: "written", unknown: "written" },
  {
    key: "deny-caller",
    mode: "deny",
    holder: "the caller",
    writes: "written",
    unknown: "written",
    delegates: true,
  },
  { key: "strict-caller", mode: "strict", holder: "the caller", writes: "written", unknown: "written" },
  STRICT_NOBODY,
  STRICT_ANOTHER,
  {
    key: "sabotaged",
    mode: "strict",
    holder: "another",
    writes: "written",
    unknown: "written",
    sabotaged: true,
  },
];

/** What a set of permissions could change, without subagents. The last one shows that the tools work. */
export const SHORT_PHASES: readonly Phase[] = [DENY_ANOTHER, STRICT_ANOTHER, STRICT_NOBODY, DENY_NOBODY];
