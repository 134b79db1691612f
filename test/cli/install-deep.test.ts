/** Files of a harness that are nested more deeply than anybody writes them. */
import { expect, it } from "vitest";
import { allFour, PLACES } from "./support/install-world.ts";

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const dotted = (depth: number) => `${Array.from({ length: depth }, (_, at) => `k${at}`).join(".")} = 1\n`;

const FILES = {
  "3,000 objects in each other": [".claude/settings.json", nested(3000), "claude"],
  "100,000 objects in each other": [".gemini/settings.json", nested(100_000), "gemini"],
  "20,000 lists in each other": [".claude.json", `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, "claude"],
  "a key of 30,000 parts": [".codex/config.toml", dotted(30_000), "codex"],
  "5,000 lists in TOML": [".codex/config.toml", `a = ${"[".repeat(5000)}${"]".repeat(5000)}\n`, "codex"],
} as const;

it.each(Object.entries(FILES))("%s are refused by name, and nothing is touched", async (_, [name, text, harness]) => {
  const world = allFour();
  const path = world.write(name, text);
  const before = world.snapshot();
  const own = PLACES[harness].files;
  for (const line of ["install --print", "install"]) {
    const { code, stderr } = await world.type(`${line} ${harness} --json`);
    expect([code, JSON.parse(stderr)]).toMatchObject([5, { error: "invalid_path", harness }]);
    expect(stderr).toContain(`${path} is nested too deeply to be edited safely.`);
  }
  expect((await world.type(`uninstall ${harness} --json`)).stderr).not.toContain("bug");
  const after = world.snapshot();
  for (const file of own) expect([file, after[file]]).toEqual([file, before[file]]);
  expect((await world.findings()).find(({ name: found }) => found === harness)?.["text"]).toContain(
    "nested too deeply",
  );
  expect((await world.type("doctor --json")).code).not.toBe(70);
});
