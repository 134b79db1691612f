/** The hooks' log: one line for each hook that failed, since a hook tells nobody else. Best effort, and never long. */

import { constants, ftruncateSync, type Stats } from "node:fs";
import { visible } from "../../core/visible.ts";
import { pathIn } from "../files/path-in.ts";
import { writeInPlace } from "../files/replace-file.ts";

const MOST_BYTES = 65_536;
const LINE_CHARACTERS = 500;

export function logHook(dataDir: string, words: readonly string[], what: string): void {
  const line = `${new Date().toISOString()} ${process.pid} ${words.slice(0, 2).join(" ")}: ${what}`;
  try {
    const text = `${visible(line).replaceAll("\n", " ").slice(0, LINE_CHARACTERS)}\n`;
    writeInPlace(pathIn(dataDir, "hook.log"), text, constants.O_APPEND | constants.O_NONBLOCK, keepShort);
  } catch {
    // There is no such directory, or no room: then there is no log.
  }
}

function keepShort(stats: Stats, file: number): void {
  if (!stats.isFile()) throw new Error("it is not a regular file");
  if (stats.size > MOST_BYTES) ftruncateSync(file, 0);
}
