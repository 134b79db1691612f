import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";

/** Whether a command of that name can be run. */
export function isOnPath(env: Environment, program: string): boolean {
  return (env["PATH"] ?? "").split(":").some((directory) => isAbsolute(directory) && canRun(join(directory, program)));
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there, or not for us: it cannot be run.
    return false;
  }
}
