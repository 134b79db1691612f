import type { Composer } from "../../wake/rules/composer.ts";

/** In its title stands the project; a spinner, or that it needs somebody, stands before it. */
export const codexComposer = (): Composer => ({
  margin: 2,
  prompt: /^› $/,
  below: /^$/,
  idleTitle: /^[\p{L}\p{N}._~/]/u,
  busyTitle: /^[⠀-⣿]/,
  dialogTitle: /Action Required/,
  busySign: /\besc to interrupt\b/,
});
