import { type SpawnOptions, spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type Bundle, bundleFixture, startFixture } from "../support/fixture.ts";

export interface SystemCalls {
  /** Calls a function of src/platform in a fresh process and answers what it answered. */
  readonly call: (args: readonly string[], options?: SpawnOptions) => Promise<unknown>;
  /** The same from a shell command in which "$@" is the call. */
  readonly callWithin: (script: string, args: readonly string[]) => unknown;
  /** Many calls that begin at one instant. */
  readonly callAtOnce: (count: number, args: readonly string[]) => Promise<unknown[]>;
}

/** Bundles the fixture once for the test file that asks. */
export function systemCalls(): SystemCalls {
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await bundleFixture("test/platform/fixtures/call-system.ts");
    // Children of other users have to be able to read it.
    chmodSync(dirname(bundle.file), 0o755);
  });
  afterAll(() => bundle.remove());

  const call = async (args: readonly string[], options: SpawnOptions = {}): Promise<unknown> => {
    const fixture = startFixture(bundle, args, options);
    for await (const line of fixture.lines()) return line;
    throw new Error((await fixture.ended).stderr);
  };

  return {
    call,
    callWithin(script, args) {
      const command = ["-c", script, "sh", process.execPath, bundle.file, ...args];
      const { stdout, stderr } = spawnSync("sh", command, { encoding: "utf8" });
      if (stdout.trim() === "") throw new Error(stderr);
      return JSON.parse(stdout);
    },
    async callAtOnce(count, args) {
      const fixtures = Array.from({ length: count }, () => startFixture(bundle, args, { env: { TT_GATE: "1" } }));
      const outputs = fixtures.map((fixture) => fixture.lines());
      await Promise.all(outputs.map((lines) => lines.next()));
      for (const fixture of fixtures) fixture.send("go");
      return Promise.all(outputs.map(async (lines) => (await lines.next()).value));
    },
  };
}
