/**
 * Edits TOML text. A parser of the whole language says where each part is. A new table comes at the end of the file, a
 * new key after the last key of its table. A person may have written one of our entries in a form that cannot be edited
 * in one piece. Such an entry stays as it is, and the person must change it.
 */
import { type AST, getStaticTOMLValue, ParseError, parseTOML } from "toml-eslint-parser";
import type { ConfigFormat, Leaf, Placed } from "../rules/config-format.ts";
import { type Entry, isDocument, type KeyPath } from "../rules/entry.ts";
import { inlineToml, keyToml, tablesToml } from "../rules/toml-text.ts";
import { guarded } from "./guarded-format.ts";
import { addToList, indentAt, type List, type ListStyle, lineEndOf, takeFromList } from "./list-edit.ts";

const VERSION = { tomlVersion: "1.1" } as const;

type Branch = AST.TOMLTopLevelTable | AST.TOMLTable | AST.TOMLInlineTable;
type PathWithPlaces = readonly (string | number)[];

/** A key with all that is above it. */
interface Pair {
  readonly path: PathWithPlaces;
  readonly node: AST.TOMLKeyValue;
  readonly parent: Branch;
}

const plain: Omit<ConfigFormat, "isTooDeep"> = {
  name: "TOML",
  read(text) {
    const program = parsed(text);
    const value: unknown = program && getStaticTOMLValue(program);
    return isDocument(value) ? value : null;
  },
  whereBroken(text) {
    try {
      parseTOML(text, VERSION);
      return null;
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      return `line ${error.lineNumber}, column ${error.column + 1}`;
    }
  },
  whereIs(text, path) {
    const program = parsed(text);
    if (!program) return null;
    const node = pairsIn(program).find((one) => isAt(one.path, path))?.node ?? tablesBelow(program, path)[0];
    return node ? `line ${node.loc.start.line}, column ${node.loc.start.column + 1}` : null;
  },
  leaves(text) {
    const program = parsed(text);
    if (!program) return [];
    const comments = program.comments.map(({ range: [start, end] }) => ({ start, end }));
    const nodes = [program.body[0], ...tablesIn(program)].flatMap(({ body }) => body.flatMap(leavesIn));
    return [...nodes, ...comments].toSorted((one, other) => one.start - other.start);
  },
  put(text, entry) {
    const program = parsed(text);
    if (!program) return null;
    return entry.kind === "item" ? putItem(text, program, entry) : putTable(text, program, entry);
  },
  drop(text, path) {
    const program = parsed(text);
    return program && dropAt(text, program, path);
  },
};

export const toml = guarded(plain);

function parsed(text: string): AST.TOMLProgram | null {
  try {
    return parseTOML(text, VERSION);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return null;
  }
}

function putTable(text: string, program: AST.TOMLProgram, { path, value }: Entry): Placed | null {
  const pair = pairsIn(program).find((one) => isAt(one.path, path));
  if (pair) {
    const [at, end] = pair.node.value.range;
    return { edit: { at, removed: text.slice(at, end), inserted: inlineToml(value) }, found: path.length };
  }
  const below = tablesBelow(program, path);
  const [first, last] = [below[0], below.at(-1)];
  const lines = tablesToml(path, value);
  if (!first || !last) return append(text, lines, 0);
  const at = first.range[0];
  const removed = text.slice(at, last.range[1]);
  const inserted = lines.join(lineEndOf(text));
  return isOnePiece(program, below) ? { edit: { at, removed, inserted }, found: path.length } : null;
}

function putItem(text: string, program: AST.TOMLProgram, { path, value }: Entry): Placed | null {
  const parentPath = path.slice(0, -1);
  const line = `${keyToml(path.slice(-1))} = [${inlineToml(value)}]`;
  const pairs = pairsIn(program);
  const list = pairs.find((one) => isAt(one.path, path))?.node.value;
  if (list) {
    if (list.type !== "TOMLArray") return null;
    return { edit: addToList(arrayList(text, list), styleFor(text), () => inlineToml(value)), found: path.length };
  }
  const parent = pairs.find((one) => isAt(one.path, parentPath))?.node.value;
  if (parent) {
    if (parent.type !== "TOMLInlineTable") return null;
    return { edit: addToList(pairList(text, parent), styleFor(text), () => line), found: path.length - 1 };
  }
  const table = tablesIn(program).find((one) => isAt(one.resolvedKey, parentPath));
  if (table) return { edit: lineAfter(text, table.body.at(-1) ?? table, line), found: path.length - 1 };
  const sibling = pairs.findLast((one) => isBelow(one.path, parentPath) && one.parent.type !== "TOMLInlineTable");
  if (!sibling) return append(text, [`[${keyToml(parentPath)}]`, line], 0);
  const above = sibling.path.length - sibling.node.key.keys.length;
  const dotted = `${keyToml(path.slice(above))} = [${inlineToml(value)}]`;
  return { edit: lineAfter(text, sibling.node, dotted), found: path.length - 1 };
}

