const SHOWN_CHARACTERS = 100;

/** A word as it was given; a very long one is known by its beginning. */
export function shortened(word: string): string {
  return word.length > SHOWN_CHARACTERS ? `${word.slice(0, SHOWN_CHARACTERS)}…` : word;
}

export function quoted(word: string): string {
  return JSON.stringify(shortened(word));
}
