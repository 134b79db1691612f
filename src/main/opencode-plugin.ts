/**
 * The file that OpenCode loads, in its own runtime. OpenCode takes everything that it exports for a plugin. The
 * environment is read when the plugin starts and not before: the file that points to this one sets it.
 */
import { join } from "node:path";
import { OPENCODE_SESSION_VARIABLE } from "../harness/opencode/identity.ts";
import type { PluginHooks, PluginInput } from "../harness/opencode/plugin/host.ts";
import { createPlugin } from "../harness/opencode/plugin/plugin.ts";
import type { HookAnswer, HookScript } from "../harness/opencode/plugin/sessions.ts";
import { askHookScript } from "../system/ask-hook-script.ts";
import { resolveDataDirectory } from "../system/data-directory.ts";
import { isRegularFile } from "../system/list-names.ts";
import { watchNames } from "../system/watch-names.ts";

const DEADLINE_MS = 1000;

export async function TalkingStick(input: PluginInput): Promise<PluginHooks> {
  const dataDir = resolveDataDirectory(process.env, { dataDir: null });
  const flags = join(dataDir, "flags");
  let watches = false;
  return createPlugin(input, {
    pid: process.pid,
    script: hookScript(dataDir, flags),
    watchFlags(onFlag) {
      watches ||= watchNames(flags, (sessionId) => void onFlag(sessionId));
    },
  });
}

function hookScript(dataDir: string, flags: string): HookScript {
  const script = join(dataDir, "hooks", "tt-hook");
  return {
    async ask(event, sessionId, more) {
      const output = await askHookScript(script, {
        words: ["opencode", event],
        payload: JSON.stringify({ session_id: sessionId, ...more }),
        env: { ...process.env, [OPENCODE_SESSION_VARIABLE]: sessionId },
        timeoutMs: DEADLINE_MS,
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
