/** What the guard's use cases need besides what every hook has. */
import type { Advice } from "../engine/ports/advice.ts";
import type { GuardFiles, WritePlaces } from "../engine/ports/guard-files.ts";
import type { WriteAttempts } from "../engine/ports/write-attempts.ts";
import type { HookDeps } from "../hooks/hook-deps.ts";
import type { ShellEffect } from "./rules/shell/finding.ts";

export interface GuardDeps extends HookDeps {
  readonly guard: GuardFiles;
  readonly writePlaces: WritePlaces;
  readonly advice: Advice;
  readonly attempts: WriteAttempts;
  /** The home directory of the user, for commands that name it. */
  readonly home: string | null;
  readonly absolutePath: (path: string, from: string) => string;
  /** Loads the parser of shell commands, which most tools do not need. */
  readonly shellEffect: (command: string) => Promise<ShellEffect>;
  /** The store is on another machine, so no file here says whether a turn is over. */
  readonly sharedStore: boolean;
}
