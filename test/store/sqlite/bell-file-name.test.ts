import { expect, test } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { bellFileName } from "../../../src/store/sqlite/bell.ts";
import { SeededRandom } from "../../support/random.ts";

const names: readonly (readonly [id: string, name: string])[] = [
  ["claude-code:7f3a", "agent.claude-code%3a7f3a"],
  ["Claude", "agent.%43laude"],
  ["../etc", "agent.%2e%2e%2fetc"],
  ["all", "agent.all"],
  ["a%3a", "agent.a%253a"],
];

test.each(names)("%s rings at %s", (id, name) => {
  expect(bellFileName(asAgentId(id))).toBe(name);
});

test("no part of a name is too long, and none steps out of the directory", () => {
  for (const character of ["a", "ü", "/", "🪄", "."]) {
    const parts = bellFileName(asAgentId(character.repeat(256))).split("/");
    for (const part of parts) {
      expect(Buffer.byteLength(part)).toBeLessThanOrEqual(255);
      expect(part).not.toMatch(/^\.{0,2}$/);
    }
  }
});

test("two ids never share a name, nor one the directory of another", () => {
  const random = new SeededRandom(7);
  const letters = ["a", "A", "%", "+", "/", "b"];
  const ids = new Set(
    Array.from({ length: 2000 }, () =>
      Array.from({ length: random.between(1, 4) * 67 }, () => random.pick(letters)).join(""),
    ),
  );
  for (let length = 190; length < 210; length += 1) ids.add("a".repeat(length)).add("a".repeat(length + 200));
  const made = [...ids].map((id) => bellFileName(asAgentId(id)));
  expect(new Set(made).size).toBe(ids.size);
  const directories = new Set(made.flatMap((name) => name.split("/").slice(0, -1)));
  expect(made.filter((name) => directories.has(name))).toEqual([]);
});
