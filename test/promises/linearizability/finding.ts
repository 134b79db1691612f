/**
 * Something a correct program cannot have done.
 *   model    an event of the log breaks a rule of the stick
 *   answer   an operation was told something else than what the log says it did
 *   order    the log contradicts the order in which operations ended and began
 *   sight    a look or a refusal shows a room that never was like that while it lasted
 *   outcome  a refused operation had an effect, an effect has no operation, or one happened twice
 *   secret   a lease id was given out for two turns
 *   time     something expired or was declared gone before it could be
 *   crash    the program itself found that it is wrong, or its store did
 */
export interface Finding {
  readonly rule: "model" | "answer" | "order" | "sight" | "outcome" | "secret" | "time" | "crash";
  readonly text: string;
}

/** Findings in a form a person can start from: how many of each rule, and the first few. */
export function summary(findings: readonly Finding[], shown = 10): string {
  const counts = new Map<string, number>();
  for (const { rule } of findings) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  const head = [...counts].map(([rule, count]) => `${count} × ${rule}`).join(", ");
  return [head, ...findings.slice(0, shown).map(({ rule, text }) => `  [${rule}] ${text}`)].join("\n");
}
