/** The hooks' log: one line for each hook that failed, since a hook tells nobody else. Best effort, and never long. */

import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { visible } from "../../core/visible.ts";
import { pathIn } from "../files/path-in.ts";

const MOST_BYTES = 65_536;
const LINE_CHARACTERS = 500;

export function logHook(dataDir: string, words: readonly string[], what: string): void {
  const line = `${new Date().toISOString()} ${process.pid} ${words.slice(0, 2).join(" ")}: ${what}`;
  try {
    append(pathIn(dataDir, "hook.log"), `${visible(line).replaceAll("\n", " ").slice(0, LINE_CHARACTERS)}\n`);
  } catch {
    // There is no such directory, or no room: then there is no log.
  }
}

function append(path: string, line: string): void {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return;
    if (stats.size > MOST_BYTES) ftruncateSync(file, 0);
    writeSync(file, line);
  } finally {
    closeSync(file);
  }
}
