/** What is known about sessions, in memory. */
import type { AgentId } from "../../core/ids.ts";
import { isSameRow, type Session, type SessionKey } from "../../session/rules/session.ts";

export class MemorySessions {
  readonly #rows = new Map<string, Session>();

  change(key: SessionKey, change: (known: Session | null) => Session): boolean {
    const known = this.#rows.get(rowKey(key)) ?? null;
    const session = change(known);
    if (known && isSameRow(known, session)) return false;
    this.#rows.set(rowKey(key), session);
    return true;
  }

  /** By project, then by agent. */
  get all(): readonly Session[] {
    return [...this.#rows.values()].toSorted((a, b) => (rowKey(a) < rowKey(b) ? -1 : 1));
  }

  has(agentId: AgentId): boolean {
    return this.all.some((session) => session.agentId === agentId);
  }

  /** Whether there was one. */
  forget(key: SessionKey): boolean {
    return this.#rows.delete(rowKey(key));
  }

  /** A session that has a row under both names keeps the row of the new name. */
  merge(old: AgentId, agentId: AgentId): void {
    if (agentId === old) return;
    for (const [key, session] of this.#rows) {
      if (session.agentId !== old) continue;
      this.#rows.delete(key);
      const renamed = { ...session, agentId };
      if (!this.#rows.has(rowKey(renamed))) this.#rows.set(rowKey(renamed), renamed);
    }
  }
}

function rowKey({ project, agentId }: SessionKey): string {
  return JSON.stringify([project, agentId]);
}
