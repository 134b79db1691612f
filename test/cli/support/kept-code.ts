import { closeSync, openSync, readdirSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { CliWorld } from "./cli-world.ts";

/** The compiled code in a home: which file it is for each command. A file that is kept again is another one. */
export function keptCodeIn({ home }: CliWorld): Readonly<Record<string, number>> {
  const directory = join(home, ".cache/tt");
  return Object.fromEntries(
    readdirSync(directory).map((file) => [commandOf(file), statSync(join(directory, file)).ino]),
  );
}

function commandOf(file: string): string {
  return file.slice(0, file.indexOf("."));
}

/** V8 looks at the head, and accepts none that it did not write. */
export function spoilKeptCode({ home }: CliWorld, command: string): void {
  const directory = join(home, ".cache/tt");
  const name = readdirSync(directory).find((other) => commandOf(other) === command);
  if (name === undefined) throw new Error(`nothing is kept for ${command}`);
  const file = openSync(join(directory, name), "r+");
  writeSync(file, Buffer.alloc(16), 0, 16, 0);
  closeSync(file);
}
