import { spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { openFileBell } from "../../../src/store/sqlite/bell.ts";
import { fakeClock } from "../../store-contract/fake-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const claude = asAgentId("claude:1");
const SOON_MS = 5000;

function newBell(directory = join(temporaryDirectory(), "bell")) {
  const bell = openFileBell({ directory, clock: fakeClock() });
  onTestFinished(() => bell.close());
  return { bell, directory, file: join(directory, "agent.claude%3a1"), all: join(directory, "all") };
}

describe("the files of a bell", () => {
  test("belong to their user alone, whatever the umask", async () => {
    for (const umask of [0o000, 0o022, 0o077, 0o777]) {
      const parent = temporaryDirectory();
      const before = process.umask(umask);
      try {
        const { bell, directory, file, all } = newBell(join(parent, "bell"));
        await bell.subscribe(claude);
        await bell.ring([]);
        const modes = [directory, file, all].map((path) => (statSync(path).mode & 0o777).toString(8));
        expect(modes).toEqual(["700", "600", "600"]);
      } finally {
        process.umask(before);
      }
    }
  });

  test("are made by the first ring", async () => {
    const { bell, directory } = newBell();
    await bell.ring([claude]);
    expect(readdirSync(directory).toSorted()).toEqual(["agent.claude%3a1", "all"]);
  });

  test("are not heard of again by one who subscribes after the ring, even at once after being woken", async () => {
    const { bell } = newBell();
    const first = await bell.subscribe(claude);
    const woken = first.next(10_000);
    await bell.ring([claude]);
    expect(await woken).toBe("rang");
    await bell.ring([claude]);
    first.close();
    await bell.ring([claude]);
    const second = await bell.subscribe(claude);
    expect(await second.next(30)).toBe("timeout");
  });

  test("are heard again after one was replaced or removed", async () => {
    const { bell, directory, file } = newBell();
    const subscription = await bell.subscribe(claude);
    for (const disturb of [
      () => {
        const other = join(directory, "other");
        writeFileSync(other, "");
        renameSync(other, file);
      },
      () => rmSync(file),
    ]) {
      disturb();
      // What happened meanwhile may have been missed, so the disturbance itself is a ring.
      expect(await subscription.next(SOON_MS)).toBe("rang");
      while ((await subscription.next(60)) === "rang");
      expect(subscription.lookEveryMs).toBe(2000);
      await bell.ring([claude]);
      expect(await subscription.next(SOON_MS)).toBe("rang");
    }
  });
});

describe("what is planted in place of a bell", () => {
  const plants: readonly (readonly [name: string, plant: (file: string) => void])[] = [
    ["a link", (file) => symlinkSync("/etc/passwd", file)],
    ["a link to nowhere", (file) => symlinkSync(`${file}.nowhere`, file)],
    ["a directory", (file) => mkdirSync(file)],
    ["a fifo", (file) => expect(spawnSync("mkfifo", [file]).status).toBe(0)],
  ];

  test.each(plants)("%s is refused by listeners and left alone by ringers", async (_name, plant) => {
    const { bell, directory, file, all } = newBell();
    mkdirSync(directory);
    plant(file);
    const before = lstatSync(file).ino;
    await expect(bell.subscribe(claude)).rejects.toMatchObject({ name: "Fault", code: "store_unsafe" });
    await bell.ring([claude]);
    expect(lstatSync(file).ino).toBe(before);
    expect(statSync(all).isFile()).toBe(true);
    expect(readdirSync(directory).toSorted()).toEqual(["agent.claude%3a1", "all"]);
  });

  test("a link does not pass the touch on to its target", async () => {
    const { bell, directory, file } = newBell();
    mkdirSync(directory);
    const target = join(mkdtempSync(join(directory, "elsewhere-")), "target");
    writeFileSync(target, "");
    const before = statSync(target).mtimeMs;
    symlinkSync(target, file);
    await bell.ring([claude]);
    expect(statSync(target).mtimeMs).toBe(before);
  });

  test("under a listener makes it look often instead", async () => {
    const { bell, directory, file } = newBell();
    const subscription = await bell.subscribe(claude);
    symlinkSync("/etc/passwd", join(directory, "link"));
    renameSync(join(directory, "link"), file);
    expect(await subscription.next(SOON_MS)).toBe("rang");
    while ((await subscription.next(60)) === "rang");
    expect(subscription.lookEveryMs).toBe(40);
  });
});

test("a directory that cannot be written makes rings silent and listeners look often", async () => {
  const parent = temporaryDirectory();
  writeFileSync(join(parent, "file"), "");
  const { bell } = newBell(join(parent, "file", "bell"));
  await bell.ring([claude]);
  const subscription = await bell.subscribe(claude);
  expect(subscription.lookEveryMs).toBe(40);
  expect(await subscription.next(1)).toBe("timeout");
});
