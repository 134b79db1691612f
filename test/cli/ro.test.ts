import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git, makeRepository } from "../support/git-repository.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { CliWorld } from "./support/cli-world.ts";
import { atTerminal, Terminals } from "./support/terminal.ts";

/** The version of Landlock that the kernel has; 0 without perl or without Landlock. */
const landlock = Number(spawnSync("perl", ["-e", "print syscall(444, 0, 0, 1)"], { encoding: "utf8" }).stdout || 0);
const canRun = process.platform === "linux" && landlock >= 3;
if (!canRun) console.error("\nSKIPPED: tt ro: this system has no perl, or no Landlock of version 3 or newer\n");

const sh = (script: string) => ["ro", "--", "sh", "-c", script] as const;

/** A world whose tree is a repository. Everything else lies beside the directories above the tree. */
function repositoryWorld() {
  const world = new CliWorld();
  makeRepository(world.tree);
  return world;
}

describe.skipIf(!canRun)("while tt ro runs a command", () => {
  it("no file of the tree can be written, created, renamed or removed", async () => {
    const world = repositoryWorld();
    mkdirSync(join(world.tree, "deep/er"), { recursive: true });
    for (const script of [
      "echo x > first.txt",
      ": > first.txt",
      "touch deep/er/new",
      "rm first.txt",
      "mv first.txt b",
      "mkdir d",
    ]) {
      expect((await world.tt(sh(script))).code, script).not.toBe(0);
    }
    expect(git(world.tree, "status", "--porcelain")).toBe("");
    expect(readFileSync(join(world.tree, "first.txt"), "utf8")).toBe("one\n");
  });

  it("git cannot change the repository, and can read it", async () => {
    const world = repositoryWorld();
    const before = git(world.tree, "rev-parse", "HEAD");
    const commit = [
      "ro",
      "--",
      "git",
      "-c",
      "user.name=a",
      "-c",
      "user.email=a@b",
      "commit",
      "--allow-empty",
      "-m",
      "x",
    ];
    expect((await world.tt(commit)).code).not.toBe(0);
    expect((await world.tt("ro -- git branch other")).code).not.toBe(0);
    expect((await world.tt(sh("touch .git/x"))).code).not.toBe(0);
    expect(git(world.tree, "rev-parse", "--all")).toBe(before);
    expect((await world.tt("ro -- git log --format=%s")).stdout).toBe("first\n");
    expect((await world.tt("ro -- git status --porcelain")).code).toBe(0);
  });

  it("in a linked working tree the directory that all working trees share is read-only, too", async () => {
    const world = repositoryWorld();
    const linked = join(world.directory("elsewhere"), "linked");
    git(world.tree, "worktree", "add", "--quiet", linked);
    const common = join(world.tree, ".git");
    const { code, stderr } = await world.tt(sh(`touch ${common}/x || touch ${common}/worktrees/linked/x || touch a`), {
      cwd: linked,
    });
    expect(code).not.toBe(0);
    expect(stderr.match(/Permission denied/g)).toHaveLength(3);
    // The other working tree is not the one that the command runs in.
    expect((await world.tt(sh(`echo two > ${world.tree}/first.txt`), { cwd: linked })).code).toBe(0);
  });

  it("other places can be written, also by renaming between them", async () => {
    const world = repositoryWorld();
    const [one, other] = [temporaryDirectory(), world.directory("beside")];
    const script = `echo x > ${one}/a && mkdir ${other}/d && mv ${one}/a ${other}/d/b && echo y > /dev/null && : > ${other}/d/b && ln ${other}/d/b ${other}/c && echo z > ~/settings`;
    expect(await world.tt(sh(script))).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(join(other, "c"))).toBe(true);
  });

  it("a symlink beside the tree is no way into it", async () => {
    const world = repositoryWorld();
    const link = join(world.root, "link");
    spawnSync("ln", ["-s", world.tree, link]);
    expect((await world.tt(sh(`touch ${link}/new`))).code).not.toBe(0);
    expect(existsSync(join(world.tree, "new"))).toBe(false);
  });

  it("a path with blanks, quotes and line ends is protected", async () => {
    const world = new CliWorld();
    const tree = makeRepository(join(world.root, "a b'\n\"c"));
    expect((await world.tt(sh("touch new"), { cwd: tree })).code).not.toBe(0);
    expect((await world.tt(sh("cat first.txt"), { cwd: tree })).stdout).toBe("one\n");
    expect(existsSync(join(tree, "new"))).toBe(false);
  });

  it("from a subdirectory the whole tree is read-only, and without a repository the workspace is", async () => {
    const world = repositoryWorld();
    const inside = join(world.tree, "deep");
    mkdirSync(inside);
    expect((await world.tt(sh("touch ../new"), { cwd: inside })).code).not.toBe(0);
    const plain = world.directory("plain/sub");
    writeFileSync(join(plain, "../package.json"), "{}");
    expect((await world.tt(sh("touch ../new"), { cwd: plain })).code).not.toBe(0);
  });

  it("tt ro works inside of tt ro", async () => {
    const world = repositoryWorld();
    const nested = [
      "ro",
      "--",
      process.execPath,
      world.program,
      ...sh(`touch ${world.directory("beside")}/a && touch new`),
    ];
    expect((await world.tt(nested)).stderr).toContain("Permission denied");
    expect(existsSync(join(world.root, "beside/a"))).toBe(true);
    expect(existsSync(join(world.tree, "new"))).toBe(false);
  });

  it("the command has its own streams, words and environment", async () => {
    const world = repositoryWorld();
    const words = ["ro", "--", "sh", "-c", 'cat; printf "[%s]" "$@"; echo "$PERL5OPT" >&2', "sh", "--json", "a b", ""];
    const { stdout, stderr } = await world.tt(words, { input: "in", env: { PERL5OPT: "-Mno_such_module" } });
    expect(stdout).toBe("in[--json][a b][]");
    expect(stderr).toBe("-Mno_such_module\n");
  });
});

