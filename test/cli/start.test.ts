/** tt start with programs that tell what they were given; the real ones are in test/harness/start.test.ts. */
import { chmodSync, chownSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canMount, isRoot, NOBODY, skipUnless } from "../support/privileges.ts";
import { allFour, InstallWorld } from "./support/install-world.ts";

/** A machine on which the program prints its words, one a line. */
function withProgram(name: string, script = 'printf "%s\\n" "$@"', mode = 0o755) {
  const world = new InstallWorld();
  world.write(`bin/${name}`, `#!/bin/sh\n${script}\n`, mode);
  return { world };
}

async function started(name: string, words: readonly string[], script?: string, mode?: number) {
  const { world } = withProgram(name, script, mode);
  return { world, ...(await startIn(world, ["start", name, ...words])) };
}

function startIn(
  world: InstallWorld,
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
  through: readonly string[] = [],
) {
  const env = { ...world.surroundings, PATH: `${join(world.home, "bin")}:/usr/bin:/bin`, ...more };
  return world.tt(words, { env, through });
}

/** Where a started agent finds our files. */
function keptIn(world: InstallWorld) {
  const cache = join(world.home, ".cache/tt");
  const directory = join(cache, "started", readdirSync(join(cache, "started"))[0] ?? "");
  return { cache, started: join(cache, "started"), directory, script: join(directory, "tt-hook") };
}

