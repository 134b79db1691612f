/**
 * An update under a running guard never refuses the holder: script and program may be of two builds for a while, a pass is
 * written by the one and read by the other, and the program is replaced, cut or missing between two tools.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { shellWord } from "../../src/core/shell-word.ts";
import { GuardedWorld, RELEASE, SESSIONS } from "./support/guarded-world.ts";

/** The script as an earlier build had it. */
const OLDER = readFileSync(join(import.meta.dirname, "fixtures/older-tt-hook.sh"), "utf8");

type Build = "older" | "newer";

class UpdatedWorld extends GuardedWorld {
  /** A copy of the program, which an update replaces file by file. */
  readonly bin = this.directory("package");

  /** Claude holds the stick. */
  static async held(): Promise<UpdatedWorld> {
    const world = new UpdatedWorld();
    await world.guard("strict", "nobody");
    // Where Node has no SQLite, a package brings it.
    symlinkSync(join(import.meta.dirname, "../../node_modules"), join(world.bin, "../node_modules"));
    world.putProgram();
    const holder = await world.session("claude");
    await world.session("codex");
    expect((await holder.tt("try", SESSIONS.claude)).code).toBe(0);
    return world;
  }

  putProgram(): void {
    const from = dirname(this.program);
    for (const name of readdirSync(from).filter((each) => each.endsWith(".cjs")))
      cpSync(join(from, name), join(this.bin, name));
  }

  use(build: Build, node: string = process.execPath): void {
    const hookProgram = join(this.bin, "hook.cjs");
    if (build === "newer") return this.installWith({ node, hookProgram });
    const values: Readonly<Record<string, string>> = {
      VERSION: "0.0.1",
      SESSION_IDS: "claude) id=$CLAUDE_CODE_SESSION_ID ;;",
      NODE: shellWord(node),
      HOOK_PROGRAM: shellWord(hookProgram),
      DATA_DIR: shellWord(this.data),
      PINNED_ENV: ":",
      CERTIFICATES: ":",
    };
    const text = OLDER.replace(/@([A-Z_]+)@/g, (place, name: string) => values[name] ?? place);
    writeFileSync(this.script, text, { mode: 0o700 });
  }

  async codes(): Promise<{ readonly holder: number | null; readonly other: number | null }> {
    const [holder, other] = [await this.edit("claude"), await this.edit("codex")];
    return { holder: holder.code, other: other.code };
  }

  /** Whether the script lets the holder pass by itself: nothing else is there to be asked. */
  async passes(build: Build): Promise<boolean> {
    const stub = join(this.root, "stub");
    writeFileSync(stub, "#!/bin/sh\nexit 22\n", { mode: 0o700 });
    this.use(build, stub);
    return (await this.edit("claude")).code === 0;
  }

  forgetPass(): void {
    rmSync(join(this.data, "guard/pass"), { recursive: true });
    mkdirSync(join(this.data, "guard/pass"), { mode: 0o700 });
  }
}

const JUDGED = { holder: 0, other: 2 };

test.each<[writes: Build, reads: Build]>([
  ["older", "newer"],
  ["newer", "older"],
])("a pass that came by the %s script is read by the %s one, until the turn ends", async (writes, reads) => {
  const world = await UpdatedWorld.held();
  world.use(writes);
  expect(await world.codes()).toEqual(JUDGED);
  expect(await world.passes(reads)).toBe(true);
  const release = RELEASE.map((word) => `'${word}'`).join(" ");
  expect((await world.harnesses.get("claude")?.tt(release, SESSIONS.claude))?.code).toBe(0);
  expect(await world.passes(reads)).toBe(false);
  world.use(reads);
  expect(await world.codes()).toEqual({ holder: 2, other: 2 });
});

/** What an update may leave in place of the program for a moment. */
const MOMENTS: Readonly<Record<string, (bin: string) => void>> = {
  "is missing": (bin) => rmSync(bin, { recursive: true }),
  "is without its first file": (bin) => rmSync(join(bin, "hook.cjs")),
  "is without its other files": (bin) => {
    for (const name of readdirSync(bin).filter((each) => each !== "hook.cjs")) rmSync(join(bin, name));
  },
  "is half written": (bin) => {
    for (const name of readdirSync(bin)) {
      const text = readFileSync(join(bin, name));
      writeFileSync(join(bin, name), text.subarray(0, text.length / 2));
    }
  },
  "is empty": (bin) => {
    for (const name of readdirSync(bin)) writeFileSync(join(bin, name), "");
  },
  "is one that does not know the guard": (bin) =>
    writeFileSync(join(bin, "hook.cjs"), 'process.stderr.write("there is no such hook\\n"); process.exitCode = 2;\n'),
};

test.each(Object.keys(MOMENTS))(
  "the holder is let pass while the program %s, and judged afterwards",
  async (moment) => {
    const world = await UpdatedWorld.held();
    for (const build of ["older", "newer"] as const) {
      world.use(build);
      expect(await world.codes()).toEqual(JUDGED);
      MOMENTS[moment]?.(world.bin);
      expect((await world.edit("claude")).code).toBe(0);
      world.forgetPass();
      expect(await world.codes()).toEqual({ holder: 0, other: 0 });
      // An empty program ends well, like one that allows the tool.
      if (moment !== "is empty") expect(world.log).toMatch(/ guard: /);
      mkdirSync(world.bin, { recursive: true });
      world.putProgram();
      expect(await world.codes()).toEqual(JUDGED);
    }
  },
);

test("the holder is never refused while the program is replaced under a hook that runs", async () => {
  const world = await UpdatedWorld.held();
  world.use("newer");
  const codes: (number | null)[] = [];
  for (let round = 0; round < 5; round += 1) {
    world.forgetPass();
    const asked = world.edit("claude");
    renameSync(world.bin, `${world.bin}.${round}`);
    mkdirSync(world.bin);
    world.putProgram();
    codes.push((await asked).code, (await world.edit("claude")).code);
  }
  expect(codes).toEqual(Array(10).fill(0));
  expect(await world.codes()).toEqual(JUDGED);
});
