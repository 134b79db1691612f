/** A build of its own: whatever lies in dist may be old. Below the project, where it finds its native package. */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";

export interface BuiltProgram {
  readonly directory: string;
  readonly program: string;
  readonly remove: () => void;
}

export function buildProgram(name: string): BuiltProgram {
  const root = join(import.meta.dirname, "..");
  const directory = join(root, ".cache", `${name}-${process.pid}`);
  execFileSync(process.execPath, [join(root, "scripts/build.mjs"), directory], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const remove = () => rmSync(directory, { recursive: true, force: true });
  return { directory, program: join(directory, "tt.cjs"), remove };
}
