/** Real processes: one that sleeps stands for an installation that goes on. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fileNameFor } from "../../../src/core/file-name.ts";
import { processKey } from "../../../src/core/process.ts";
import { isRefusal } from "../../../src/core/refusal.ts";
import { takeInstallLock } from "../../../src/platform/files/install-lock.ts";
import { makeDirectories } from "../../../src/platform/files/made-directories.ts";
import { machineHostId } from "../../../src/platform/process/host.ts";
import { createProcessProbe } from "../../../src/platform/process/process-probe.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

it("a living holder is waited for no longer than patience lasts, and a dead one not at all", async () => {
  const directory = temporaryDirectory();
  const holder = spawn("sleep", ["60"]);
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder, "spawn");
  const ref = createProcessProbe({ host: machineHostId() }).find(holder.pid ?? 0);
  if (!ref) throw new Error("It does not run.");
  writeFileSync(join(directory, fileNameFor("lock", processKey(ref))), "");
  const take = () => takeInstallLock(directory, { prepare: () => undefined, patienceMs: 0 });
  expect(take()).toMatchObject({ error: "invalid_path", facts: { cause: "EBUSY" } });
  expect(readdirSync(directory)).toHaveLength(1);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  const letGo = take();
  expect(isRefusal(letGo)).toBe(false);
  expect(readdirSync(directory)).toHaveLength(1);
  if (!isRefusal(letGo)) letGo();
  expect(readdirSync(directory)).toEqual([]);
});

it("a caller that may not write there is told to use a terminal", () => {
  const directory = "/sys/tt/state";
  const taken = takeInstallLock(directory, { prepare: () => makeDirectories(["/sys/tt", directory]) });
  expect(taken).toMatchObject({ error: "invalid_path", next: expect.stringContaining("outside of any sandbox") });
});
