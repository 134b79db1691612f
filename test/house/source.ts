import { parseSync } from "oxc-parser";

/**
 * What the house rules must know about a source text: what it imports, which names and texts it uses, how it
 * exports. Read from the syntax tree, so comments never count and texts count only as texts.
 */
export interface Found {
  readonly value: string;
  readonly line: number;
}

export interface SourceFacts {
  /** Module names, however they are loaded: import, export from, import(), import type, require, "node:…". */
  readonly imports: readonly Found[];
  /** Free names (`Date`) and members of free names (`process.env`). */
  readonly names: readonly Found[];
  /** The texts of string and template literals. */
  readonly texts: readonly Found[];
  /** `default` or `*`. */
  readonly exports: readonly Found[];
  /** Names of the interfaces, types, classes and enums that it declares and exports. */
  readonly types: readonly Found[];
}

type SyntaxNode = { readonly type: string; readonly start: number; readonly [key: string]: unknown };

const typeDeclarations = /^(TSInterface|TSTypeAlias|TSEnum|Class)Declaration$/;
const loaders = new Set(["require", "getBuiltinModule"]);

export function readSource(path: string, text: string): SourceFacts {
  const parsed = parseSync(path, text);
  const problem = parsed.errors[0];
  if (problem !== undefined) throw new Error(`${path}: ${problem.message}`);
  const facts: { [Fact in keyof SourceFacts]: Found[] } = {
    imports: [],
    names: [],
    texts: [],
    exports: [],
    types: [],
  };
  const lineAt = linesOf(text);
  const found = (node: SyntaxNode, value: string) => ({ value, line: lineAt(node.start) });

  const visit = (node: SyntaxNode): void => {
    const source = textOf(node["source"]);
    if (source !== undefined) facts.imports.push(found(node, source));
    if (node.type === "ExportDefaultDeclaration") facts.exports.push(found(node, "default"));
    if (node.type === "ExportAllDeclaration") facts.exports.push(found(node, "*"));
    const type = node.type === "ExportNamedDeclaration" ? typeIn(node["declaration"]) : undefined;
    if (type !== undefined) facts.types.push(found(node, type));
    if (node.type === "CallExpression") {
      const loaded = loadedBy(node);
      if (loaded !== undefined) facts.imports.push(found(node, loaded));
    }
    const literal = textOf(node);
    if (literal !== undefined) facts.texts.push(found(node, literal));
    const name = nameOf(node);
    if (name !== undefined) facts.names.push(found(node, name));
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parsed.program as unknown as SyntaxNode);
  return facts;
}

/** Finds the line of an offset without counting from the beginning each time. */
function linesOf(text: string): (offset: number) => number {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => {
    let [from, to] = [0, ends.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((ends[middle] ?? offset) < offset) from = middle + 1;
      else to = middle;
    }
    return from + 1;
  };
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

/** Children that can hold a use of a name: a property's own name, after the dot or before the colon, is none. */
function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const named = node["computed"] === true ? "" : node.type === "MemberExpression" ? "property" : "key";
  return Object.entries(node)
    .filter(([field]) => field !== named)
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
}

function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  return node.type === "TemplateElement" ? (node["value"] as { raw: string }).raw : undefined;
}

function nameOf(node: SyntaxNode): string | undefined {
  if (node.type === "Identifier") return node["name"] as string;
  if (node.type !== "MemberExpression" || node["computed"] === true) return undefined;
  const object = isNode(node["object"]) ? nameOf(node["object"]) : undefined;
  const property = isNode(node["property"]) ? nameOf(node["property"]) : undefined;
  return object && `${object}.${property}`.replace(/^globalThis\./, "");
}

/** The name of the type that a declaration declares. */
function typeIn(declaration: unknown): string | undefined {
  if (!isNode(declaration) || !typeDeclarations.test(declaration.type)) return undefined;
  return isNode(declaration["id"]) ? nameOf(declaration["id"]) : undefined;
}

/** The module that a call such as require("x") loads. */
function loadedBy(call: SyntaxNode): string | undefined {
  const callee = isNode(call["callee"]) ? nameOf(call["callee"]) : undefined;
  const isLoader = callee !== undefined && loaders.has(callee.split(".").at(-1) ?? "");
  return isLoader ? textOf((call["arguments"] as unknown[])[0]) : undefined;
}
