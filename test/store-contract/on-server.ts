/** What the store contract needs of a store in a schema of its own on a server. */
import type { Store } from "../../src/engine/ports/store.ts";
import type { ownSchema } from "../support/own-schema.ts";

export async function onServer(
  { schema, admin }: Pick<ReturnType<typeof ownSchema>, "schema" | "admin">,
  url: string,
  open: () => Promise<Store>,
) {
  return {
    store: await open(),
    again: open,
    sql: async (statement: string) => {
      await admin.unsafe(statement);
    },
    newerSchema: {
      shared: "UPDATE schema_version SET version = 99, oldest_writer = 9",
      theirs: "UPDATE schema_version SET version = 99, oldest_writer = 99",
    },
    location: { kind: "postgres", url, schema } as const,
    // Every other test on the server moves it too.
    markIsOurs: false,
  };
}
