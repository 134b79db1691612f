import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { LIMITS } from "../../core/limits.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { networkFileSystem } from "../files/file-system-kind.ts";
import { errorCode } from "../files/system-error.ts";

const SHOWN_CHARACTERS = 200;
const NAME_EXISTING = "Give the path of an existing directory, or of a file in it.";

/** What went wrong, by the operating system's code. */
const CAUSES: Readonly<Record<string, readonly [cause: string, problem: string, next: string]>> = {
  ENOENT: ["missing", "does not exist", NAME_EXISTING],
  ENOTDIR: ["missing", "has a file where a directory should be", NAME_EXISTING],
  ELOOP: ["symlink_loop", "contains a loop of symlinks", "Give a path without that loop; ls -l shows the links."],
  ENAMETOOLONG: ["too_long", "is longer than the system allows", "Give a shorter path."],
  EACCES: ["unreadable", "may not be entered by this user", "Ask for access, or give a directory you can enter."],
};

/** The directory that a caller's path means: absolute, existing, without symlinks. */
export function canonicalDirectory(
  contextPath: string,
  onNetwork: (path: string) => string | null = networkFileSystem,
): string | Refusal<"invalid_path"> {
  if (contextPath.trim() === "") return invalid(contextPath, "empty", "is empty", NAME_EXISTING);
  if (contextPath.includes("\0")) {
    return invalid(contextPath, "nul_byte", "contains a NUL byte", "Give the path without control characters.");
  }
  if (contextPath.length > LIMITS.pathCharacters) {
    return invalid(
      contextPath,
      "too_long",
      `has more than ${LIMITS.pathCharacters} characters`,
      "Give a shorter path.",
    );
  }
  try {
    const real = realpathSync.native(resolve(contextPath));
    const directory = statSync(real).isDirectory() ? real : dirname(real);
    accessSync(directory, constants.X_OK);
    const kind = onNetwork(directory);
    return kind === null ? directory : refuseNetwork(contextPath, kind);
  } catch (error) {
    const code = errorCode(error);
    if (code === "") throw error;
    if (code === "ENOENT" && contextPath === ".") return goneDirectory();
    const [cause, problem, next] = CAUSES[code] ?? ["unreadable", `cannot be read (${code})`, NAME_EXISTING];
    return invalid(contextPath, cause, problem, next);
  }
}

/** Only a directory that was removed under its process has no path. */
function goneDirectory(): Refusal<"invalid_path"> {
  const next = "Change to an existing directory, or name one with --path.";
  return refuse("invalid_path", "The current directory was removed.", next, { path: ".", cause: "missing" });
}

function refuseNetwork(path: string, kind: string): Refusal<"invalid_path"> {
  return invalid(
    path,
    "network_file_system",
    `is on a network file system (${kind}), where other machines can write and this machine's stick cannot stop them`,
    "Work in a copy on a local disk.",
  );
}

function invalid(path: string, cause: string, problem: string, next: string): Refusal<"invalid_path"> {
  const shown = path.length > SHOWN_CHARACTERS ? `${path.slice(0, SHOWN_CHARACTERS)}…` : path;
  return refuse("invalid_path", `The path ${JSON.stringify(shown)} ${problem}.`, next, { path: shown, cause });
}
