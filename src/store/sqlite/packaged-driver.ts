/**
 * The package that brings SQLite to a Node without it. Its native part alone is all that we use, and loading that
 * directly takes a quarter of the time: the package looks for its own place, reads directories, and adds functions
 * that nobody calls here. Wherever the shortcut does not lead to what it expects, the package itself is loaded.
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { SqliteModule } from "./driver.ts";

export const PACKAGE = "@photostructure/sqlite";

/** Null when the native part is not where this release of the package has it. */
export function loadNativePart(): SqliteModule | null {
  const file = nativeFile();
  if (file === null) return null;
  const loaded: { exports: Partial<SqliteModule> } = { exports: {} };
  try {
    process.dlopen(loaded, file);
  } catch {
    // Made for another system; the package has its own way to choose, and its own words if there is none.
    return null;
  }
  return typeof loaded.exports.DatabaseSync === "function" ? (loaded.exports as SqliteModule) : null;
}

function nativeFile(): string | null {
  const { platform, arch } = process;
  const libc = platform === "linux" && existsSync("/etc/alpine-release") ? "musl" : "glibc";
  const inside = `node_modules/${PACKAGE}/prebuilds/${platform}-${arch}/@photostructure+sqlite.${libc}.node`;
  for (let directory = ownDirectory(); ; directory = dirname(directory)) {
    const file = `${directory}/${inside}`;
    if (existsSync(file)) return file;
    if (directory === dirname(directory)) return null;
  }
}

/** A bundle that can require does so: the module that makes a require function is slow to load. */
export function loader(): NodeJS.Require {
  return isCommonJs() ? require : process.getBuiltinModule("node:module").createRequire(import.meta.url);
}

function ownDirectory(): string {
  return isCommonJs() ? __dirname : dirname(fileURLToPath(import.meta.url));
}

/**
 * A CommonJS bundle is told its path where a module has its address. Whether there is a `require` says nothing: bundlers
 * give a module one of their own, and what is typed at a prompt or piped into Node has one as a global.
 */
function isCommonJs(): boolean {
  return !import.meta.url.startsWith("file:");
}
