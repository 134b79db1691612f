import { fstatSync, statSync } from "node:fs";

/** Of the three standard streams; they are asked about more than once, and stay what they are. */
const known = new Map<number, boolean>();

/**
 * Whether a standard stream, by its descriptor, is a terminal. The module that knows brings all of Node's sockets and
 * streams along, which takes longer than most commands; it is only asked about what could be one.
 */
export function isTerminal(descriptor: 0 | 1 | 2): boolean {
  let is = known.get(descriptor);
  if (is === undefined) {
    is = couldBeTerminal(descriptor) && process.getBuiltinModule("node:tty").isatty(descriptor);
    known.set(descriptor, is);
  }
  return is;
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
