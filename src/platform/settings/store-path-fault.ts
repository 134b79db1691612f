import { Fault, READ_ONLY_NEXT } from "../../core/fault.ts";
import { errorCode } from "../files/system-error.ts";

const ELSEWHERE_NEXT = "Set TT_DATA_DIR to a directory on a local disk that only you can use.";

/** The fault for a directory or file that others could read, swap or write behind our back. */
export function unsafePath(path: string, problem: string, next: string): Fault {
  return new Fault("store_unsafe", `${path} ${problem}, so other users could read or change what is stored there.`, {
    next,
    retry: false,
    facts: { path },
  });
}

/** The fault that an operating-system error on a path of the data directory means. Anything else is a bug. */
export function storePathFault(path: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  const code = errorCode(error);
  if (code === "") throw error;
  const details = { retry: false, facts: { path, cause: code }, cause: error };
  switch (code) {
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return new Fault("store_readonly", `${path} may not be written by this process (${code}).`, {
        next: READ_ONLY_NEXT,
        ...details,
      });
    case "ENOSPC":
    case "EDQUOT":
      return new Fault("store_full", `There is no space left to create ${path} (${code}).`, {
        next: "Free some disk space, then repeat the command.",
        ...details,
      });
    case "ENAMETOOLONG":
      return new Fault("store_unsafe", `${path} is longer than the system allows.`, {
        next: ELSEWHERE_NEXT,
        ...details,
      });
    case "ENOTDIR":
      return new Fault("store_unsafe", `${path} has a file where a directory should be.`, {
        next: ELSEWHERE_NEXT,
        ...details,
      });
    case "ELOOP":
      return new Fault("store_unsafe", `${path} contains a loop of symlinks.`, { next: ELSEWHERE_NEXT, ...details });
    default:
      return new Fault("store_unsafe", `${path} cannot be used (${code}).`, {
        next: ELSEWHERE_NEXT,
        ...details,
      });
  }
}
