import type { ProcessSight } from "../../core/harness.ts";
import type { Ancestry } from "../../session/rules/evidence.ts";
import type { ProcessSights } from "./process-sights.ts";

/** More than any real chain has; a broken one must not keep us. */
const MOST_ANCESTORS = 64;

/**
 * The processes above, from the parent up to the first one, or up to one that `isEnough`: nobody looks further. In a
 * sandbox with process numbers of its own the walk ends early, and the ancestry says that it is not complete.
 */
export function readAncestry(
  sights: ProcessSights,
  parentPid: number,
  isEnough: (process: ProcessSight) => boolean,
): Ancestry {
  const processes: ProcessSight[] = [];
  let pid = parentPid;
  while (pid > 0 && processes.length < MOST_ANCESTORS) {
    const seen = sights.look(pid);
    if (!seen) return { processes, complete: false };
    processes.push(seen.sight);
    if (isEnough(seen.sight)) return { processes, complete: false };
    pid = seen.parentPid;
  }
  return { processes, complete: pid === 0 && sights.wholeMachine };
}
