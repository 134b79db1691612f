/**
 * Every harness in every state that a user's machine may be in: setting it up, doing so again, and taking it back. The
 * second time changes no byte, and at the end every file is as it was before the first.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { HAND_WRITTEN, HARNESSES, type Harness, InstallWorld, PLACES } from "./support/install-world.ts";

type State = (world: InstallWorld, harness: Harness) => void;

const STATES: Readonly<Record<string, State>> = {
  "no files": (world, harness) => void mkdirSync(join(world.home, PLACES[harness].directory), { recursive: true }),
  "empty files": (world, harness) => {
    for (const file of PLACES[harness].files) world.write(file, "");
  },
  "files with an empty object": (world, harness) => {
    for (const file of PLACES[harness].files) world.write(file, file.endsWith(".toml") ? "# nothing\n" : "{ }", 0o600);
  },
  "files written by hand": (world, harness) => {
    for (const file of PLACES[harness].files) world.write(file, HAND_WRITTEN[file] ?? "", 0o640);
  },
  "files that begin with a byte order mark": (world, harness) => {
    for (const file of PLACES[harness].files) world.write(file, `\uFEFF${HAND_WRITTEN[file] ?? ""}`);
  },
  "files that are links": (world, harness) => {
    for (const file of PLACES[harness].files) {
      const path = world.write(file, HAND_WRITTEN[file] ?? "");
      const target = join(world.directory("home/dotfiles"), file.replaceAll("/", "-"));
      renameSync(path, target);
      symlinkSync(target, path);
    }
  },
  "a directory that is a link": (world, harness) => {
    const path = join(world.home, PLACES[harness].directory);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(world.directory("home/dotfiles"), path);
  },
};

describe.each(HARNESSES)("%s", (harness) => {
  it.each(Object.entries(STATES))("%s: in, in again, and out as if nothing had been", async (_, prepare) => {
    const world = new InstallWorld();
    prepare(world, harness);
    const before = world.snapshot();
    expect(await world.harnesses(`install ${harness}`)).toMatchObject([{ harness, status: "done" }]);
    const installed = world.snapshot();
    expect(installed).not.toEqual(before);
    expect(await world.harnesses("install")).toContainEqual(expect.objectContaining({ harness, status: "unchanged" }));
    expect(world.snapshot()).toEqual(installed);
    expect((await world.findings()).filter(({ text }) => !text?.includes("until you trust"))).toEqual(
      harness === "codex" ? [] : [expect.objectContaining({ name: harness, level: "ok" })],
    );
    expect(await world.harnesses(`uninstall ${harness}`)).toMatchObject([{ harness, status: "done" }]);
    expect(world.snapshot()).toEqual(before);
    expect(existsSync(world.state)).toBe(false);
    expect(await world.harnesses(`uninstall ${harness}`)).toMatchObject([{ harness, status: "unchanged" }]);
  });

  it("what an older version wrote is replaced, and goes as a whole", async () => {
    const world = new InstallWorld();
    STATES["files written by hand"]?.(world, harness);
    const before = world.snapshot();
    const older = world.olderProgram();
    await world.runOlder(older, "install", harness);
    expect(JSON.stringify(world.snapshot())).toContain(dirname(older));
    expect((await world.findings()).map(({ next }) => next)).toContain(`tt install ${harness}`);
    expect(await world.harnesses("install")).toContainEqual(expect.objectContaining({ harness, status: "done" }));
    const now = world.snapshot();
    expect(JSON.stringify(now)).not.toMatch(/0\.0\.9|older-|PostToolUse|BeforeModel/);
    expect(await world.harnesses("install")).toContainEqual(expect.objectContaining({ harness, status: "unchanged" }));
    expect(world.snapshot()).toEqual(now);
    await world.type("uninstall");
    expect(world.snapshot()).toEqual(before);
  });

  it("one that is not here is skipped and not made", async () => {
    const world = new InstallWorld();
    const bare = await world.type("install --json");
    expect([bare.code, bare.json()["written"]]).toEqual([0, false]);
    const named = await world.type(`install ${harness} --json`);
    expect([named.code, named.json()["harnesses"]]).toEqual([5, [expect.objectContaining({ status: "skipped" })]]);
    expect(readdirSync(world.home)).toEqual([]);
  });

  it.each(PLACES[harness].files)(
    "%s that is broken or read-only stops this harness alone, and nothing is touched",
    async (file) => {
      const world = new InstallWorld();
      const other = harness === "gemini" ? "claude" : "gemini";
      STATES["files written by hand"]?.(world, harness);
      STATES["files written by hand"]?.(world, other);
      const path = world.write(file, `${HAND_WRITTEN[file]}\n]`);
      const own = () => Object.entries(world.snapshot()).filter(([name]) => PLACES[harness].files.includes(name));
      for (const spoil of [() => undefined, () => chmodSync(world.write(file, HAND_WRITTEN[file] ?? ""), 0o444)]) {
        spoil();
        const before = own();
        const outcome = await world.type("install --json");
        expect(outcome.code).toBe(5);
        const answers = outcome.json()["harnesses"] as Record<string, string>[];
        const refused = answers.find((answer) => answer["harness"] === harness);
        expect(refused).toMatchObject({ status: "refused", reason: expect.stringContaining(path) });
        expect(refused?.["next"]).not.toBe("");
        expect(own()).toEqual(before);
        expect(answers.find((answer) => answer["harness"] === other)?.["status"]).toMatch(/done|unchanged/);
      }
    },
  );
});
