/** The file that OpenCode loads, in its own runtime. OpenCode takes everything that it exports for a plugin. */
import type { PluginHooks, PluginInput } from "../harness/opencode/plugin/host.ts";
import { createPlugin } from "../harness/opencode/plugin/plugin.ts";

export async function TalkingStick(input: PluginInput): Promise<PluginHooks> {
  return createPlugin(input);
}
