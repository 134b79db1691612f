import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { holdersIn, lockHolders } from "../../../src/platform/process/lock-holders.ts";
import { type Bundle, bundleFixture, startFixture } from "../../support/fixture.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

describe("a real database", () => {
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await bundleFixture("test/platform/fixtures/hold-write-lock.ts");
  });
  afterAll(() => bundle.remove());

  test("the process that holds the write lock is named, for as long as it does", async () => {
    const file = join(temporaryDirectory(), "tt.db");
    const holder = startFixture(bundle, [file]);
    onTestFinished(() => void holder.child.kill("SIGKILL"));
    const said = holder.lines();
    expect((await said.next()).value).toBe("holding");
    expect(lockHolders(file)).toEqual([holder.pid]);
    holder.send("release");
    expect((await said.next()).value).toBe("released");
    expect(lockHolders(file)).toEqual([]);
  });

  test("a database that nobody has open has no holder", () => {
    expect(lockHolders(join(temporaryDirectory(), "tt.db"))).toEqual([]);
  });
});

test("only a write lock on that byte of that file counts", () => {
  const locks = [
    "1: POSIX  ADVISORY  WRITE 11 fd:01:99 120 120",
    "1: -> POSIX  ADVISORY  WRITE 12 fd:01:99 120 120",
    "2: POSIX  ADVISORY  READ 13 fd:01:99 120 120",
    "3: POSIX  ADVISORY  WRITE 14 fd:01:99 121 121",
    "4: POSIX  ADVISORY  WRITE 15 fd:01:98 120 120",
    "5: POSIX  ADVISORY  WRITE 16 fd:02:99 120 120",
    "6: FLOCK  ADVISORY  WRITE 17 fd:01:99 0 EOF",
    "7: POSIX  ADVISORY  WRITE 18 fd:01:99 0 EOF",
    "8: OFDLCK ADVISORY  WRITE -1 fd:01:99 120 120",
    "9: POSIX  ADVISORY  WRITE 11 fd:01:99 120 127",
    "",
  ].join("\n");
  expect(holdersIn(locks, "fd:01:99")).toEqual([11, 18]);
});

test("a machine without a list of locks names nobody", () => {
  expect(lockHolders("/proc/self/exe", "/nowhere")).toEqual([]);
});
