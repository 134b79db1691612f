/** A second build of the whole program, from a copy of its source in which the schema has one more step. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { FUTURE_FILES, type FutureStep, futureText } from "../../support/future-schema.ts";

const project = resolve(import.meta.dirname, "../../..");

export interface FutureBuild {
  /** The path of its `tt`. */
  readonly program: string;
  remove(): void;
}

export function buildFuture(step: FutureStep): FutureBuild {
  const copy = mkdtempSync(join(tmpdir(), "tt-future-"));
  for (const name of ["src", "scripts", "skills", "package.json"]) {
    cpSync(join(project, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(project, "node_modules"), join(copy, "node_modules"));
  for (const path of FUTURE_FILES) {
    writeFileSync(join(copy, path), futureText(path, readFileSync(join(copy, path), "utf8"), step));
  }
  execFileSync(process.execPath, [join(copy, "scripts/build.mjs")], { stdio: ["ignore", "ignore", "inherit"] });
  return { program: join(copy, "dist/tt.cjs"), remove: () => rmSync(copy, { recursive: true, force: true }) };
}
