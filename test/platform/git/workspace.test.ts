import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { isRefusal } from "../../../src/core/refusal.ts";
import type { Place } from "../../../src/engine/ports/workspace.ts";
import { createWorkspace, type WorkspaceOptions } from "../../../src/platform/git/workspace.ts";
import { git, makeRepository } from "../../support/git-repository.ts";
import { isRoot, NOBODY, skipUnless } from "../../support/privileges.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { systemCalls } from "../call-in-child.ts";

const { call } = systemCalls();

async function locate(path: string, options: Partial<WorkspaceOptions> = {}): Promise<Place> {
  const place = await createWorkspace({ home: null, shared: false, ...options }).locate(path);
  if (isRefusal(place)) throw new Error(place.message);
  return place;
}

function directory(...parts: [string, ...string[]]): string {
  const path = join(...parts);
  mkdirSync(path, { recursive: true });
  return path;
}

function file(...parts: [string, ...string[]]): string {
  const path = join(...parts);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  return path;
}

describe("the path that is meant", () => {
  test("a file means its directory", async () => {
    const world = temporaryDirectory();
    expect((await locate(file(world, "a/b.txt"))).canonicalPath).toBe(join(world, "a"));
  });

  test("a pipe means its directory and is not opened", async () => {
    const world = temporaryDirectory();
    execFileSync("mkfifo", [join(world, "pipe")]);
    expect((await locate(join(world, "pipe"))).canonicalPath).toBe(world);
  });

  test("a symlink means what it leads to", async () => {
    const world = temporaryDirectory();
    symlinkSync(directory(world, "real"), join(world, "link"));
    const place = await locate(join(world, "link"));
    expect(place).toMatchObject({ requestedPath: join(world, "link"), canonicalPath: join(world, "real") });
  });

  test("a relative path is taken from the working directory", async () => {
    expect((await locate("test")).canonicalPath).toBe(join(process.cwd(), "test"));
  });

  test("dots and slashes make no difference", async () => {
    const world = temporaryDirectory();
    directory(world, "a/b");
    expect((await locate(`${world}/a//./b/../`)).canonicalPath).toBe(join(world, "a"));
  });
});

const refusedFor = async (path: string, options: Partial<WorkspaceOptions> = {}) => {
  const place = await createWorkspace({ home: null, shared: false, ...options }).locate(path);
  expect(place).toMatchObject({ error: "invalid_path", next: expect.stringMatching(/\.$/) });
  return isRefusal(place) ? place.facts["cause"] : undefined;
};

describe("a path that is refused", () => {
  test.each([
    ["missing", "missing"],
    ["a-file/below", "missing"],
    ["loop", "symlink_loop"],
    ["x".repeat(300), "too_long"],
    ["x/".repeat(3000), "too_long"],
    ["with\0nul", "nul_byte"],
  ])("%j is %s", async (name, cause) => {
    const world = temporaryDirectory();
    file(world, "a-file");
    symlinkSync("loop", join(world, "loop"));
    expect(await refusedFor(`${world}/${name}`)).toBe(cause);
  });

  test.each(["", "  "])("%j is empty", async (path) => {
    expect(await refusedFor(path)).toBe("empty");
  });

  test("one on a network file system, because other machines can write there", async () => {
    expect(await refusedFor(temporaryDirectory(), { onNetwork: () => "nfs4" })).toBe("network_file_system");
  });

  test.skipIf(skipUnless(isRoot, "root, to become another user"))("one that this user may not enter", async () => {
    const world = temporaryDirectory();
    chmodSync(world, 0o755);
    chmodSync(directory(world, "closed/inside"), 0o755);
    chmodSync(join(world, "closed"), 0o700);
    const causes = await Promise.all(
      ["closed", "closed/inside"].map((name) => call(["locate", join(world, name)], { ...NOBODY })),
    );
    expect(causes).toMatchObject([{ facts: { cause: "unreadable" } }, { facts: { cause: "unreadable" } }]);
  });

  test("a very long path is not repeated in full", async () => {
    const place = await createWorkspace({ home: null, shared: false }).locate(`/${"x".repeat(10_000)}`);
    expect(JSON.stringify(place).length).toBeLessThan(1000);
  });
});

describe("the workspace root", () => {
  test("is the top of the git working tree, past nearer markers", async () => {
    const repository = makeRepository(join(temporaryDirectory(), "app"));
    const path = dirname(file(repository, "packages/one/package.json"));
    expect(await locate(path)).toMatchObject({
      workspaceRoot: repository,
      candidates: [path, dirname(path), repository],
    });
  });

  test("is the inner one of nested repositories", async () => {
    const outer = makeRepository(join(temporaryDirectory(), "outer"));
    const inner = makeRepository(join(outer, "inner"));
    expect((await locate(inner)).workspaceRoot).toBe(inner);
  });

  test("of a path inside .git is the working tree around it", async () => {
    const repository = makeRepository(join(temporaryDirectory(), "app"));
    expect(await locate(join(repository, ".git/hooks"))).toMatchObject({
      workspaceRoot: repository,
      project: join(repository, ".git"),
    });
  });

  test("of a path inside a bare repository is that repository", async () => {
    const bare = join(temporaryDirectory(), "app.git");
    git("/", "init", "--quiet", "--bare", bare);
    expect(await locate(join(bare, "hooks"))).toMatchObject({ workspaceRoot: bare, project: bare });
  });

  test("an empty .git directory is no repository", async () => {
    const world = temporaryDirectory();
    const repository = makeRepository(join(world, "app"));
    directory(repository, "sub/.git");
    expect((await locate(join(repository, "sub"))).workspaceRoot).toBe(repository);
  });

  test.each(["GUIDE.md", "AGENTS.md", "package.json", "pyproject.toml", "Cargo.toml", "go.mod"])(
    "without git is the nearest directory with %s",
    async (marker) => {
      const world = temporaryDirectory();
      file(world, marker);
      const root = dirname(file(world, "app", marker));
      const path = directory(root, "src/deep");
      expect(await locate(path, { guideFiles: ["GUIDE.md"] })).toMatchObject({
        workspaceRoot: root,
        project: root,
        candidates: [path, dirname(path), root],
      });
    },
  );

  test("without git and markers is the path itself", async () => {
    const path = directory(temporaryDirectory(), "plain");
    expect(await locate(path)).toMatchObject({ workspaceRoot: path, project: path, candidates: [path] });
  });

  test("of / is /", async () => {
    expect((await locate("/")).candidates).toEqual(["/"]);
  });
});

