import { describe, expect } from "vitest";
import { agentsIn, differences, GitWorld, HOLDER, snapshot, typed, WRITER } from "./git-layer/git-world.ts";
import { gitsToTest } from "./git-layer/gits.ts";
import { ALLOWED, type Operation, REFUSED } from "./git-layer/operations.ts";
import { figure, verifies } from "./verifies.ts";

const REASON = /Refused: codex holds the stick .*Nothing was (?:changed|applied).*Get the stick first: `tt wait`/;

const isCampaign = figure(0, 1) === 1;

for (const { version, number, directory } of gitsToTest()) {
  const refused = REFUSED.filter(({ since = 0 }) => number >= since);
  describe(`git ${version}`, () => {
    verifies("G3", "each operation of the table is refused, and changes nothing", async () => {
      const world = await worldWith(directory);
      const { writer } = await agentsIn(world, "deny");
      const wrong: string[] = [];
      for (const operation of refused) {
        prepare(world, operation);
        const before = snapshot(world);
        const { code, stderr } = await typed(writer, operation.line, WRITER);
        if (code === 0 || !REASON.test(stderr)) wrong.push(`${operation.name} ended with ${code}: ${stderr}`);
        wrong.push(...differences(before, snapshot(world)).map((what) => `${operation.name}: ${what}`));
      }
      expect(wrong).toEqual([]);
      expect(world.log).toBe("");
    });

    // The rest follows from what git asks and when, which the first test has shown for this git.
    if (directory !== null && !isCampaign) return;

    verifies("G3", "each operation that git has begun before it asks is let through", async () => {
      const world = await worldWith(directory);
      const { writer } = await agentsIn(world, "strict");
      const wrong: string[] = [];
      for (const operation of ALLOWED) {
        prepare(world, operation);
        const { code, stderr } = await typed(writer, operation.line, WRITER);
        if (code !== 0 || /Refused/.test(stderr)) wrong.push(`${operation.name} ended with ${code}: ${stderr}`);
      }
      expect(wrong).toEqual([]);
      expect(world.log).toBe("");
    });

    verifies(
      "G3",
      "a person is refused nothing, also with the variables of a session left in the terminal",
      async () => {
        const world = await worldWith(directory);
        await agentsIn(world, "strict");
        const wrong: string[] = [];
        for (const [index, operation] of refused.entries()) {
          prepare(world, operation);
          const { code, text } = world.sh(operation.line, { env: index % 2 === 0 ? {} : WRITER });
          // A merge may end with a conflict.
          if ((code !== 0 && !/conflict/.test(operation.name)) || /Refused/.test(text))
            wrong.push(`${operation.name} ended with ${code}: ${text}`);
        }
        expect(wrong).toEqual([]);
      },
    );

    verifies("G3", "the holder is refused nothing, and nothing is recorded against it", async () => {
      const world = await worldWith(directory);
      const { holder } = await agentsIn(world, "strict");
      const wrong: string[] = [];
      for (const operation of refused.filter(({ name }) => !/conflict/.test(name))) {
        prepare(world, operation);
        const { code, stderr } = await typed(holder, operation.line, HOLDER);
        if (code !== 0) wrong.push(`${operation.name} ended with ${code}: ${stderr}`);
      }
      expect(wrong).toEqual([]);
      expect(await foreignWrites(world)).toEqual([]);
    });
  });
}

async function worldWith(directory: string | null): Promise<GitWorld> {
  const world = new GitWorld(directory);
  world.makeRepository();
  await world.installed();
  world.keepTemplate();
  return world;
}

/** Git keeps the ids of trees in the index, and writes them there before it asks; so that is done first. */
function prepare(world: GitWorld, { before }: Operation): void {
  world.restore();
  if (before !== undefined) world.must(before);
  world.sh("git write-tree");
}

async function foreignWrites(world: GitWorld): Promise<readonly unknown[]> {
  return world.eventsOf("foreign_write");
}
