import { expect, test } from "vitest";
import { ASK_PERSON_NEXT, ELSEWHERE_NEXT, readOnlyFault, SANDBOX_NEXT } from "../../src/core/fault.ts";

const OWN_FILE = { path: "/d/tt.db", cause: "EACCES", byPermissions: true, isDirectory: false, isOwn: true };

test.each([
  ["a read-only file system", { ...OWN_FILE, cause: "EROFS", byPermissions: false }, SANDBOX_NEXT],
  ["no permissions that explain it", { ...OWN_FILE, byPermissions: false, isOwn: false }, SANDBOX_NEXT],
  ["a file of another user", { ...OWN_FILE, isOwn: false }, ASK_PERSON_NEXT],
])("permissions cannot be changed: %s", (_, forbidden, nextInHarness) => {
  expect(readOnlyFault(forbidden)).toMatchObject({ next: ELSEWHERE_NEXT, nextInHarness });
});

test("the owner reads the command that restores the permissions, and so does an agent", () => {
  expect(readOnlyFault(OWN_FILE)).toMatchObject({
    next: expect.stringMatching(/TT_DATA_DIR.*run: chmod u\+rw \/d\/tt\.db$/),
    nextInHarness: "Run: chmod u+rw /d/tt.db",
  });
});
