/**
 * Whether there is a standard output at all. Node opens /dev/null where a program was started without one, and every
 * write then succeeds. Node opens it to read and to write, as do programs that start others and want no output. A shell
 * redirection opens it to write alone; that is a deliberate choice of the user.
 */
import { fstatSync, readSync, statSync } from "node:fs";
import { codedError } from "../files/system-error.ts";
import { OutputError } from "./standard-streams.ts";

/** For a command that consumes what it prints: without an output it would be lost. */
export function assertOutput(): void {
  if (!isNowhere(1)) return;
  throw new OutputError(
    codedError("EBADF", "standard output is closed, or the program that started this one discards it"),
  );
}

function isNowhere(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isCharacterDevice() || stats.rdev !== statSync("/dev/null").rdev) return false;
    // Reads its end if it can be read.
    return readSync(descriptor, Buffer.alloc(1)) === 0;
  } catch {
    // It cannot be read, so it was opened to write alone; or there is no /dev/null to compare with.
    return false;
  }
}
