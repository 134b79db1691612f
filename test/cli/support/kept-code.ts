import { readdirSync, statSync } from "node:fs";
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
