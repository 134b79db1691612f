/**
 * The package that brings SQLite to a Node without it. We use only its native part, and loading that directly takes a
 * quarter of the time: the package searches for its own directory and adds functions that we do not call. If the native
 * part is not where it is expected, the package itself is loaded.
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
    // Built for another system. The package chooses by itself, and reports it if there is none.
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

/** A bundle that has `require` uses it: the module that creates one is slow to load. */
export function loader(): NodeJS.Require {
  return isCommonJs() ? require : process.getBuiltinModule("node:module").createRequire(import.meta.url);
}

function ownDirectory(): string {
  return isCommonJs() ? __dirname : dirname(fileURLToPath(import.meta.url));
}

/**
 * In a CommonJS bundle `import.meta.url` is a path, in a module an address. The presence of `require` proves nothing:
 * bundlers give a module one of their own, and code typed at a prompt or piped into Node has a global one.
 */
function isCommonJs(): boolean {
  return !import.meta.url.startsWith("file:");
}
