/** What OpenCode gives a plugin and asks of it, as far as ours uses it. */

export interface OpencodeSession {
  readonly id: string;
  /** A subagent's session names the one that started it. */
  readonly parentID?: string;
}

export interface OpencodeClient {
  readonly session: {
    get(request: { readonly path: { readonly id: string } }): Promise<{ readonly data?: OpencodeSession }>;
  };
}

export interface PluginInput {
  readonly client: OpencodeClient;
  /** The project's directory. */
  readonly directory: string;
}

/** Each hook is handed what it may change, and changes it in place. */
export interface PluginHooks {
  event(input: { readonly event: OpencodeEvent }): Promise<void>;
  "shell.env"(input: { readonly sessionID?: string }, output: { readonly env: Record<string, string> }): Promise<void>;
  "tool.execute.before"(
    input: { readonly tool: string; readonly sessionID: string },
    output: { readonly args: Record<string, unknown> },
  ): Promise<void>;
}

/** There are many kinds; those that matter here are told apart by `type`. */
export interface OpencodeEvent {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
}
