import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { longest, suites } from "../suites.ts";
import { filesUnder, root } from "./files.ts";
import { checkFile, checkSource } from "./rules.ts";

/** Files that a text names by a path of at least one folder. */
function namedFiles(text: string): string[] {
  return [...text.matchAll(/(?<![\w./…"'-])(?:[a-z0-9-]+\/)+[a-z0-9-]+\.ts\b/g)].map(([name]) => name);
}

describe("the project's files", () => {
  test("src keeps the arrows between layers and every thing in its home", () => {
    expect(filesUnder("src").flatMap(({ path, text }) => checkSource(path, text))).toEqual([]);
  });

  test("files are short and their names say what is inside", () => {
    const files = [...filesUnder("src"), ...filesUnder("test")];
    expect(files.flatMap(({ path, text }) => checkFile(path, text))).toEqual([]);
  });

  test("a file that a comment of src, or the architecture, names is there", () => {
    const comments = filesUnder("src").flatMap(({ path, text }) =>
      text
        .split("\n")
        .filter((line) => /^\s*(\*|\/\/|\/\*)/.test(line))
        .flatMap((line) => namedFiles(line).map((name) => ({ path, name }))),
    );
    const path = "docs/architecture.md";
    const walks = namedFiles(readFileSync(join(root, path), "utf8")).map((name) => ({ path, name }));
    expect(walks.length).toBeGreaterThan(0);
    const missing = [...comments, ...walks].filter(
      ({ name }) => !existsSync(join(root, "src", name.replace(/^src\//, ""))),
    );
    expect(missing.filter(({ name }) => !name.startsWith("test/"))).toEqual([]);
  });

  test("every test file belongs to a suite that runs it", () => {
    const folders = new Set<string>(Object.values(suites).flat());
    const tests = filesUnder("test").map(({ path }) => path);
    const homeless = (path: string) => path.endsWith(".test.ts") && !folders.has(path.split("/")[1] ?? "");
    expect(tests.filter(homeless)).toEqual([]);
    const named = [...folders, ...longest].filter((place) => place.endsWith(".test.ts"));
    expect(named.filter((file) => !tests.includes(`test/${file}`))).toEqual([]);
  });
});

describe("a breach is caught and its place named", () => {
  const breaches: readonly (readonly [path: string, text: string, breach: string])[] = [
    ["src/core/a.ts", '\nimport { b } from "../store/b.ts";', ":2 core may not import store (../store/b.ts)"],
    [
      "src/core/a.ts",
      'import type { B } from "../engine/ports/b.ts";',
      ":1 core may not import engine/ports (../engine/ports/b.ts)",
    ],
    [
      "src/core/a.ts",
      'import { join } from "node:path";',
      ":1 core may not import node:path: it does no input or output",
    ],
    ["src/core/a.ts", 'export { b } from "../mail/b.ts";', ":1 core may not import mail (../mail/b.ts)"],
    ["src/core/a.ts", 'import { b } from "../../test/b.ts";', ":1 imports ../../test/b.ts, which is outside src"],
    ["src/core/a.ts", 'import { b } from "./b";', ":1 imports ./b without its extension"],
    [
      "src/surfaces/cli/a.ts",
      'const b = import("../../store/b.ts");',
      ":1 surfaces may not import store (../../store/b.ts)",
    ],
    ["src/surfaces/cli/a.ts", 'import fs from "fs";', ":1 node:fs belongs in src/platform or src/store/sqlite"],
    ["src/mail/a.ts", 'import { z } from "zod";', ":1 mail may not import the package zod"],
    ["src/store/sqlite/a.ts", 'import postgres from "postgres";', ":1 postgres belongs in src/store/postgres"],
    [
      "src/app/a.ts",
      'const b = process.getBuiltinModule("node:sqlite");',
      ":1 node:sqlite belongs in src/store/sqlite",
    ],
    ["src/app/a.ts", 'const b = load("node:child_process");', ":1 node:child_process belongs in src/platform"],
    [
      "src/mail/a.ts",
      "const b = new Date();",
      ":1 Date belongs in src/platform or src/core/time.ts or src/surfaces/page/browser.ts",
    ],
    [
      "src/mail/a.ts",
      "const b = globalThis.performance;",
      ":1 performance belongs in src/platform or src/surfaces/page/browser.ts",
    ],
    ["src/mail/a.ts", "const b = process.hrtime.bigint();", ":1 process.hrtime belongs in src/platform"],
    [
      "src/surfaces/a.ts",
      "const b = process.env.HOME;",
      ":1 process.env belongs in src/platform or src/app or src/harness/*/plugin",
    ],
    [
      "src/app/a.ts",
      'import { b } from "../harness/b/index.ts";',
      ":1 imports ../harness/b/index.ts: only src/harness/registry.ts names the folder of a harness",
    ],
    [
      "src/harness/a/index.ts",
      'import { b } from "../b/index.ts";',
      ":1 imports ../b/index.ts: only src/harness/registry.ts names the folder of a harness",
    ],
    ["src/harness/a/index.ts", 'const b = "SELECT c FROM d";', ":1 SQL belongs in src/store"],
    ["src/store/a.ts", "const b = Math.random();", ":1 Math.random belongs in src/platform"],
    ["src/mail/a.ts", "const b = `SELECT ${b} FROM c`;", ":1 SQL belongs in src/store"],
    ["src/mail/a.ts", 'const b = "BEGIN";', ":1 SQL belongs in src/store"],
    ["src/mail/a.ts", "export default 1;", ":1 export default: only named exports"],
    ["src/mail/a.ts", 'export * from "./b.ts";', ":1 export *: only named exports"],
    ["src/elsewhere/a.ts", "", ":1 belongs to no layer"],
    ["src/a.ts", "", ":1 belongs to no layer"],
  ];

  test.each(breaches)("%s %s", (path, text, breach) => {
    expect(checkSource(path, text)).toEqual([path + breach]);
  });

  test("a file of more than 400 lines", () => {
    expect(checkFile("test/a.test.ts", "\n".repeat(400))).toEqual([]);
    expect(checkFile("test/a.test.ts", "\n".repeat(401))).toEqual([
      "test/a.test.ts:401 a file ends by line 400, this one at 401",
    ]);
  });

  test.each(["src/store/utils.ts", "src/helpers/a.ts", "test/common/a.ts", "src/core/types.ts"])("%s", (path) => {
    expect(checkFile(path, "")).toHaveLength(1);
  });
});

describe("what is allowed is not called a breach", () => {
  const allowed: readonly (readonly [path: string, text: string])[] = [
    ["src/core/a.ts", "// Date and process.env and SELECT in a comment\nconst b = { Date: c.Date };"],
    ["src/mail/a.ts", 'const b = "Begin, SELECTED, an update; set it";'],
    ["src/mail/a.ts", 'import { b } from "../engine/ports/b.ts";\nimport { c } from "./c.ts";'],
    ["src/store/sqlite/a.ts", 'import { b } from "node:fs";\nimport c from "./c.sql";\nconst d = "BEGIN IMMEDIATE";'],
    ["src/store/postgres/a.ts", 'import postgres from "postgres";'],
    ["src/platform/a.ts", 'import { spawn } from "node:child_process";\nconst b = Date.now();'],
    ["src/app/a.ts", 'import { b } from "../surfaces/cli/b.ts";\nconst c = process.env["HOME"];'],
    ["src/harness/registry.ts", 'export { a } from "./a/index.ts";'],
    ["src/harness/a/database.ts", 'import { b } from "./b.ts";\nconst c = "SELECT d FROM e";'],
    ["src/harness/a/plugin/index.ts", 'const b = process.env["HOME"];'],
    ["src/sql.d.ts", 'declare module "*.sql" { const text: string; export default text; }'],
  ];

  test.each(allowed)("%s %s", (path, text) => {
    expect(checkSource(path, text)).toEqual([]);
  });
});
