import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

export interface RealPlace {
  /** The nearest directory above that is there, behind links. */
  readonly above: string;
  readonly path: string;
}

/** Where a path that may not exist yet leads, by what exists of it. */
export function realPlaceOf(path: string): RealPlace {
  let above = dirname(path);
  while (!existsSync(above) && above !== dirname(above)) above = dirname(above);
  const real = realpathSync.native(above);
  return { above: real, path: join(real, path.slice(above === "/" ? 1 : above.length + 1)) };
}

/** Null for a path that is not there, or that this process may not look at. */
export function realPathOrNull(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    // Callers treat a path that cannot be resolved as empty.
    return null;
  }
}
