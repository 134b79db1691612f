import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { storeUsers } from "../../../src/platform/process/lock-holders.ts";
import { storeProcesses } from "../../../src/platform/process/store-processes.ts";
import { type Bundle, bundleFixture, startFixture } from "../../support/fixture.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

describe.skipIf(process.platform !== "linux")("a process that has a database open", () => {
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await bundleFixture("test/platform/fixtures/hold-write-lock.ts");
  });
  afterAll(() => bundle.remove());

  async function opened(): Promise<{ readonly file: string; readonly pid: number }> {
    const file = join(temporaryDirectory(), "tt.db");
    const holder = startFixture(bundle, [file], { env: { TT_AGENT_ID: "claude:1" } });
    onTestFinished(() => void holder.child.kill("SIGKILL"));
    expect((await holder.lines().next()).value).toBe("holding");
    return { file, pid: holder.pid };
  }

  test("is found, with its command and the agent it works for", async () => {
    const { file, pid } = await opened();
    const command = expect.stringMatching(/^node hold-write-lock\.cjs tt\.db$/) as string;
    expect(storeProcesses(file)).toEqual([{ pid, command, agent: "claude:1", hasLostFiles: false }]);
    expect(storeUsers(file)).toEqual([pid]);
  });

  test.each(["", "-wal", "-shm"])("has lost files when tt.db%s was removed", async (suffix) => {
    const { file, pid } = await opened();
    rmSync(`${file}${suffix}`);
    expect(storeProcesses(file)).toMatchObject([{ pid, hasLostFiles: true }]);
  });
});

test("a database that nobody has open has no processes", () => {
  const file = join(temporaryDirectory(), "tt.db");
  expect([storeProcesses(file), storeUsers(file)]).toEqual([[], []]);
});

test("a machine that shows no processes and no locks cannot tell", () => {
  expect([storeProcesses("/any/tt.db", "/nowhere"), storeUsers("/any/tt.db", "/nowhere")]).toEqual([null, null]);
});
