/**
 * One change of a text, recorded so that it can be undone later, even if the text around it has changed: it is found
 * again by its place, or because it is the only such piece.
 */
export interface TextEdit {
  readonly at: number;
  readonly removed: string;
  /** Never empty: an edit that leaves nothing behind could not be found again. */
  readonly inserted: string;
}

export function applyEdit(text: string, { at, removed, inserted }: TextEdit): string {
  return text.slice(0, at) + inserted + text.slice(at + removed.length);
}

/** Null when what was inserted is not there any more, or cannot be told from the same piece elsewhere. */
export function undoEdit(text: string, { at, removed, inserted }: TextEdit): string | null {
  const place = text.startsWith(inserted, at) ? at : onlyPlace(text, inserted);
  return place === null ? null : text.slice(0, place) + removed + text.slice(place + inserted.length);
}

function onlyPlace(text: string, piece: string): number | null {
  const first = text.indexOf(piece);
  return first !== -1 && first === text.lastIndexOf(piece) ? first : null;
}
