import type { Composer } from "../../wake/rules/composer.ts";

/** Its title says busy or not; that it waits for a permission, only its session file and its screen say. */
export const claudeCodeComposer = (): Composer => ({
  margin: 2,
  prompt: /^[❯>][\s\u00a0]$/,
  above: /^─{3}/,
  below: /^─{3}/,
  idleTitle: /^✳/,
  busyTitle: /^[◐◑◒◓⠀-⣿]/,
  busySign: /\besc to interrupt\b/,
});
