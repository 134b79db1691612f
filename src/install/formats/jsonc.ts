/** JSON as people write it in configuration files: with comments and with commas too many. */
import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree, visit } from "jsonc-parser";
import type { ConfigFormat, Leaf } from "../rules/config-format.ts";
import { type Entry, isDocument, type Json, type KeyPath } from "../rules/entry.ts";
import type { TextEdit } from "../rules/text-edit.ts";
import { guarded } from "./guarded-format.ts";
import { addToList, indentAt, type List, type ListStyle, lineEndOf, takeFromList } from "./list-edit.ts";

const OPTIONS = { allowTrailingComma: true, allowEmptyContent: true };
const DEFAULT_INDENT = "  ";

const plain: Omit<ConfigFormat, "isTooDeep"> = {
  name: "JSON",
  read(text) {
    const tree = parsed(text);
    if (tree === "broken") return null;
    const value: unknown = tree === "empty" ? {} : getNodeValue(tree);
    return isDocument(value) ? value : null;
  },
  whereBroken(text) {
    const [error] = errorsIn(text);
    return error ? placeAt(text, error.offset) : null;
  },
  whereIs(text, path) {
    const tree = parsed(text);
    const node = typeof tree === "string" ? undefined : findNodeAtLocation(tree, [...path]);
    return node ? placeAt(text, (node.parent ?? node).offset) : null;
  },
  leaves(text) {
    const found: Leaf[] = [];
    visit(
      text,
      {
        onLiteralValue: (value, start, length) => found.push({ start, end: start + length, value }),
        onComment: (start, length) => found.push({ start, end: start + length }),
      },
      OPTIONS,
    );
    return found;
  },
  put(text, entry) {
    const tree = parsed(text);
    if (tree === "broken") return null;
    if (tree === "empty") return { edit: wholeDocument(text, entry), found: 0 };
    return putInto(text, tree, entry);
  },
  drop(text, path) {
    const tree = parsed(text);
    const node = typeof tree === "string" ? undefined : findNodeAtLocation(tree, [...path]);
    const item = node?.parent?.type === "property" ? node.parent : node;
    const container = item?.parent;
    if (!item || !container || typeof tree === "string") return null;
    return takeFromList(listOf(text, container), styleOf(text, tree), (container.children ?? []).indexOf(item));
  },
};

export const jsonc = guarded(plain);

function placeAt(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n");
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

function errorsIn(text: string): readonly ParseError[] {
  const errors: ParseError[] = [];
  parseTree(text, errors, OPTIONS);
  return errors;
}

/** Nothing but blanks and comments is an empty document. */
function parsed(text: string): Node | "empty" | "broken" {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, OPTIONS);
  if (errors.length > 0) return "broken";
  return tree ?? "empty";
}

function wholeDocument(text: string, { kind, path, value }: Entry): TextEdit {
  const lineEnd = lineEndOf(text);
  const gap = text === "" || text.endsWith("\n") ? "" : lineEnd;
  const document = within(path, kind === "item" ? [value] : value);
  return { at: text.length, removed: "", inserted: `${gap}${pretty(document, DEFAULT_INDENT, "", lineEnd)}${lineEnd}` };
}

function within(path: KeyPath, value: Json): Json {
  return path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);
}

function putInto(text: string, root: Node, { kind, path, value }: Entry) {
  const style = styleOf(text, root);
  let node = root;
  for (const [depth, key] of path.entries()) {
    if (node.type !== "object") return null;
    const next = findNodeAtLocation(node, [key]);
    if (!next) {
      const inner = within(path.slice(depth + 1), kind === "item" ? [value] : value);
      return { edit: addToList(listOf(text, node), style, property(key, inner, style)), found: depth };
    }
    node = next;
  }
  if (kind === "property") return { edit: replacement(text, node, value, style), found: path.length };
  if (node.type !== "array") return null;
  const render = (indent: string | null) => written(value, style, indent);
  return { edit: addToList(listOf(text, node), style, render), found: path.length };
}

function replacement(text: string, { offset, length }: Node, value: Json, style: ListStyle): TextEdit {
  const removed = text.slice(offset, offset + length);
  const indent = style.oneLine ? null : indentAt(text, offset);
  return { at: offset, removed, inserted: written(value, style, indent) };
}

function property(key: string, value: Json, style: ListStyle) {
  return (indent: string | null) =>
    `${JSON.stringify(key)}:${indent === null && style.oneLine ? "" : " "}${written(value, style, indent)}`;
}

function written(value: Json, style: ListStyle, indent: string | null): string {
  return indent === null ? JSON.stringify(value) : pretty(value, style.indent, indent, style.lineEnd);
}

function pretty(value: Json, unit: string, indent: string, lineEnd: string): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", `${lineEnd}${indent}`);
}

function listOf(text: string, { offset, length, children = [] }: Node): List {
  const items = children.map((child) => ({ start: child.offset, end: child.offset + child.length }));
  return { text, open: offset, close: offset + length - 1, items };
}

function styleOf(text: string, root: Node): ListStyle {
  const first = root.children?.[0];
  const oneLine = first !== undefined && !text.slice(root.offset, root.offset + root.length).includes("\n");
  const ownLine = first !== undefined && text.slice(root.offset, first.offset).includes("\n");
  const indent = (ownLine && indentAt(text, first.offset)) || DEFAULT_INDENT;
  return { lineComment: "//", blockComments: true, indent, lineEnd: lineEndOf(text), oneLine };
}
