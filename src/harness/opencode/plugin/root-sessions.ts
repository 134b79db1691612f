/**
 * A subagent of OpenCode has a session of its own below the one that started it. To us both are one agent, known by
 * the session at the top, as everywhere else.
 */
import type { OpencodeClient, OpencodeEvent, OpencodeSession } from "./host.ts";

/** Deeper than any subagent goes; a circle would be a fault of OpenCode's. */
const MOST_LEVELS = 32;

export class RootSessions {
  readonly #client: OpencodeClient;
  readonly #parents = new Map<string, string | null>();

  constructor(client: OpencodeClient) {
    this.#client = client;
  }

  /** OpenCode says who started a session when it makes one. */
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
    throw new Error(`${sessionId} has more parents than can be true`);
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
