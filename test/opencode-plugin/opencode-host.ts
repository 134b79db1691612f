/** An OpenCode that says what a test lets it say, and our hook script likewise; what the plugin does is written down. */
import type { PluginHooks, PluginInput } from "../../src/harness/opencode/plugin/host.ts";
import { createPlugin } from "../../src/harness/opencode/plugin/plugin.ts";
import type { HookAnswer } from "../../src/harness/opencode/plugin/sessions.ts";

export class OpencodeHost {
  /** By event, what the script says; once. */
  readonly says: Record<string, HookAnswer> = {};
  /** How often the script is too slow to say anything. */
  silences = 0;
  /** Events and prompts, in their order. */
  readonly done: string[] = [];
  readonly payloads: Readonly<Record<string, unknown>>[] = [];
  readonly parents = new Map<string, string>();
  readonly flags = new Set<string>();
  /** Runs while the script is asked. */
  meanwhile: () => Promise<void> = async () => undefined;
  takesPrompts = true;
  #onFlag: (sessionId: string) => Promise<void> = async () => undefined;
  readonly plugin: PluginHooks;

  constructor({ guard = false }: { readonly guard?: boolean } = {}) {
    const client: PluginInput["client"] = {
      session: {
        get: async ({ path: { id } }) => {
          const parentID = this.parents.get(id);
          return id.startsWith("ses_") ? { data: { id, ...(parentID !== undefined && { parentID }) } } : {};
        },
        promptAsync: async ({ path, body }) => {
          if (!this.takesPrompts) throw new Error("OpenCode is ending");
          const { parts, ...choice } = body;
          this.done.push(`prompt ${path.id} ${JSON.stringify(choice)} ${parts.map(({ text }) => text).join()}`);
        },
      },
    };
    this.plugin = createPlugin(
      { client, directory: "/home/ada/tree" },
      {
        guard,
        pid: 4711,
        script: {
          ask: async (event, sessionId, more) => {
            this.done.push(`${event} ${sessionId}`);
            this.payloads.push(more);
            await this.meanwhile();
            if (this.silences > 0) {
              this.silences -= 1;
              return null;
            }
            const { [event]: said = {} } = this.says;
            delete this.says[event];
            return said;
          },
          pause: async () => void this.done.push("pause"),
          isFlagged: (sessionId) => this.flags.has(sessionId),
        },
        watchFlags: (onFlag) => {
          this.#onFlag = onFlag;
        },
      },
    );
  }

  /** What the plugin adds to a prompt. */
  async prompt(sessionID: string, choice = { agent: "plan" }, id = "msg_1"): Promise<readonly (string | undefined)[]> {
    const parts = [{ id: "prt_1", sessionID, messageID: id, type: "text", text: "do it" }];
    await this.plugin["chat.message"]({ sessionID }, { message: { id, ...choice }, parts });
    return parts.slice(1).map(({ text }) => text);
  }

  /** Why the plugin does not let a tool run; null if it does. */
  async tool(sessionID: string, tool: string, args: Record<string, unknown> = {}): Promise<string | null> {
    try {
      await this.plugin["tool.execute.before"]({ tool, sessionID }, { args });
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async event(type: string, properties: Readonly<Record<string, unknown>>): Promise<void> {
    await this.plugin.event({ event: { type, properties } });
  }

  async rest(sessionID: string): Promise<void> {
    await this.event("session.idle", { sessionID });
  }

  async raise(sessionId: string): Promise<void> {
    this.flags.add(sessionId);
    await this.#onFlag(sessionId);
  }

  /** What was done since the last look. */
  get news(): readonly string[] {
    return this.done.splice(0);
  }
}
