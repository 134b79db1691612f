/** What OpenCode gives a plugin and asks of it, as far as ours uses it. */

export interface OpencodeSession {
  readonly id: string;
  /** A subagent's session names the one that started it. */
  readonly parentID?: string;
}

/** Who answers a prompt: it is the session's user who chooses. */
export interface PromptChoice {
  readonly agent?: string;
  readonly model?: { readonly providerID: string; readonly modelID: string };
}

export interface Prompt extends PromptChoice {
  readonly parts: readonly { readonly type: "text"; readonly text: string }[];
}

interface ById {
  readonly path: { readonly id: string };
}

export interface OpencodeClient {
  readonly session: {
    get(request: ById): Promise<{ readonly data?: OpencodeSession }>;
    /** Begins a turn, or adds to the one that goes on, and does not wait for its end. */
    promptAsync(request: ById & { readonly body: Prompt }): Promise<unknown>;
  };
}

export interface PluginInput {
  readonly client: OpencodeClient;
  /** The project's directory. */
  readonly directory: string;
}

/** There are many kinds; those that matter here are told apart by `type`. */
export interface OpencodeEvent {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface TextPart {
  readonly id: string;
  readonly sessionID: string;
  readonly messageID: string;
  readonly type: string;
  text?: string;
  /** Shown to the model and not to its user. */
  readonly synthetic?: boolean;
}

export interface ToolUse {
  readonly tool: string;
  readonly sessionID: string;
}

export interface ToolArguments {
  readonly args: Record<string, unknown>;
}

/** Each hook is handed what it may change, and changes it in place. */
export interface PluginHooks {
  event(input: { readonly event: OpencodeEvent }): Promise<void>;
  /** A prompt is about to be added to a session. */
  "chat.message"(
    input: { readonly sessionID: string },
    output: { readonly message: PromptChoice & { readonly id: string }; readonly parts: TextPart[] },
  ): Promise<void>;
  "shell.env"(input: { readonly sessionID?: string }, output: { readonly env: Record<string, string> }): Promise<void>;
  "tool.execute.before"(input: ToolUse, output: ToolArguments): Promise<void>;
  /** What an MCP server answered is in `content`, what any other tool did in `output`. */
  "tool.execute.after"(input: ToolUse, output: { output?: string; readonly content?: unknown }): Promise<void>;
  /** OpenCode, or its work in this project, ends. */
  dispose(): Promise<void>;
}
