/**
 * The bell over LISTEN and NOTIFY. From the first subscription on, one connection of the process hears rings beside its
 * other work. When it is lost, another one takes its place. Rings may have been missed meanwhile, so that counts as a ring.
 * If none can hear, for example behind a pooler, the process looks more often.
 *
 * A ring is a statement of its own, sent right behind the commit, so it costs no round trip. Inside the change's
 * transaction it would make rooms wait for each other's disk writes, because the server lets only one notifying
 * transaction commit at a time. A ring need not be durable and does not wait for the disk.
 */
import type { AgentId } from "../../core/ids.ts";
import type { Bell } from "../../engine/ports/bell.ts";
import { type Statement, sql } from "../sql/statement.ts";
import { SubscriptionBook } from "../subscriptions.ts";
import type { Database, RingListener } from "./database.ts";

/** PostgreSQL takes payloads below 8000 bytes. */
const LONGEST_PAYLOAD_BYTES = 7999;
/** The payload that wakes all listeners. */
const EVERYONE = "";

/** The statement that rings. */
export function notify(channel: string, agents: readonly AgentId[]): Statement {
  const names = JSON.stringify(agents);
  const payload = new TextEncoder().encode(names).length <= LONGEST_PAYLOAD_BYTES ? names : EVERYONE;
  const ring = sql`SELECT set_config('synchronous_commit', 'off', true), pg_notify(${channel}, ${payload})`;
  // A lost ring costs only time: every waiter also looks by itself.
  return { ...ring, mayFail: true };
}

const LOOK_EVERY_MS = { hearing: 2000, deaf: 250 } as const;

/** Rings over the store's connections, so it must be closed before them. */
export function openPostgresBell(database: Database): Bell {
  const book = new SubscriptionBook();
  const listener: RingListener = {
    heard: (payload) => wake(book, payload),
    missed: () => book.ringEveryone(),
    isNeeded: () => !book.isEmpty,
  };
  return {
    async ring(agents) {
      try {
        await database.query(notify(database.channel, agents));
      } catch {
        // A lost ring costs only time: every waiter also looks by itself.
      }
    },
    async subscribe(to) {
      // From now on, because the connection is kept for subscriptions only.
      const subscription = book.subscribe(to, () => (database.isHearing ? LOOK_EVERY_MS.hearing : LOOK_EVERY_MS.deaf));
      await database.listen(listener);
      return subscription;
    },
    async close() {
      book.close();
      database.unlisten(listener);
    },
  };
}

function wake(book: SubscriptionBook, payload: string): void {
  if (payload === EVERYONE) return book.ringEveryone();
  const agents = agentsIn(payload);
  return agents === null ? book.ringEveryone() : book.ring(agents);
}

/** Null for the payload of another program, which may mean anything. */
function agentsIn(payload: string): readonly AgentId[] | null {
  try {
    const names: unknown = JSON.parse(payload);
    return Array.isArray(names) && names.every((name) => typeof name === "string") ? (names as AgentId[]) : null;
  } catch {
    // Not JSON, so not ours.
    return null;
  }
}
