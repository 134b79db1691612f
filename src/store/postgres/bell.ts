/**
 * The bell over LISTEN and NOTIFY. From the first subscription on, one connection listens for the whole process. The
 * driver reconnects it by itself. Rings may have been missed meanwhile, so that counts as a ring. If it cannot connect,
 * for example because its role has a single connection, the process looks more often for a while.
 *
 * A ring is a statement of its own, sent right behind the commit, so it costs no round trip. Inside the change's
 * transaction it would make rooms wait for each other's disk writes, because the server lets only one notifying
 * transaction commit at a time. A ring need not be durable and does not wait for the disk.
 */
import postgres from "postgres";
import type { AgentId } from "../../core/ids.ts";
import type { Bell } from "../../engine/ports/bell.ts";
import { type Statement, sql } from "../sql/statement.ts";
import { SubscriptionBook } from "../subscriptions.ts";
import type { Database } from "./database.ts";
import { driverAddress } from "./tls.ts";

/** PostgreSQL takes payloads below 8000 bytes. */
const LONGEST_PAYLOAD_BYTES = 7999;
/** The payload that wakes all listeners. */
const EVERYONE = "";

function channelOf(schema: string): string {
  return `${schema}_bell`;
}

/** The statement that rings. */
export function notify(schema: string, agents: readonly AgentId[]): Statement {
  const names = JSON.stringify(agents);
  const payload = new TextEncoder().encode(names).length <= LONGEST_PAYLOAD_BYTES ? names : EVERYONE;
  const ring = sql`SELECT set_config('synchronous_commit', 'off', true), pg_notify(${channelOf(schema)}, ${payload})`;
  // A lost ring costs only time: every waiter also looks by itself.
  return { ...ring, mayFail: true };
}

const LOOK_EVERY_MS = { listening: 2000, deaf: 250 } as const;
/** A server that has no free connection is not asked again at once. */
const DEAF_FOR_MS = 30_000;

/** Rings over the store's connections, so it must be closed before them. */
export function openPostgresBell(database: Database): Bell {
  const book = new SubscriptionBook();
  const { schema, budgetMs } = database.options;
  let listening: Promise<postgres.Sql | null> | null = null;

  const listen = async (): Promise<postgres.Sql | null> => {
    const { url, ...address } = driverAddress(database.options);
    const listener = postgres(url, {
      ...address,
      max: 1,
      connect_timeout: Math.ceil(budgetMs / 1000),
      onnotice: () => undefined,
      connection: { application_name: "talking-stick bell" },
    });
    try {
      await listener.listen(
        channelOf(schema),
        (payload) => wake(book, payload),
        () => book.ringEveryone(),
      );
      return listener;
    } catch {
      // The bell only makes things faster: a process that cannot listen looks more often. The driver would try until
      // stopped, and so keep this process alive.
      await listener.end({ timeout: 0 }).catch(() => undefined);
      const again = setTimeout(() => {
        listening = null;
      }, DEAF_FOR_MS);
      again.unref();
      return null;
    }
  };

  return {
    async ring(agents) {
      try {
        await database.query(notify(schema, agents));
      } catch {
        // A lost ring costs only time: every waiter also looks by itself.
      }
    },
    async subscribe(to) {
      listening ??= listen();
      const heard = (await listening) !== null;
      return book.subscribe(to, heard ? LOOK_EVERY_MS.listening : LOOK_EVERY_MS.deaf);
    },
    async close() {
      book.close();
      await (await listening)?.end({ timeout: 0 });
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
