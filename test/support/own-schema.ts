/** A schema of its own on the tests' server, with a connection beside the program's. Both end with the test. */
import postgres from "postgres";
import { onTestFinished } from "vitest";

export function ownSchema(url: string, name: string) {
  const schema = `${name}_${Math.random().toString(36).slice(2)}`;
  const admin = postgres(url, { max: 1, onnotice: () => undefined, connection: { search_path: schema } });
  onTestFinished(async () => {
    await admin.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });
  return { url, schema, admin };
}
