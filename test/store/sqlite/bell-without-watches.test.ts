import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { openFileBell } from "../../../src/store/sqlite/bell.ts";
import { fakeClock } from "../../store-contract/fake-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

vi.mock("node:fs", async (original) => ({
  ...(await original<typeof import("node:fs")>()),
  watch: () => {
    throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
  },
}));

test("where the system has no watches left, a subscription looks often", async () => {
  const bell = openFileBell({ directory: join(temporaryDirectory(), "bell"), clock: fakeClock() });
  const subscription = await bell.subscribe(asAgentId("claude:1"));
  expect(subscription.lookEveryMs).toBe(40);
  expect(await subscription.next(subscription.lookEveryMs)).toBe("timeout");
  await bell.close();
});
