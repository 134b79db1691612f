import type { TestProject } from "vitest/node";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";
import { quickPlace } from "./quick-place.ts";

/**
 * One PostgreSQL server for the whole run, however many projects ask for it. Each project loads its own copy of
 * this module, so what they share hangs on globalThis. TT_TEST_POSTGRES names a server to use instead.
 * A suite reads the address with `inject("postgresUrl")`; null means that there is no server, and the reason
 * has been printed.
 */
declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string | null;
  }
}

interface SharedServer {
  users: number;
  server: Promise<PostgresServer | null>;
}

const shared = globalThis as { talkingStickPostgres?: SharedServer };

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.talkingStickPostgres ??= { users: 0, server: openServer() };
  const handle = shared.talkingStickPostgres;
  handle.users += 1;
  const server = await handle.server;
  project.provide("postgresUrl", server?.url ?? null);
  return async () => {
    handle.users -= 1;
    if (handle.users > 0) return;
    delete shared.talkingStickPostgres;
    await server?.stop();
  };
}

async function openServer(): Promise<PostgresServer | null> {
  const given = process.env["TT_TEST_POSTGRES"];
  if (given) return { url: given, stop: async () => {} };
  try {
    return await startPostgres([], "", quickPlace());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`\nSKIPPED: PostgreSQL suites: ${reason}\n`);
    return null;
  }
}
