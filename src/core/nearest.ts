/** The candidate that takes the fewest edits to reach, if it is near enough to be meant. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  // Of words that are equally near, one with the same first letter is likelier: people slip later in a word. Then one
  // of the same length: people change letters, or their places, more often than they leave out several.
  const beginsAsIs = (candidate: string) => Number(candidate[0] === word[0]);
  const isAsLong = (candidate: string) => Number(candidate.length === word.length);
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: editsBetween(word, candidate) }))
    .toSorted(
      ({ candidate: a, edits }, { candidate: b, edits: others }) =>
        edits - others || beginsAsIs(b) - beginsAsIs(a) || isAsLong(b) - isAsLong(a),
    );
  const [best] = ranked;
  if (!best) return null;
  const isPrefix = word.length > 1 && best.candidate.startsWith(word);
  // Two letters that changed places are two edits.
  const slips = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3));
  return isPrefix || best.edits <= slips ? best.candidate : null;
}

/** The nearest first; each thing may have several names. */
export function byNearness<Thing>(
  word: string,
  things: readonly Thing[],
  namesOf: (thing: Thing) => readonly string[],
): readonly Thing[] {
  const edits = (thing: Thing) => Math.min(...namesOf(thing).map((name) => editsBetween(word, name)));
  return things
    .map((thing) => ({ thing, edits: edits(thing) }))
    .toSorted((a, b) => a.edits - b.edits || 0)
    .map(({ thing }) => thing);
}

function editsBetween(a: string, b: string): number {
  // Longer words cannot be a slip of ours, and the table below grows with both.
  if (a.length > 64 || b.length > 64) return Number.POSITIVE_INFINITY;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? Number.POSITIVE_INFINITY;
}
