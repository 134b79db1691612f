/** Tells of names that appear in a directory, without looking by itself. */
import { watch } from "node:fs";

/** False when the directory cannot be watched. The watch keeps no process alive. */
export function watchNames(directory: string, onName: (name: string) => void): boolean {
  try {
    const watcher = watch(directory, { persistent: false }, (_, name) => {
      if (name !== null) onName(name);
    });
    // Whoever relies on it looks at other times, too.
    watcher.on("error", () => watcher.close());
    return true;
  } catch {
    // It is not there, or there are too many watches.
    return false;
  }
}
