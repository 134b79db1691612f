import { isAbsolute } from "node:path";
import type { Environment } from "../settings/environment.ts";

/** The user's home: HOME, else what the system's user list says; null when neither names a directory. */
export function homeDirectory(env: Environment): string | null {
  const named = env["HOME"];
  if (named && isAbsolute(named)) return named;
  try {
    const listed = process.getBuiltinModule("node:os").userInfo().homedir;
    return isAbsolute(listed) ? listed : null;
  } catch {
    // A user id without an entry in the user list has no home.
    return null;
  }
}
