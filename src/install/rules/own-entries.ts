/**
 * Our entries in another program's configuration. Installing removes the entries of an earlier version and adds the
 * wanted ones. Uninstalling restores the text as it was, unless a person has changed our own pieces of it. An edit is
 * made only if it leaves the meaning of the rest of the document unchanged.
 */
import type { ConfigFormat } from "./config-format.ts";
import { type Document, type Entry, holds, isDocument, isSame, itemsAt, type Json, valueAt } from "./entry.ts";
import { type OwnEntries, type OwnMarks, others, strayItems, strayMembers, type Written } from "./own-marks.ts";
import { applyEdit, undoEdit } from "./text-edit.ts";

/** An entry of ours in a document. It also says how much of its path is not ours. */
type Trace = Pick<Written, "kind" | "path" | "found" | "former"> & { readonly value: unknown };

export interface Edited {
  readonly text: string;
  readonly written: readonly Written[];
  /** Whether every piece of ours was found as it was written. */
  readonly exact: boolean;
}

/** Whether all wanted entries are there, and no others of ours. */
export function isInOrder(document: Document, { entries, marks }: OwnEntries): boolean {
  return (
    strayMembers(document, marks).length === 0 &&
    entries.every((entry) => holds(document, entry)) &&
    strayItems(document, marks).every(({ path, item }) =>
      entries.some((entry) => entry.kind === "item" && isSame(entry.path, path) && isSame(entry.value, item)),
    )
  );
}

/** Null if something is in the way that cannot be edited without risk for the rest of the document. */
export function bringIn(format: ConfigFormat, text: string, own: OwnEntries): Edited | null {
  const document = format.read(text);
  if (document === null) return null;
  if (isInOrder(document, own)) return { text, written: own.written, exact: true };
  const base = takeOut(format, text, own);
  if (base === null) return null;
  let edited = base.text;
  const written: Written[] = [];
  for (const wanted of own.entries) {
    if (holds(format.read(edited), wanted)) continue;
    const entry = withTheirKeys(wanted, valueAt(document, wanted.path), own.marks);
    const placed = format.put(edited, entry);
    if (placed === null) return null;
    written.push({ ...placed, ...entry, ...formerIn(format.read(edited), entry) });
    edited = applyEdit(edited, placed.edit);
  }
  const after = format.read(edited);
  const isDone = after !== null && isInOrder(after, own) && isSame(others(document, own), others(after, own));
  return isDone ? { text: edited, written, exact: base.exact } : null;
}

/**
 * The key that is in the way of our entries: one that has another kind of value than our entries need, or else the key
 * nearest to the place where our first entry cannot be put. Null if there is no such key.
 */
export function keyInTheWay(format: ConfigFormat, text: string, { entries }: Pick<OwnEntries, "entries">) {
  const document = format.read(text);
  for (const { kind, path } of entries) {
    const known = path
      .map((_, index) => path.slice(0, index + 1))
      .filter((key) => valueAt(document, key) !== undefined);
    const wrong = known.find((key) => {
      const value = valueAt(document, key);
      if (key.length < path.length) return !isDocument(value);
      return kind === "item" && !Array.isArray(value);
    });
    if (wrong) return wrong;
  }
  const blocked = entries.find((entry) => !canHold(format, text, entry));
  const above = blocked?.path.map((_, index, path) => path.slice(0, path.length - index));
  return above?.find((key) => valueAt(document, key) !== undefined) ?? null;
}

/** In some files an added entry makes the document invalid, or is hidden by another key of the same name. */
function canHold(format: ConfigFormat, text: string, entry: Entry): boolean {
  const placed = format.put(text, entry);
  return placed !== null && holds(format.read(applyEdit(text, placed.edit)), entry);
}

/** Keys that a user has added to an entry of ours stay in it. */
function withTheirKeys(entry: Entry, there: unknown, { isOurs }: OwnMarks): Entry {
  if (entry.kind !== "property" || !isDocument(entry.value) || !isDocument(there) || !isOurs(there)) return entry;
  return { ...entry, value: { ...(there as Record<string, Json>), ...entry.value } };
}

