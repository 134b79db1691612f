/** What is known about sessions, in memory. */
import type { RoomEvent } from "../../core/event.ts";
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

  of(project: string): readonly Session[] {
    const rows = [...this.#rows.values()].filter((session) => session.project === project);
    return rows.toSorted((a, b) => (a.agentId < b.agentId ? -1 : 1));
  }

  withId(sessionId: string): readonly Session[] {
    const rows = [...this.#rows.values()].filter((session) => session.sessionId === sessionId);
    return rows.toSorted((a, b) => (rowKey(a) < rowKey(b) ? -1 : 1));
  }

  /** A session that is known under two names keeps the row of its own name. */
  follow(event: RoomEvent): void {
    if (event.type !== "session_superseded" || event.fromAgentId === null) return;
    this.merge(event.payload.supersededAgentId, event.fromAgentId);
  }

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
