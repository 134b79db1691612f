/**
 * Which path keeps this process from writing a file: a directory on the way that it may not enter, the directory in which
 * the file would be created, or the file itself. The outermost one is named, because only its repair helps.
 */
import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import type { ForbiddenPath } from "../../core/fault.ts";
import { errorCode, isMissing } from "./system-error.ts";

const ENTER = constants.X_OK;
const WRITE = constants.R_OK | constants.W_OK;

/** Null when nothing forbids it as far as permissions tell; a sandbox may forbid it anyway. */
export function forbiddenPath(path: string): ForbiddenPath | null {
  const parent = dirname(path);
  const onTheWay = parent === path ? null : forbiddenToEnter(parent);
  if (onTheWay) return onTheWay;
  const kind = kindOf(path);
  if (kind !== "missing") return denied(path, kind === "directory" ? WRITE | ENTER : WRITE);
  return kindOf(parent) === "missing" ? forbiddenPath(parent) : denied(parent, WRITE | ENTER);
}

function forbiddenToEnter(directory: string): ForbiddenPath | null {
  const parent = dirname(directory);
  return (parent === directory ? null : forbiddenToEnter(parent)) ?? denied(directory, ENTER);
}

function denied(path: string, mode: number): ForbiddenPath | null {
  try {
    accessSync(path, mode);
    return null;
  } catch (error) {
    const cause = errorCode(error);
    // Other errors are reported by the caller.
    if (cause !== "EACCES" && cause !== "EPERM" && cause !== "EROFS") return null;
    const isDirectory = kindOf(path) === "directory";
    return { path, cause, byPermissions: cause === "EACCES", isDirectory, isOwn: isOwn(path) };
  }
}

function kindOf(path: string): "directory" | "other" | "missing" {
  try {
    return statSync(path).isDirectory() ? "directory" : "other";
  } catch (error) {
    return isMissing(error) ? "missing" : "other";
  }
}

function isOwn(path: string): boolean {
  try {
    return statSync(path).uid === process.getuid?.();
  } catch {
    return false;
  }
}