/** After the line on which the node ends, with its comment. */
function lineAfter(text: string, node: AST.TOMLTable | AST.TOMLKeyValue, line: string) {
  const lineEnd = lineEndOf(text);
  const rest = text.slice(node.range[1]).search(/\r?\n/);
  const at = rest === -1 ? text.length : node.range[1] + rest;
  return { at, removed: "", inserted: `${lineEnd}${indentAt(text, node.range[0])}${line}` };
}

function append(text: string, lines: readonly string[], found: number): Placed {
  const lineEnd = lineEndOf(text);
  const gap = text === "" ? "" : text.endsWith("\n") ? lineEnd : `${lineEnd}${lineEnd}`;
  const inserted = `${gap}${lines.join(lineEnd)}${lineEnd}`;
  return { edit: { at: text.length, removed: "", inserted }, found };
}

function dropAt(text: string, program: AST.TOMLProgram, path: PathWithPlaces): string | null {
  const last = path.at(-1);
  const pairs = pairsIn(program);
  if (typeof last === "number") {
    const list = pairs.find((one) => isAt(one.path, path.slice(0, -1)))?.node.value;
    return list?.type === "TOMLArray" ? takeFromList(arrayList(text, list), styleFor(text), last) : null;
  }
  const pair = pairs.find((one) => isAt(one.path, path));
  if (pair?.parent.type === "TOMLInlineTable") {
    return takeFromList(pairList(text, pair.parent), styleFor(text), pair.parent.body.indexOf(pair.node));
  }
  if (pair) return withoutLines(text, ...pair.node.range);
  const tables = tablesBelow(program, path.map(String));
  if (tables.length === 0) return null;
  const [from, to] = [tables[0]?.range[0] ?? 0, tables.at(-1)?.range[1] ?? 0];
  if (isOnePiece(program, tables)) return withoutLines(text, from, to);
  // From the last, so that the places of the others stay what they are.
  return tables.toReversed().reduce((left, { range }) => withoutLines(left, ...range), text);
}

/** Whole lines, and the blank one before them that set them apart. */
function withoutLines(text: string, from: number, to: number): string {
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const rest = text.slice(to).search(/\n/);
  const before = text.slice(0, start);
  return before.replace(/(^|\n)\r?\n$/, "$1") + (rest === -1 ? "" : text.slice(to + rest + 1));
}

/** The table of that name and those below it. */
function tablesBelow(program: AST.TOMLProgram, path: KeyPath): readonly AST.TOMLTable[] {
  return tablesIn(program).filter(({ resolvedKey }) => isAt(resolvedKey, path) || isBelow(resolvedKey, path));
}

function isOnePiece(program: AST.TOMLProgram, tables: readonly AST.TOMLTable[]): boolean {
  const all = tablesIn(program);
  const first = all.findIndex((one) => one === tables[0]);
  return tables.every((table, index) => all[first + index] === table);
}

function tablesIn(program: AST.TOMLProgram): readonly AST.TOMLTable[] {
  return program.body[0].body.filter((node) => node.type === "TOMLTable");
}

function pairsIn(program: AST.TOMLProgram): readonly Pair[] {
  const top = program.body[0];
  const own = top.body.filter((node) => node.type === "TOMLKeyValue").flatMap((node) => pairsFrom([], node, top));
  return [
    ...own,
    ...tablesIn(program).flatMap((table) => table.body.flatMap((n) => pairsFrom(table.resolvedKey, n, table))),
  ];
}

function pairsFrom(above: PathWithPlaces, node: AST.TOMLKeyValue, parent: Branch): readonly Pair[] {
  const path = [...above, ...node.key.keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value))];
  const { value } = node;
  const below = value.type === "TOMLInlineTable" ? value.body.flatMap((inner) => pairsFrom(path, inner, value)) : [];
  return [{ path, node, parent }, ...below];
}

function leavesIn(node: AST.TOMLNode): readonly Leaf[] {
  if (node.type === "TOMLKeyValue") return leavesIn(node.value);
  if (node.type === "TOMLArray") return node.elements.flatMap(leavesIn);
  if (node.type === "TOMLInlineTable") return node.body.flatMap(leavesIn);
  return node.type === "TOMLValue" ? [{ start: node.range[0], end: node.range[1], value: node.value }] : [];
}

function isAt(path: PathWithPlaces, wanted: PathWithPlaces): boolean {
  return path.length === wanted.length && wanted.every((key, index) => path[index] === key);
}

function isBelow(path: PathWithPlaces, wanted: PathWithPlaces): boolean {
  return path.length > wanted.length && wanted.every((key, index) => path[index] === key);
}

function arrayList(text: string, { range: [open, end], elements }: AST.TOMLArray): List {
  return { text, open, close: end - 1, items: elements.map(({ range: [from, to] }) => ({ start: from, end: to })) };
}

function pairList(text: string, { range: [open, end], body }: AST.TOMLInlineTable): List {
  return { text, open, close: end - 1, items: body.map(({ range: [from, to] }) => ({ start: from, end: to })) };
}

function styleFor(text: string): ListStyle {
  return { lineComment: "#", blockComments: false, indent: "  ", lineEnd: lineEndOf(text), oneLine: true };
}