describe.skipIf(!canRun)("tt ro ends with the command's own code", () => {
  const rows = [
    ["exit 0", 0],
    ["exit 3", 3],
    ["kill -TERM $$", 143],
    ["kill -KILL $$", 137],
  ] as const;

  it.each(rows)("%s: %i", async (script, code) => {
    expect((await repositoryWorld().tt(sh(script))).code).toBe(code);
  });

  it("127 for a command that is not found, 126 for one that is not executable", async () => {
    const world = repositoryWorld();
    expect((await world.tt("ro -- no-such-command")).code).toBe(127);
    chmodSync(join(world.tree, "first.txt"), 0o644);
    expect((await world.tt("ro -- ./first.txt")).code).toBe(126);
  });

  it("a signal that ends tt ends the command", async () => {
    const running = repositoryWorld().start(
      sh("trap 'echo told; exit 9' TERM; echo ready; while :; do sleep 0.05; done"),
    );
    await running.until(({ stdout }) => stdout.includes("ready"));
    running.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 9, stdout: "ready\ntold\n" });
  });

  atTerminal("Ctrl-C at a terminal is the command's", async () => {
    const world = repositoryWorld();
    const terminal = new Terminals(world).open("ro");
    terminal.type(
      `tt ro -- sh -c 'trap "echo caught; exit 7" INT; echo rea""dy; while :; do sleep 0.05; done'; echo "code"=$?`,
    );
    await terminal.until(/^ready$/m);
    terminal.press("C-c");
    expect(await terminal.until(/^code=\d+$/m)).toMatch(/caught[^]*code=7$/m);
  });
});

describe.skipIf(!canRun)("after a command that failed, one line says that the tree was read-only", () => {
  it("and who holds the stick", async () => {
    const world = repositoryWorld();
    await world.done("try", { as: "codex:1" });
    const { stderr } = await world.tt(sh("exit 1"), { as: "claude:2" });
    expect(stderr).toBe("tt ro: the tree was read-only for this command. codex holds the stick.\n");
    expect((await world.tt(sh("exit 0"), { as: "claude:2" })).stderr).toBe("");
    expect((await world.tt(sh("exit 1"), { as: "codex:1" })).stderr).toContain("You hold the stick");
  });

  it("and nothing else if there is no room, or no store", async () => {
    const world = repositoryWorld();
    const line = "tt ro: the tree was read-only for this command.\n";
    expect((await world.tt(sh("exit 1"))).stderr).toBe(line);
    const broken = join(world.root, "file");
    writeFileSync(broken, "");
    expect(await world.tt(sh("exit 1"), { env: { TT_DATA_DIR: broken } })).toMatchObject({ code: 1, stderr: line });
  });
});

it("tt ro without perl says so and does not run the command", async () => {
  const world = new CliWorld();
  const { code, stderr } = await world.tt(sh("touch ran"), { env: { PATH: world.directory("no-programs") } });
  expect(code).toBe(125);
  expect(stderr).toContain("The command did not run.");
  expect(existsSync(join(world.tree, "ran"))).toBe(false);
});

it.each(["ro", "ro --", "ro ls", "ro ls -- ls", "ro --frob -- ls"])("tt %s is a wrong line", async (line) => {
  expect((await new CliWorld().tt(line)).code).toBe(2);
});
