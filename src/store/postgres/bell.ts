/**
 * The bell over LISTEN and NOTIFY. One connection listens for the whole process, from the first subscription on;
 * the driver reconnects it by itself, and since rings may have been missed meanwhile, that counts as a ring.
 *
 * A ring is a statement of its own, after the commit it tells of. Inside the change's transaction it would make
 * rooms wait for each other's disk writes, because the server lets only one notifying transaction commit at a time.
 * The store sends it right behind the commit instead, so it costs no round trip. The ring itself need not be
 * durable and does not wait for the disk.
 */
import postgres from "postgres";
import type { AgentId } from "../../domain/ids.ts";
import type { Bell } from "../../ports/bell.ts";
import { SubscriptionBook } from "../subscriptions.ts";
import type { Database } from "./database.ts";
import { channelOf, EVERYONE, notify } from "./notify.ts";

const LOOK_EVERY_MS = { listening: 2000, deaf: 250 } as const;

/** Rings over the store's connections, so it must be closed before them. */
export function openPostgresBell(database: Database): Bell {
  const book = new SubscriptionBook();
  const { url, schema, budgetMs } = database.options;
  const listener = postgres(url, {
    max: 1,
    connect_timeout: Math.ceil(budgetMs / 1000),
    onnotice: () => undefined,
    connection: { application_name: "talking-stick bell" },
  });
  let listening: Promise<boolean> | null = null;

  const listen = async (): Promise<boolean> => {
    try {
      await listener.listen(
        channelOf(schema),
        (payload) => wake(book, payload),
        () => book.ringEveryone(),
      );
      return true;
    } catch {
      // The bell only makes things faster: whoever cannot listen looks more often, and the next one tries again.
      listening = null;
      return false;
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
      const heard = await listening;
      return book.subscribe(to, heard ? LOOK_EVERY_MS.listening : LOOK_EVERY_MS.deaf);
    },
    async close() {
      book.close();
      await listener.end({ timeout: 0 });
    },
  };
}

function wake(book: SubscriptionBook, payload: string): void {
  if (payload === EVERYONE) return book.ringEveryone();
  const agents = agentsIn(payload);
  return agents === null ? book.ringEveryone() : book.ring(agents);
}

/** Null for a payload of another program, which may mean anything. */
function agentsIn(payload: string): readonly AgentId[] | null {
  try {
    const names: unknown = JSON.parse(payload);
    return Array.isArray(names) && names.every((name) => typeof name === "string") ? (names as AgentId[]) : null;
  } catch {
    // Not JSON, so not ours.
    return null;
  }
}
