/**
 * Our plugin in OpenCode, which serves all its sessions from one process. It tells our MCP server and our commands
 * which session calls them, and does what hooks do in other harnesses (sessions.ts). Whatever goes wrong in here, the
 * agent's own work goes on.
 */
import { OPENCODE_SESSION_ARGUMENT, OPENCODE_SESSION_VARIABLE, OPENCODE_SUBAGENT_VARIABLE } from "../identity.ts";
import { WRITING_TOOLS } from "../tools.ts";
import type {
  OpencodeClient,
  OpencodeEvent,
  OpencodeSession,
  PluginHooks,
  PluginInput,
  TextPart,
  ToolArguments,
  ToolUse,
} from "./host.ts";
import { type HookScript, Sessions } from "./sessions.ts";

/** OpenCode puts the name of the server before the names of its tools. */
const OUR_TOOLS = "talking-stick_";
/** Subagents are never nested this deep. A circle of parents would be a fault of OpenCode. */
const MOST_LEVELS = 32;

export interface PluginWorld {
  readonly script: HookScript;
  /** This process, which can begin a turn of any of its sessions. */
  readonly pid: number;
  /** Whether tools that write are asked about first. */
  readonly guard: boolean;
  /**
   * From now on, calls `onFlag` for every flag. It is called repeatedly, because at first there may be nothing to
   * watch.
   */
  watchFlags(onFlag: (sessionId: string) => Promise<void>): void;
}

export function createPlugin({ client, directory }: PluginInput, world: PluginWorld): PluginHooks {
  const roots = new RootSessions(client);
  const sessions = new Sessions(client, world.script, { cwd: directory, waker_pid: world.pid });
  const beforeTool = failingOpen(async ({ tool, sessionID }: ToolUse, { args }: ToolArguments) => {
    // If the model itself names a session, that is ignored, even if its own session cannot be found.
    if (tool.startsWith(OUR_TOOLS)) delete args[OPENCODE_SESSION_ARGUMENT];
    const root = await roots.rootOf(sessionID);
    const caller = root === sessionID ? root : `${root}/${sessionID}`;
    if (tool.startsWith(OUR_TOOLS)) args[OPENCODE_SESSION_ARGUMENT] = caller;
    sessions.toolBegins(root, root === sessionID ? null : sessionID);
  });
  const refusalOf = failingOpen(async ({ tool, sessionID }: ToolUse, { args }: ToolArguments) =>
    sessions.refusal(await roots.rootOf(sessionID), tool, args),
  );
  const watchFlags = () => world.watchFlags(failingOpen((sessionId: string) => sessions.flagged(sessionId)));
  return {
    event: failingOpen(async ({ event }: { readonly event: OpencodeEvent }) => {
      roots.see(event);
      await heard(event, sessions);
    }),
    "chat.message": failingOpen(async ({ sessionID }, { message, parts }) => {
      watchFlags();
      if ((await roots.rootOf(sessionID)) !== sessionID) return;
      const { agent, model } = message;
      const choice = { ...(agent !== undefined && { agent }), ...(model !== undefined && { model }) };
      const text = await sessions.prompted(sessionID, message.id, choice);
      if (text !== "") parts.push(synthetic(text, sessionID, message.id, parts));
    }),
    "shell.env": failingOpen(async ({ sessionID }, { env }) => {
      if (sessionID === undefined) return;
      const root = await roots.rootOf(sessionID);
      env[OPENCODE_SESSION_VARIABLE] = root;
      if (root !== sessionID) env[OPENCODE_SUBAGENT_VARIABLE] = "1";
    }),
    "tool.execute.before": async (use, output) => {
      await beforeTool(use, output);
      const refusal = world.guard && isWritingTool(use.tool) ? await refusalOf(use, output) : undefined;
      // OpenCode does not run the tool then, and shows its model this text.
      if (refusal) throw new Error(refusal);
    },
    "tool.execute.after": failingOpen(async ({ sessionID }, result) => {
      // Mail for an agent is not shown to its subagents.
      if ((await roots.rootOf(sessionID)) !== sessionID) return;
      const text = await sessions.toolEnded(sessionID);
      if (text === "") return;
      if (Array.isArray(result.content)) result.content.push({ type: "text", text });
      else result.output = `${result.output ?? ""}\n\n${text}`;
    }),
    dispose: failingOpen(() => sessions.allEnded()),
  };
}

interface EventFacts {
  readonly sessionID?: string;
  readonly info?: { readonly id?: string };
}

/** `parentID`: the prompt that a message answers. */
interface MessageFacts {
  readonly info?: { readonly sessionID?: string; readonly parentID?: string; readonly time?: { completed?: number } };
}

async function heard({ type, properties }: OpencodeEvent, sessions: Sessions): Promise<void> {
  if (type === "message.updated") return answered(properties, sessions);
  const { sessionID, info } = properties as EventFacts;
  const sessionId = sessionID ?? info?.id;
  if (sessionId === undefined) return;
  if (type === "session.idle") await sessions.turnEnded(sessionId);
  if (type === "session.compacted") await sessions.compacted(sessionId);
  if (type === "session.deleted") await sessions.ended(sessionId);
  if (type === "session.error") await sessions.broken(sessionId);
}

function answered({ info }: MessageFacts, sessions: Sessions): void {
  const { sessionID, parentID, time } = info ?? {};
  if (sessionID !== undefined && parentID !== undefined && time?.completed !== undefined) {
    sessions.answered(sessionID, parentID);
  }
}

/** OpenCode orders parts by their ids, and this id makes the part the last one. */
function synthetic(text: string, sessionID: string, messageID: string, parts: readonly TextPart[]): TextPart {
  const id = `${parts.at(-1)?.id ?? "prt_"}tt`;
  return { id, sessionID, messageID, type: "text", text, synthetic: true };
}

function failingOpen<Words extends readonly unknown[], Answer>(hook: (...words: Words) => Promise<Answer>) {
  return async (...words: Words): Promise<Answer | undefined> => {
    try {
      return await hook(...words);
    } catch {
      // The agent goes on without what the hook would have said.
      return undefined;
    }
  };
}

function isWritingTool(tool: string): boolean {
  const { edits, patches = {}, shells } = WRITING_TOOLS;
  return Object.hasOwn(edits, tool) || Object.hasOwn(patches, tool) || shells.includes(tool);
}

/**
 * A subagent of OpenCode has its own session below the one that started it. For Talking Stick both are one agent, which
 * has the name of the session at the top.
 */
class RootSessions {
  readonly #client: OpencodeClient;
  readonly #parents = new Map<string, string | null>();

  constructor(client: OpencodeClient) {
    this.#client = client;
  }

  /** When OpenCode creates a session, it says which session started it. */
  see({ type, properties }: OpencodeEvent): void {
    const info = properties["info"] as OpencodeSession | undefined;
    if (type === "session.created" && info) this.#parents.set(info.id, info.parentID ?? null);
  }

  async rootOf(sessionId: string): Promise<string> {
    let root = sessionId;
    for (let level = 0; level < MOST_LEVELS; level += 1) {
      const parent = await this.#parentOf(root);
      if (parent === null) return root;
      root = parent;
    }
    throw new Error(`${sessionId} has too many parents`);
  }

  async #parentOf(sessionId: string): Promise<string | null> {
    const known = this.#parents.get(sessionId);
    if (known !== undefined) return known;
    const { data } = await this.#client.session.get({ path: { id: sessionId } });
    if (!data) throw new Error(`OpenCode knows no session ${sessionId}`);
    const parent = data.parentID ?? null;
    this.#parents.set(sessionId, parent);
    return parent;
  }
}