/** Null when something is in the way. */
export function takeOut(format: ConfigFormat, text: string, own: OwnEntries): Edited | null {
  const document = format.read(text);
  if (document === null) return null;
  const undone = undoAll(format, text, own, document);
  let current = undone.text;
  for (const entry of undone.left) current = dropEntry(format, current, entry, own.marks);
  const known = format.read(current) ?? {};
  const strays: Trace[] = [
    ...strayItems(known, own.marks).map(({ path, item }) => ({ kind: "item" as const, path, value: item, found: 0 })),
    ...own.entries
      .filter(({ kind, path }) => kind === "property" && !own.written.some((one) => isSame(one.path, path)))
      .filter(({ path }) => own.marks.isOurs(valueAt(known, path)))
      .map((entry) => ({ ...entry, found: 0 })),
  ];
  for (const entry of strays) current = dropEntry(format, current, entry, own.marks);
  // From the last to the first, so that the positions of the others do not change.
  const members = strayMembers(format.read(current) ?? {}, own.marks).toReversed();
  for (const path of members) current = format.drop(current, path) ?? current;
  current = withoutAdditions(format, current, own.written);
  const after = format.read(current);
  if (after === null || !isSame(others(document, own), others(after, own))) return null;
  if (strayMembers(after, own.marks).length > 0) return null;
  if (own.written.some((entry) => isOnlyOurs(entry) && valueAt(after, entry.path) !== undefined)) return null;
  return { text: current, written: [], exact: undone.left.length === 0 && strays.length + members.length === 0 };
}

/** Removes what a user added below an entry of ours: without our entry it would be half an entry. */
function withoutAdditions(format: ConfigFormat, text: string, written: readonly Written[]): string {
  return written
    .filter((entry) => isOnlyOurs(entry) && valueAt(format.read(text), entry.path) !== undefined)
    .reduce((current, { path }) => format.drop(current, path) ?? current, text);
}

function isOnlyOurs({ kind, former }: Written): boolean {
  return kind === "property" && former === undefined;
}

/** Undoes the edits that can be found again; the others are removed by their meaning. */
function undoAll(format: ConfigFormat, text: string, own: OwnEntries, document: Document) {
  let current = text;
  const left: Written[] = [];
  for (const entry of own.written.toReversed()) {
    const undone = undoEdit(current, entry.edit);
    if (undone === null || format.read(undone) === null) left.push(entry);
    else current = undone;
  }
  const isSound = isSame(others(document, own), others(format.read(current) ?? {}, own));
  return isSound ? { text: current, left } : { text, left: own.written.toReversed() };
}

/** Removes an entry, and the containers that were created for it if nothing else is in them. */
function dropEntry(
  format: ConfigFormat,
  text: string,
  { kind, path, value, found, former }: Trace,
  marks: OwnMarks,
): string {
  if (former !== undefined) {
    const restored = format.put(text, { kind: "property", path, value: former });
    return restored === null ? text : applyEdit(text, restored.edit);
  }
  const document = format.read(text);
  let current = text;
  if (kind === "item") {
    const items = itemsAt(document, path);
    const same = items.findIndex((item) => isSame(item, value));
    const index = same === -1 ? items.findIndex((item) => marks.isOurs(item)) : same;
    if (index !== -1) current = format.drop(text, [...path, index]) ?? text;
  } else if (valueAt(document, path) !== undefined) {
    current = format.drop(text, path) ?? text;
  }
  for (let depth = kind === "item" ? path.length : path.length - 1; depth > found; depth -= 1) {
    const container = path.slice(0, depth);
    const without = isEmpty(valueAt(format.read(current), container)) ? format.drop(current, container) : null;
    if (without === null || hasComment(removedPiece(current, without))) break;
    current = without;
  }
  return current;
}

function formerIn(document: unknown, { kind, path }: Entry): { readonly former?: Json } {
  const former = kind === "property" ? valueAt(document, path) : undefined;
  return former === undefined ? {} : { former: former as Json };
}

/** A person may have written a comment. Keeping it matters more than a tidy file. */
function hasComment(text: string): boolean {
  return /\/\/|\/\*|#/.test(text);
}

function removedPiece(before: string, after: string): string {
  const limit = Math.min(before.length, after.length);
  let start = 0;
  while (start < limit && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < limit - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return before.slice(start, before.length - end);
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isDocument(value) && Object.keys(value).length === 0;
}
