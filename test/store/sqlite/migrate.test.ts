import { expect, test } from "vitest";
import { bundleFixture, startFixture } from "../../support/fixture.ts";
import { makeRoom, newFile, openStore } from "./sqlite-file.ts";

test("sixteen openers of a new file in one process all succeed", async () => {
  const file = newFile();
  const stores = await Promise.all(Array.from({ length: 16 }, () => openStore(file)));
  const made = await Promise.all(stores.map((store) => makeRoom(store)));
  expect(made.filter((change) => change?.created)).toHaveLength(1);
});

test("sixteen processes that open a new file at one instant all succeed", async () => {
  const bundle = await bundleFixture("test/store/sqlite/fixtures/opener.ts");
  try {
    const file = newFile();
    const openers = Array.from({ length: 16 }, () => startFixture(bundle, [file]));
    await Promise.all(openers.map(async (opener) => opener.lines().next()));
    for (const opener of openers) opener.send("go");
    const ends = await Promise.all(openers.map(({ ended }) => ended));
    expect(ends).toEqual(ends.map(() => ({ code: 0, signal: null, stderr: "" })));
    expect((await (await openStore(file)).readRooms({})).rooms).toHaveLength(1);
  } finally {
    bundle.remove();
  }
});
