import { normalize } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { shellEffect } from "../../../../src/guard/rules/shell/shell-effect.ts";
import { figure } from "../../../promises/verifies.ts";
import { commandLine } from "./grammar.ts";
import { makeScratchTree, type ScratchTree } from "./scratch-tree.ts";

const CAMPAIGN = process.env["TT_CAMPAIGN"] !== undefined;
const READS = figure(700, 20_000);
const WRITES = figure(100, 4000);
const BATCH = 50;

/**
 * A campaign looks for programs and flags that the table does not know well enough. Every other run repeats the same
 * commands, so that it fails for a change of the code alone. TT_SEED repeats a campaign.
 */
const seed = Number(process.env["TT_SEED"] ?? (CAMPAIGN ? Math.floor(Math.random() * 2 ** 31) : 1));

function scratchTree(): ScratchTree {
  const tree = makeScratchTree();
  onTestFinished(tree.remove);
  return tree;
}

/** Commands of which the judge says so, each one once. */
function commandsThat(isWanted: (command: string) => boolean, count: number): readonly string[] {
  const found = new Set<string>();
  for (let round = 0; found.size < count && round < 100; round += 1) {
    for (const command of fc.sample(commandLine, { numRuns: count, seed: seed + round })) {
      if (found.size < count && isWanted(command)) found.add(command);
    }
  }
  return [...found];
}

/** The commands of a batch that change the tree when they run alone. */
function culprits(tree: ScratchTree, shell: "sh" | "bash", commands: readonly string[]): readonly string[] {
  tree.run(shell, commands);
  const changes = tree.changes();
  if (changes.length === 0) return [];
  tree.restore();
  if (commands.length === 1) return [`${shell}: ${commands[0]} changed ${changes.join(", ")}`];
  const half = Math.ceil(commands.length / 2);
  return [...culprits(tree, shell, commands.slice(0, half)), ...culprits(tree, shell, commands.slice(half))];
}

test("a command that is judged as reading leaves the tree and .git byte for byte as they were", {
  timeout: 600_000,
}, () => {
  const tree = scratchTree();
  const commands = commandsThat((command) => shellEffect(command).effect === "reads", READS);
  expect(commands).toHaveLength(READS);
  const found: string[] = [];
  for (let start = 0; start < commands.length; start += BATCH) {
    const batch = commands.slice(start, start + BATCH);
    found.push(...culprits(tree, (start / BATCH) % 2 === 0 ? "bash" : "sh", batch));
  }
  expect(found, `seed ${seed}`).toEqual([]);
});

test("a command that is judged as writing literal targets changes nothing else", { timeout: 600_000 }, () => {
  const tree = scratchTree();
  const commands = commandsThat(writesOnlyTargets, WRITES);
  expect(commands).toHaveLength(WRITES);
  const found: string[] = [];
  for (const command of commands) {
    const targets = (shellEffect(command).targets ?? []).map((target) => normalize(target).replace(/\/$/, ""));
    tree.run("bash", [command]);
    const changes = tree.changes();
    const stray = changes.filter((path) => !targets.some((target) => isAlong(target, path)));
    if (stray.length > 0) found.push(`${command} changed ${stray.join(", ")}, not only ${targets.join(", ")}`);
    if (changes.length > 0) tree.restore();
  }
  expect(found, `seed ${seed}`).toEqual([]);
});

/** For git the directory in which it runs stands for the repository around it, which is the whole tree. */
function writesOnlyTargets(command: string): boolean {
  const { targets, hidden } = shellEffect(command);
  return targets !== null && hidden === null && !/\bgit\b/.test(command);
}

/** A target's parents may be made with it, and what is in a target belongs to it. */
function isAlong(target: string, path: string): boolean {
  return target === "." || path === "." || `${path}/`.startsWith(`${target}/`) || `${target}/`.startsWith(`${path}/`);
}
