/**
 * The plugin of OpenCode, in its own runtime. The file that OpenCode loads points here: it sets the environment, which is
 * therefore read when the plugin starts and not before, and names the script that the hooks call.
 */
import { join } from "node:path";
import { resolveDataDirectory } from "../../../platform/files/data-directory.ts";
import { isRegularFile, watchNames } from "../../../platform/files/list-names.ts";
import { askHookScript } from "../../../platform/process/ask-hook-script.ts";
import { hookDeadlineMs } from "../../../platform/settings/hook-deadline.ts";
import { OPENCODE_SESSION_VARIABLE } from "../identity.ts";
import type { PluginHooks, PluginInput } from "./host.ts";
import { createPlugin } from "./plugin.ts";
import type { HookAnswer, HookScript } from "./sessions.ts";

/** What the shell and the start of a process may add. */
const START_MS = 250;

export async function TalkingStick(
  input: PluginInput,
  script: string,
  { guard = false }: { readonly guard?: boolean } = {},
): Promise<PluginHooks> {
  const dataDir = resolveDataDirectory(process.env, { dataDir: null });
  const flags = join(dataDir, "flags");
  let watches = false;
  return createPlugin(input, {
    pid: process.pid,
    guard,
    script: hookScript(script, flags),
    watchFlags(onFlag) {
      watches ||= watchNames(flags, (sessionId) => void onFlag(sessionId));
    },
  });
}

function hookScript(script: string, flags: string): HookScript {
  return {
    async ask(event, sessionId, more) {
      const output = await askHookScript(script, {
        words: ["opencode", event],
        payload: JSON.stringify({ session_id: sessionId, ...more }),
        env: { ...process.env, [OPENCODE_SESSION_VARIABLE]: sessionId },
        timeoutMs: hookDeadlineMs(process.env, event) + START_MS,
      });
      try {
        return JSON.parse(output) as HookAnswer;
      } catch {
        // Mostly it has nothing to say.
        return null;
      }
    },
    pause: (ms) => new Promise((resolve) => void setTimeout(resolve, ms).unref()),
    isFlagged: (sessionId) => isRegularFile(join(flags, sessionId)),
  };
}
