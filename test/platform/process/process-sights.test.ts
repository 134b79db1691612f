import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProcessSights } from "../../../src/platform/process/process-sights.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const SELF = { host: "local", bootId: "boot", pidNamespace: "pid:[1]", pid: 7, startTicks: "1" };

test.runIf(process.platform === "linux")("of a command line of any length the program is seen", () => {
  const proc = temporaryDirectory();
  symlinkSync(String(SELF.pid), join(proc, "self"));
  mkdirSync(join(proc, "42"));
  const fields = ["S", "7", "42", "42", ...Array.from({ length: 15 }, () => "0"), "900", "0"];
  writeFileSync(join(proc, "42/stat"), `42 (claude (2)) ${fields.join(" ")}`);
  const argv = ["claude", "--append-system-prompt", "x".repeat(100_000), "last"];
  writeFileSync(join(proc, "42/cmdline"), argv.map((word) => `${word}\0`).join(""));
  const seen = createProcessSights(SELF, proc).look(42);
  expect(seen).toMatchObject({ parentPid: 7, sight: { name: "claude (2)", ref: { pid: 42, startTicks: "900" } } });
  expect(seen?.sight.argv.slice(0, 2)).toEqual(argv.slice(0, 2));
});
