import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { askHookScript } from "../../src/system/ask-hook-script.ts";
import { watchNames } from "../../src/system/watch-names.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

/** A real script, asked with a payload. */
async function ask(lines: string, { payload = "{}", timeoutMs = 5000 } = {}): Promise<string> {
  const script = join(temporaryDirectory(), "tt-hook");
  writeFileSync(script, `#!/bin/sh\n${lines}\n`);
  chmodSync(script, 0o700);
  return askHookScript(script, { words: ["opencode", "prompt"], payload, env: { GREETING: "hello" }, timeoutMs });
}

describe("our hook script, asked from inside another program", () => {
  it("is given its words, the payload and the environment, and says what it prints", async () => {
    const said = await ask('printf "%s %s %s " "$1" "$2" "$GREETING"; cat', { payload: '{"session_id":"ses_1"}' });
    expect(said).toBe('opencode prompt hello {"session_id":"ses_1"}');
  });

  it("may leave the payload unread, however long it is", async () => {
    expect(await ask("echo done", { payload: "x".repeat(1_000_000) })).toBe("done\n");
  });

  it("has said what it printed when its time was over, and is waited for no longer", async () => {
    const before = performance.now();
    expect(await ask("echo shown; exec sleep 60", { timeoutMs: 300 })).toBe("shown\n");
    expect(performance.now() - before).toBeLessThan(5000);
  });

  it("says nothing when it is not there, or cannot be run", async () => {
    const call = { words: [], payload: "", env: {}, timeoutMs: 1000 };
    expect(await askHookScript(join(temporaryDirectory(), "missing"), call)).toBe("");
    expect(await askHookScript(temporaryDirectory(), call)).toBe("");
  });
});

test("names that appear in a directory are told, and a directory that is not there is not watched", async () => {
  const directory = temporaryDirectory();
  const told = new Set<string>();
  expect(watchNames(directory, (name) => told.add(name))).toBe(true);
  writeFileSync(join(directory, "ses_1"), "");
  await expect.poll(() => [...told]).toEqual(["ses_1"]);
  expect(watchNames(join(directory, "missing"), () => undefined)).toBe(false);
});