describe("tt start", () => {
  it("passes on every word after the name, flags of ours and a double dash included", async () => {
    const words = ["--help", "--json", "-v", "--", "--room", "two words", ""];
    const { code, stdout } = await started("claude", words);
    const given = stdout.split("\n").slice(0, -1);
    expect(code).toBe(0);
    expect(given.slice(-words.length)).toEqual(words);
    expect(given.slice(0, -words.length)).toEqual([
      expect.stringMatching(/^--mcp-config=\{"mcpServers":\{"talking-stick":/),
      expect.stringMatching(/^--settings=\{"hooks":\{"SessionStart":/),
    ]);
  });

  it("ends as the program ends, by a signal too, and with 126 or 127 if it cannot run", async () => {
    expect((await started("codex", [], "exit 7")).code).toBe(7);
    expect((await started("codex", [], "kill -9 $$")).code).toBe(128 + 9);
    expect(await started("codex", [], "", 0o644)).toMatchObject({
      code: 126,
      stderr: expect.stringMatching(/not executable/),
    });
    const world = new InstallWorld();
    expect(await startIn(world, ["start", "codex"])).toMatchObject({
      code: 127,
      stderr: expect.stringMatching(/codex was not found/),
    });
  });

  it("ends with 125 if tt fails, and starts nothing", async () => {
    const { world } = withProgram("claude", "touch started");
    const run = await startIn(world, ["start", "claude"], { TT_STORE: "postgres://me:secret@host/db" });
    expect(run).toMatchObject({ code: 125, stderr: expect.stringMatching(/contains a password/) });
    expect(existsSync(join(world.tree, "started"))).toBe(false);
  });

  it("adds nothing where all is installed", async () => {
    const world = allFour();
    await world.harnesses("install --yes");
    for (const name of ["claude", "gemini", "opencode"]) {
      world.write(`bin/${name}`, '#!/bin/sh\nprintf "%s\\n" "$@" "[$OPENCODE_CONFIG_CONTENT]"\n', 0o755);
      expect(await startIn(world, ["start", name, "hello"])).toMatchObject({
        code: 0,
        stdout: "hello\n[]\n",
        stderr: "",
      });
    }
  });

  it("adds only what is missing, and leaves a server that a person wrote alone", async () => {
    const { world } = withProgram("claude");
    world.write(".claude.json", '{"mcpServers":{"talking-stick":{"command":"tt","args":["mcp"]}}}');
    const { stdout } = await startIn(world, ["start", "claude"]);
    expect(stdout).not.toContain("--mcp-config");
    expect(stdout).toContain("--settings=");
  });

  it("says in one line what the agent lacks", async () => {
    const settings = await started("claude", ["--settings", "mine.json"]);
    expect(settings.stderr).toBe("tt start: Your --settings takes the place of our hooks.\n");
    expect(settings.stdout).not.toContain("--settings=");
    expect((await started("gemini", [])).stderr).toBe(
      "tt start: Gemini CLI takes no tools or hooks for one run. To set it up: tt install gemini\n",
    );
  });

  it("adds ours to what OpenCode's variable holds already", async () => {
    const { world } = withProgram("opencode", 'printf "%s" "$OPENCODE_CONFIG_CONTENT"');
    const own = { plugin: ["mine"], mcp: { mine: { type: "local" } }, model: "a/b" };
    const run = await startIn(world, ["start", "opencode"], { OPENCODE_CONFIG_CONTENT: JSON.stringify(own) });
    const { plugin, mcp, model } = JSON.parse(run.stdout) as typeof own;
    expect([Object.keys(mcp), model]).toEqual([["mine", "talking-stick"], "a/b"]);
    expect(plugin).toEqual(["mine", expect.stringMatching(/^file:.*\/talking-stick\.js$/)]);
  });

  it("tells the program where it runs, also one that goes by PWD", async () => {
    const { world } = withProgram("opencode", "grep -z ^PWD= /proc/$$/environ | tr -d '\\0'");
    const other = world.directory("tree/other");
    const kept = { PWD: "/as/the/shell/calls/it" };
    expect((await startIn(world, ["start", "opencode"], kept)).stdout).toBe(`PWD=${kept.PWD}`);
    for (const path of [other, "other"])
      expect((await startIn(world, ["start", "--path", path, "opencode"], kept)).stdout).toBe(`PWD=${other}`);
  });

  it("runs where --path says, shows its own help, and names what it can start", async () => {
    const { world } = withProgram("codex", "pwd -P");
    const other = world.directory("other");
    expect((await startIn(world, ["start", "--path", other, "codex"])).stdout).toBe(`${other}\n`);
    for (const words of [
      ["start", "--help"],
      ["help", "start", "codex"],
    ])
      expect((await startIn(world, words)).stdout).toMatch(/^tt start: /);
    expect(await startIn(world, ["start", "vim"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/claude, codex, gemini, opencode/),
    });
    expect(await startIn(world, ["run", "claude"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("tt start claude starts an agent; tt check -- npm test records a check."),
    });
  });

  const UNSAFE: readonly [what: string, spoil: (kept: ReturnType<typeof keptIn>) => void][] = [
    ["the cache", ({ cache }) => chmodSync(cache, 0o777)],
    ["a directory in it", ({ started: path }) => chmodSync(path, 0o770)],
    ["the script", ({ script }) => chmodSync(script, 0o722)],
  ];
  const FOREIGN: typeof UNSAFE = [
    ["a directory of another user", ({ directory }) => chownSync(directory, NOBODY.uid, NOBODY.gid)],
    ["a script of another user", ({ script }) => chownSync(script, NOBODY.uid, NOBODY.gid)],
  ];
  it.each([...UNSAFE, ...(isRoot ? FOREIGN : [])])(
    "runs no hook that others could have written: %s",
    async (_, spoil) => {
      const { world } = withProgram("claude");
      expect(await startIn(world, ["start", "claude"])).toMatchObject({ code: 0, stderr: "" });
      spoil(keptIn(world));
      const { code, stdout, stderr } = await startIn(world, ["start", "claude"]);
      expect([code, stdout]).toEqual([125, ""]);
      expect(stderr.replace(/\s+/g, " ")).toMatch(
        /\.cache\/tt\S* (can be used by other users|belongs to user id 65534)/,
      );
      expect(stderr).toContain("XDG_CACHE_HOME");
      expect(stderr).not.toContain("TT_DATA_DIR");
    },
  );

  it("keeps no hook where every agent may write, which is no matter for an installation", async () => {
    const { world } = withProgram("claude");
    const data = { TT_DATA_DIR: join(world.home, ".cache/tt") };
    expect(await startIn(world, ["start", "claude"], data)).toMatchObject({
      code: 125,
      stdout: "",
      stderr: expect.stringMatching(/would hold\s+\S+\/started\//),
    });
    expect((await startIn(world, ["install", "claude", "--yes"], data)).code).toBe(0);
    expect(await startIn(world, ["start", "claude", "hello"], data)).toMatchObject({ code: 0, stdout: "hello\n" });
  });

  const MOUNTED: readonly [what: string, mount: string, why: RegExp][] = [
    ["is read-only", "mount -t tmpfs -o ro none", /may not be written \(EROFS\)\.$/],
    [
      "is full",
      "mount -t tmpfs -o nr_inodes=1 none",
      /^tt start: Our hooks are left out: There is no space left for .* \(ENOSPC\)\.$/,
    ],
    ["is a file", 'rmdir "$0"; touch', /cannot be used \((ENOTDIR|EEXIST)\)\.$/],
  ];
  it.skipIf(skipUnless(canMount, "to mount file systems")).each(MOUNTED)(
    "starts without hooks, and says why in one line, where the cache %s",
    async (_, mount, why) => {
      for (const [name, kept, left] of [
        ["claude", "--mcp-config=", "--settings"],
        ["codex", "mcp_servers=", "hooks="],
        ["opencode", '"talking-stick"', "talking-stick.js"],
      ] as const) {
        const { world } = withProgram(name, 'printf "%s\\n" "$@" "$OPENCODE_CONFIG_CONTENT"');
        const cache = world.directory("home/.cache");
        const through = ["unshare", "-m", "sh", "-c", `${mount} "$0" && exec "$@"`, cache];
        const { code, stdout, stderr } = await startIn(world, ["start", name], {}, through);
        const [line = "", ...rest] = stderr.split("\n");
        expect([code, rest]).toEqual([0, [""]]);
        expect(line).toMatch(why);
        expect(line).toContain("Our hooks are left out: ");
        expect(stdout).toContain(kept);
        expect(stdout).not.toContain(left);
      }
    },
  );

  it("says what is missing: the directory, or the interpreter of the program", async () => {
    const { world } = withProgram("claude");
    const nowhere = join(world.home, "nowhere");
    expect(await startIn(world, ["start", "--path", nowhere, "claude"])).toMatchObject({
      code: 125,
      stderr: `tt start: There is no directory ${nowhere}.\n`,
    });
    const file = world.write("file", "");
    expect(await startIn(world, ["start", "--path", file, "claude"])).toMatchObject({
      code: 125,
      stderr: `tt start: There is no directory ${file}.\n`,
    });
    world.write("bin/claude", "#!/no/such/interpreter\n", 0o755);
    expect(await startIn(world, ["start", "claude"])).toMatchObject({
      code: 126,
      stderr: `tt start: ${join(world.home, "bin/claude")} is there, but the program that runs it is missing; its first line may name it.\n`,
    });
  });
});
