/** Reports names that appear in a directory, without polling. */
import { watch } from "node:fs";

/** False when the directory cannot be watched. The watch keeps no process alive. */
export function watchNames(directory: string, onName: (name: string) => void): boolean {
  try {
    const watcher = watch(directory, { persistent: false }, (_, name) => {
      if (name !== null) onName(name);
    });
    // Callers also look at other times.
    watcher.on("error", () => watcher.close());
    return true;
  } catch {
    // It is not there, or there are too many watches.
    return false;
  }
}
