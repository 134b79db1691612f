/** The file of a recording is there as a whole or not at all, and replaces nothing that nobody wanted replaced. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { obstacleTo, writeRecording } from "../../../src/platform/page/recording-file.ts";
import { isRoot, skipUnless } from "../../support/privileges.ts";
import { quickDirectory } from "../../support/temporary-directory.ts";

const PAGE = "<!doctype html>";

describe("given a directory", () => {
  it("when a recording is written into it, then it is there for its user alone, and nothing else", () => {
    const directory = quickDirectory();
    const path = join(directory, `${"room ".repeat(40)}.html`);
    expect(obstacleTo({ path, replace: false })).toBeNull();
    expect(writeRecording({ path, replace: false }, PAGE)).toBeNull();
    expect(readFileSync(path, "utf8")).toBe(PAGE);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toHaveLength(1);
  });

  it("when the file is there already, then only --force replaces it", () => {
    const directory = quickDirectory();
    const path = join(directory, "room.html");
    writeFileSync(path, "mine");
    for (const refused of [obstacleTo({ path, replace: false }), writeRecording({ path, replace: false }, PAGE)]) {
      expect(refused).toMatchObject({ error: "invalid_path", message: `${path} is there already.` });
    }
    expect([readFileSync(path, "utf8"), readdirSync(directory)]).toEqual(["mine", ["room.html"]]);
    expect(obstacleTo({ path, replace: true })).toBeNull();
    expect(writeRecording({ path, replace: true }, PAGE)).toBeNull();
    expect([readFileSync(path, "utf8"), readdirSync(directory)]).toEqual([PAGE, ["room.html"]]);
  });

  it("when a link that leads nowhere has the name, then it counts as a file that is there", () => {
    const directory = quickDirectory();
    const path = join(directory, "room.html");
    symlinkSync(join(directory, "elsewhere"), path);
    expect(writeRecording({ path, replace: false }, PAGE)?.message).toBe(`${path} is there already.`);
    expect(readdirSync(directory)).toEqual(["room.html"]);
  });
});

it("given a place where no file can be, when a recording is to be written there, then it says why", () => {
  const root = quickDirectory();
  mkdirSync(join(root, "sub"));
  writeFileSync(join(root, "file"), "");
  execFileSync("mkfifo", [join(root, "pipe")]);
  const cases: readonly (readonly [path: string, message: string])[] = [
    [join(root, "sub"), `${join(root, "sub")} is a directory.`],
    [join(root, "none", "room.html"), `There is no directory ${join(root, "none")}.`],
    [join(root, "file", "room.html"), `${join(root, "file")} is not a directory.`],
    // Never a device of this machine: a fault of the program would replace it, if root runs the test.
    [join(root, "pipe"), `${join(root, "pipe")} is not a regular file.`],
    [join(root, `${"x".repeat(300)}.html`), "the name is too long."],
  ];
  for (const [path, message] of cases) {
    for (const replace of [false, true]) {
      expect(obstacleTo({ path, replace })?.message).toContain(message);
      expect(writeRecording({ path, replace }, PAGE)?.message).toContain(message);
    }
  }
  expect(readdirSync(root).toSorted()).toEqual(["file", "pipe", "sub"]);
});

it.skipIf(skipUnless(!isRoot, "a user other than root"))(
  "given a directory that only may be read, when a recording is to be written there, then that is known before it is made",
  () => {
    const directory = quickDirectory();
    mkdirSync(join(directory, "read"), { mode: 0o500 });
    const path = join(directory, "read", "room.html");
    expect(obstacleTo({ path, replace: false })?.message).toContain("permission denied");
  },
);
