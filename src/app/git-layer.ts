/** Wires the hooks that git calls: where our script lies, and what is written into it. */

import { invalidInput, isRefusal, type Refusal } from "../core/refusal.ts";
import type { GitLayer } from "../engine/ports/git-layer.ts";
import { gitGuardScript } from "../harness/hook-script.ts";
import { homeDirectory } from "../platform/files/home-directory.ts";
import { gitGuardIn, stateDirectoryIn } from "../platform/files/install-records.ts";
import { openGitLayer } from "../platform/git/git-layer.ts";
import type { Environment } from "../platform/settings/environment.ts";
import { pinnedVariables, programInside, programs } from "./install.ts";

interface GitGuardOptions {
  readonly env: Environment;
  readonly version: string;
  readonly dataDir: string;
  readonly sharedStore: boolean;
  /** To remove only: what an install would write now does not matter. */
  readonly toUndo: boolean;
}

export function openGitGuard({ env, version, dataDir, sharedStore, toUndo }: GitGuardOptions): GitLayer | Refusal {
  const home = homeDirectory(env);
  if (home === null) return invalidInput("HOME", "There is no home directory, so nothing can be set up.", "Set HOME.");
  const variables = toUndo ? {} : pinnedVariables(env, dataDir);
  if (isRefusal(variables)) return variables;
  const stateDirectory = stateDirectoryIn(home);
  const program = gitGuardIn(stateDirectory);
  const { node, hookProgram, program: tt } = programs();
  const unsafe = toUndo ? null : programInside({ dataDir, hookScript: program, program: tt, node });
  if (unsafe) return unsafe;
  const script = gitGuardScript({ version, node, hookProgram, dataDir, variables, sharedStore });
  return openGitLayer({ env, program, script, stateDirectory });
}