describe("the home directory", () => {
  test("its markers and its repository do not count for the paths below it", async () => {
    const home = makeRepository(join(temporaryDirectory(), "home"));
    file(home, "AGENTS.md");
    const path = directory(home, "notes/today");
    expect(await locate(path, { home })).toMatchObject({ workspaceRoot: path, project: path });
  });

  test("is recognised through a symlink", async () => {
    const world = temporaryDirectory();
    const home = directory(world, "real-home");
    file(home, "package.json");
    symlinkSync(home, join(world, "home"));
    const path = directory(home, "notes");
    expect((await locate(path, { home: join(world, "home") })).workspaceRoot).toBe(path);
  });

  test("its own repository counts for itself", async () => {
    const home = makeRepository(join(temporaryDirectory(), "home"));
    expect((await locate(home, { home })).project).toBe(join(home, ".git"));
  });

  test("a marked directory below it counts", async () => {
    const home = temporaryDirectory();
    const root = dirname(file(home, "app/go.mod"));
    expect((await locate(directory(root, "cmd"), { home })).workspaceRoot).toBe(root);
  });
});

describe("the project on one machine", () => {
  test("all working trees of a repository are one project and several roots", async () => {
    const repository = makeRepository(join(temporaryDirectory(), "app"));
    git(repository, "worktree", "add", "--quiet", "-b", "side", "../side");
    const side = join(dirname(repository), "side");
    expect(await locate(side)).toMatchObject({ workspaceRoot: side, project: join(repository, ".git") });
    expect((await locate(repository)).project).toBe(join(repository, ".git"));
  });

  test("a working tree of a bare repository belongs to it", async () => {
    const world = temporaryDirectory();
    const source = makeRepository(join(world, "source"));
    git(world, "clone", "--quiet", "--bare", source, "app.git");
    git(join(world, "app.git"), "worktree", "add", "--quiet", "-b", "side", "../side");
    expect((await locate(join(world, "side"))).project).toBe(join(world, "app.git"));
  });

  test("a working tree whose repository is lost stands for itself", async () => {
    const repository = makeRepository(join(temporaryDirectory(), "app"));
    git(repository, "worktree", "add", "--quiet", "-b", "side", "../side");
    const side = join(dirname(repository), "side");
    rmSync(repository, { recursive: true });
    expect(await locate(directory(side, "deep"))).toMatchObject({ workspaceRoot: side, project: side });
  });
});

describe("the project on a shared store", () => {
  test("is where the repository comes from", async () => {
    const repository = makeRepository(join(temporaryDirectory(), "app"));
    git(repository, "remote", "add", "origin", "git@Example.org:team/app.git");
    expect((await locate(repository, { shared: true })).project).toBe("example.org/team/app");
  });

  test("is the first commit of a repository without an origin, in every clone", async () => {
    const world = temporaryDirectory();
    const repository = makeRepository(join(world, "app"));
    const first = git(repository, "rev-parse", "HEAD");
    git(repository, "commit", "--quiet", "--allow-empty", "--message=second");
    git(world, "clone", "--quiet", repository, "clone");
    const project = `root-commit:${first}`;
    const scratch = [directory(world, "scratch")];
    expect((await locate(repository, { shared: true, scratch })).project).toBe(project);
    expect((await locate(join(world, "clone"), { shared: true, scratch })).project).toBe(project);
  });

  test("of a repository without a commit is its directory", async () => {
    const world = temporaryDirectory();
    git(world, "init", "--quiet");
    expect((await locate(world, { shared: true, host: "a" })).project).toBe(`a:${join(world, ".git")}`);
  });

  test("of a directory without git belongs to its machine: the same path elsewhere is another project", async () => {
    const world = temporaryDirectory();
    expect((await locate(world, { shared: true, host: "a" })).project).toBe(`a:${world}`);
    expect((await locate(world, { shared: true, host: "b" })).project).toBe(`b:${world}`);
    expect((await locate(world, { shared: false, host: "a" })).project).toBe(world);
  });
});

describe("a directory of a room", () => {
  test.each([
    ["its parent became a file", (parent: string) => writeFileSync(parent, "")],
    ["its parent became a link to itself", (parent: string) => symlinkSync(parent, parent)],
    ["its parent is gone", () => undefined],
  ])("is not there if %s", async (_, spoil) => {
    const parent = directory(temporaryDirectory(), "parent");
    const path = directory(parent, "room");
    const workspace = createWorkspace({ home: null, shared: false });
    expect(workspace.isThere(path)).toBe(true);
    rmSync(parent, { recursive: true });
    spoil(parent);
    expect(workspace.isThere(path)).toBe(false);
    expect(await workspace.hadCommit(path, "0".repeat(40), 0)).toBe(false);
  });

  test("is not there if it became a file", () => {
    expect(createWorkspace({ home: null, shared: false }).isThere(file(temporaryDirectory(), "room"))).toBe(false);
  });
});
