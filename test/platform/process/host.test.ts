import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { machineHostId } from "../../../src/platform/process/host.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

function hostIdFor(text: string): string {
  const file = join(temporaryDirectory(), "machine-id");
  writeFileSync(file, text);
  return machineHostId(file);
}

test("the host id is stable and does not show the machine id", () => {
  const machineId = "0123456789abcdef0123456789abcdef";
  expect(hostIdFor(`${machineId}\n`)).toMatch(/^[0-9a-f]{12}$/);
  expect(hostIdFor(`${machineId}\n`)).toBe(hostIdFor(machineId.toUpperCase()));
  expect(machineId).not.toContain(hostIdFor(machineId));
});

test("two machines have two host ids", () => {
  expect(hostIdFor("1".repeat(32))).not.toBe(hostIdFor("2".repeat(32)));
});

test.each(["", "uninitialized\n"])("a machine whose id file says %j goes by its name", (text) => {
  expect(hostIdFor(text)).toBe(hostname());
});

test("a machine without an id file goes by its name", () => {
  expect(machineHostId(join(temporaryDirectory(), "missing"))).toBe(hostname());
});
