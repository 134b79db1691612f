import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";

import { join } from "node:path";

export interface ScratchDirectory {
  readonly path: string;
  /** A directory inside it, private to this user. */
  directory(name: string): string;
  file(name: string, content: string): string;
  remove(): void;
}

/** A process that was just killed may have created a file a moment before. */
const REMOVING = { recursive: true, force: true, maxRetries: 10, retryDelay: 20 } as const;

/** A directory that is ours alone and that is thrown away afterwards, when the process ends at the latest. */
export function makeScratchDirectory(prefix: string): ScratchDirectory {
  const path = realpathSync(mkdtempSync(join(process.getBuiltinModule("node:os").tmpdir(), prefix)));
  const remove = () => rmSync(path, REMOVING);
  process.prependOnceListener("exit", remove);
  return {
    path,
    directory(name) {
      const inside = join(path, name);
      mkdirSync(inside, { mode: 0o700 });
      return inside;
    },
    file(name, content) {
      const inside = join(path, name);
      writeFileSync(inside, content, { mode: 0o600 });
      return inside;
    },
    remove,
  };
}
