/** Words that our own hints print where the caller's words belong. A caller that copies one has said nothing. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(["…", "...", "STATUS", "NEXT", "NEXT_ACTION", "WHY", "TEXT"]);

/** Whether a text has words of the caller's own. */
export function isFilled(value: unknown): value is string {
  if (typeof value !== "string") return false;
  const text = value.trim();
  return text !== "" && !PLACEHOLDERS.has(text);
}
