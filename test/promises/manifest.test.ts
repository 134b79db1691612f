import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROMISES } from "./promises.ts";

const testRoot = join(import.meta.dirname, "..");

function citedIds(): string[] {
  return readdirSync(testRoot, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [...readFileSync(join(testRoot, file), "utf8").matchAll(/\bverifies\(\s*"([^"]*)"/g)])
    .map((match) => match[1] ?? "");
}

it("every promise has a test", () => {
  const cited = new Set(citedIds());
  expect(Object.keys(PROMISES).filter((id) => !cited.has(id))).toEqual([]);
});

it("every test cites a promise that is made", () => {
  expect(citedIds().filter((id) => !(id in PROMISES))).toEqual([]);
});
