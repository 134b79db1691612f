import { fstatSync, statSync } from "node:fs";

/**
 * Whether a descriptor is a terminal. The module that knows brings all of Node's sockets and streams along, which
 * takes longer than most commands; it is only asked about what could be one.
 */
export function isTerminal(descriptor: number): boolean {
  return couldBeTerminal(descriptor) && process.getBuiltinModule("node:tty").isatty(descriptor);
}

function couldBeTerminal(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return stats.isCharacterDevice() && stats.rdev !== statSync("/dev/null").rdev;
  } catch {
    // A closed descriptor, which is none; or no /dev/null to compare with, and then nothing is known.
    return false;
  }
}
