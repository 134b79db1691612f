import type { Composer } from "../../wake/rules/composer.ts";

export const geminiComposer = (): Composer => ({
  margin: 3,
  prompt: /^ [>*] $/,
  hint: /^Type your message/,
  below: /^[▀\s]*$/,
  idleTitle: /^◇/,
  busyTitle: /^✦/,
  dialogTitle: /^✋/,
  busySign: /\(esc to cancel\b/,
});
