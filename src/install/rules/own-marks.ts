/** Recognises our entries in a document by their content, and tells them from all others. */
import { type Document, type Entry, isDocument, isSame, itemsAt, type Json, type KeyPath, valueAt } from "./entry.ts";
import type { TextEdit } from "./text-edit.ts";

/** An entry as it was written, with what it takes to undo that. */
export interface Written extends Entry {
  /** How many keys of its path were there before. */
  readonly found: number;
  /** The value that was there before, if one was replaced. */
  readonly former?: Json;
  readonly edit: TextEdit;
}

/** How entries of ours are known where nothing was written down about them. */
export interface OwnMarks {
  /** Of any version of ours. */
  readonly isOurs: (value: unknown) => boolean;
  /** The object whose lists may hold items of ours. */
  readonly lists: KeyPath | null;
  /** Where the items are groups: the key of their members, and which members are ours. */
  readonly members?: { readonly key: string; readonly isOurs: (value: unknown) => boolean };
}

export interface OwnEntries {
  readonly entries: readonly Entry[];
  readonly written: readonly Written[];
  readonly marks: OwnMarks;
}

/** Items of ours in the lists where they may be. */
export function strayItems(document: Document, { lists, isOurs }: OwnMarks): { path: KeyPath; item: unknown }[] {
  const parent = lists === null ? undefined : valueAt(document, lists);
  if (lists === null || !isDocument(parent)) return [];
  return Object.keys(parent).flatMap((key) => {
    const path = [...lists, key];
    return itemsAt(document, path)
      .filter(isOurs)
      .map((item) => ({ path, item }));
  });
}

/** The places of our members in groups that also hold members of others. */
export function strayMembers(document: Document, { lists, members, isOurs }: OwnMarks): (string | number)[][] {
  const parent = lists === null ? undefined : valueAt(document, lists);
  if (lists === null || !members || !isDocument(parent)) return [];
  return Object.keys(parent).flatMap((name) =>
    itemsAt(document, [...lists, name]).flatMap((group, place) =>
      itemsAt(isOurs(group) ? null : group, [members.key]).flatMap((member, index) =>
        members.isOurs(member) ? [[...lists, name, place, members.key, index]] : [],
      ),
    ),
  );
}

function withoutOurMembers(item: unknown, { members }: OwnMarks): unknown {
  const all = members && isDocument(item) ? item[members.key] : undefined;
  if (!members || !isDocument(item) || !Array.isArray(all)) return item;
  return { ...item, [members.key]: all.filter((member) => !members.isOurs(member)) };
}

/** What a document says besides our entries and the containers on the way to them. */
export function others(document: Document, { entries, written, marks }: OwnEntries): unknown {
  const own: readonly Entry[] = [...entries, ...written];
  const rest = (value: unknown, path: KeyPath): unknown => {
    if (own.some((entry) => entry.kind === "property" && isSame(entry.path, path))) return undefined;
    const isOnTheWay = own.some((entry) => isSame(entry.path.slice(0, path.length), path));
    const isList = isOnTheWay || (marks.lists !== null && isSame(path.slice(0, -1), marks.lists));
    if (Array.isArray(value) && isList) return restOfList(value, path);
    if (!isDocument(value) || !(isOnTheWay || isList)) return value;
    const kept = Object.entries(value)
      .map(([key, inner]) => [key, rest(inner, [...path, key])] as const)
      .filter(([, inner]) => inner !== undefined);
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  };
  const restOfList = (items: readonly unknown[], path: KeyPath): unknown => {
    const kept = items.filter(
      (item) => !marks.isOurs(item) && !own.some((entry) => isSame(entry.path, path) && isSame(entry.value, item)),
    );
    return kept.length === 0 ? undefined : kept.map((item) => withoutOurMembers(item, marks));
  };
  return rest(document, []);
}
