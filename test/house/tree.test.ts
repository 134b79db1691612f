import { expect, test } from "vitest";
import { filesUnder } from "./files.ts";
import { checkTree } from "./tree.ts";

const file = (path: string, text: string) => ({ path, text });

test("src has no crowded folder, no small file with one importer, and no type name with two meanings", () => {
  expect(checkTree(filesUnder("src"))).toEqual([]);
});

test("a folder of more than 25 files is a breach", () => {
  const files = Array.from({ length: 26 }, (_, at) => file(`src/core/a${at}.ts`, ""));
  expect(checkTree(files.slice(1), {})).toEqual([]);
  expect(checkTree(files, {})).toEqual(["src/core:1 a folder has at most 25 files, this one 26"]);
  expect(checkTree([...files.slice(1), file("src/core/b/a.ts", "")], {})).toEqual([]);
});

test("a file of at most 20 lines with one importer is a breach, unless it is on the list", () => {
  const small = file("src/core/a.ts", "export const a = 1;\n".padEnd(39, "\n"));
  const large = file("src/core/a.ts", `${small.text}\n`);
  const importer = file("src/mail/b.ts", 'import { a } from "../core/a.ts";\nconst b = import("../core/a.ts");');
  const second = file("src/mail/c.ts", 'export { a } from "../core/a.ts";');
  expect(checkTree([small, importer], {})).toEqual([
    "src/core/a.ts:1 has 20 lines and one importer: merge it into src/mail/b.ts",
  ]);
  expect(checkTree([large, importer], {})).toEqual([]);
  expect(checkTree([small, importer, second], {})).toEqual([]);
  expect(checkTree([small], {})).toEqual([]);
  expect(checkTree([small, importer], { "src/core/a.ts": "a reason" })).toEqual([]);
});

test("a file that is on the list of small files and is gone is a breach", () => {
  expect(checkTree([], { "src/core/a.ts": "a reason" })).toEqual([
    "src/core/a.ts:1 is on the list of small files, and is not there",
  ]);
});

test.each(["interface A { b: 1 }", "type A = 1;", "class A {}", "enum A { B }"])(
  "two files that export a type of the same name are a breach: %s",
  (declaration) => {
    const files = [file("src/core/a.ts", "export interface A {}"), file("src/mail/b.ts", `\nexport ${declaration}`)];
    expect(checkTree(files, {})).toEqual([
      "src/mail/b.ts:2 exports the type A, and so does src/core/a.ts:1: give one another name",
    ]);
  },
);

test("a type that is exported once, and re-exported or private elsewhere, is no breach", () => {
  const files = [
    file("src/core/a.ts", "export interface A {}"),
    file("src/mail/b.ts", 'export type { A } from "../core/a.ts";'),
    file("src/mail/c.ts", "interface A {}\nexport const a: A = {};"),
  ];
  expect(checkTree([...files, file("src/mail/d.ts", 'import type { A } from "../core/a.ts";')], {})).toEqual([]);
});
