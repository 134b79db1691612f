/**
 * Hooks of Codex, which has taken over the shapes of Claude Code. What is added reaches the model as the developer's
 * words; of more than 10 000 characters the middle is cut out. The reason to go on comes as a user's item.
 */

import { claudeCodeHooks } from "../claude-code/hooks.ts";
import type { HookDialect } from "../hook-dialect.ts";

export const codexHooks: HookDialect = {
  parse(event, payload) {
    const call = claudeCodeHooks.parse(event, payload);
    return call && { ...call, harness: "codex" };
  },
  render: (event, reply) => claudeCodeHooks.render(event, reply),
};
