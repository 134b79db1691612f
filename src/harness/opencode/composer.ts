import type { Composer } from "../../wake/rules/composer.ts";

/** Its title has no state. Before the first prompt of a session the composer stands elsewhere, and is left alone. */
export const opencodeComposer = (): Composer => ({
  margin: 5,
  prompt: /^ {2}┃ {2}$/,
  above: /^ {2}┃$/,
  below: /^ {2}┃$/,
  idleTitle: /^OC \| /,
  busySign: /\besc\s+(interrupt|again to interrupt)\b/,
});
