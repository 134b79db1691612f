import { lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ASK_PERSON_NEXT, ELSEWHERE_NEXT, Fault, type FaultCode, readOnlyFault } from "../../core/fault.ts";
import { shellWord } from "../../core/shell-word.ts";
import { forbiddenPath } from "../files/forbidden-path.ts";
import { errorCode } from "../files/system-error.ts";

const ROOM_NEXT = "Free some disk space, then repeat the command.";

/** A person should see what a link is for before it goes. */
export function removingLink(path: string, see = "See"): string {
  return `${see} where the link leads (ls -ld ${shellWord(path)}), then remove it: rm ${shellWord(path)}`;
}

/** A link above our directories is not ours: it may lead to a disk that is not mounted, and other programs use it. */
function repairingLink(link: string, code: string): string {
  const repair = code === "ELOOP" ? `Correct the link (ls -ld ${shellWord(link)})` : "Mount or create its target";
  return `${repair}, or set TT_DATA_DIR to another directory and run tt install.`;
}

/** The fault for a directory or file that others could read, swap or write behind our back. */
export function unsafePath(path: string, problem: string, next: string, nextInHarness = ASK_PERSON_NEXT): Fault {
  return new Fault("store_unsafe", `${path} ${problem}, so other users could read or change what is stored there.`, {
    next,
    nextInHarness,
    retry: false,
    facts: { path },
  });
}

/**
 * The fault that an operating-system error on a path of the data directory means. Anything else is a bug. If
 * the path itself is a link to nothing, the advice is to remove it.
 */
export function storePathFault(path: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  const code = errorCode(error);
  if (code === "") throw error;
  if (code === "EROFS" || code === "EACCES" || code === "EPERM") {
    const unexplained = { path, cause: code, byPermissions: false, isDirectory: false, isOwn: false };
    return readOnlyFault(forbiddenPath(path) ?? unexplained, { cause: error });
  }
  const link = code === "ELOOP" || code === "ENOENT" ? danglingLink(path) : null;
  if (link !== null) {
    const message = `${link} is a symlink that leads nowhere (${code}).`;
    const facts = { path: link, cause: code };
    return new Fault("store_unsafe", message, {
      next: link === path ? removingLink(link) : repairingLink(link, code),
      nextInHarness: ASK_PERSON_NEXT,
      retry: false,
      facts,
      cause: error,
    });
  }
  const [kind, message, next] = meaningOf(path, code);
  const nextInHarness = next === ELSEWHERE_NEXT ? ASK_PERSON_NEXT : next;
  return new Fault(kind, message, { next, nextInHarness, retry: false, facts: { path, cause: code }, cause: error });
}

function meaningOf(path: string, code: string): readonly [kind: FaultCode, message: string, next: string] {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return ["store_full", `There is no space left to create ${path} (${code}).`, ROOM_NEXT];
    case "ENAMETOOLONG":
      return ["store_unsafe", `${path} is longer than the system allows.`, ELSEWHERE_NEXT];
    case "ENOTDIR":
      return ["store_unsafe", `${path} has a file where a directory should be.`, ELSEWHERE_NEXT];
    default:
      return ["store_unsafe", `${path} cannot be used (${code}).`, ELSEWHERE_NEXT];
  }
}

/** The outermost part of a path that is a symlink to nothing, or to itself; null if there is none. */
function danglingLink(path: string): string | null {
  const parent = dirname(path);
  const above = parent === path ? null : danglingLink(parent);
  if (above !== null) return above;
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return null;
    return statSync(path, { throwIfNoEntry: false }) === undefined ? path : null;
  } catch (error) {
    return errorCode(error) === "ELOOP" ? path : null;
  }
}
