import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { nowUs } from "./marks.ts";
import { failureOf } from "./yardstick.ts";

/** From the start of a node process to its end, in microseconds. */
export function lifeOf(args: readonly string[], options: SpawnSyncOptions, node = process.execPath): number {
  const startUs = nowUs();
  const { status, stderr } = spawnSync(node, args, options);
  const us = nowUs() - startUs;
  if (status !== 0)
    throw failureOf(args[0] ?? "", `${node} ${args.join(" ")} ended with ${status}:\n${stderr.toString()}`);
  return us;
}
