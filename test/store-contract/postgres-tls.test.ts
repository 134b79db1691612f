/** A real server with certificates of the test's own: which connections are encrypted, and which servers they trust. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { readStoreAuthority } from "../../src/platform/settings/store-authority.ts";
import { openPostgres, openPostgresStore } from "../../src/store/postgres/open.ts";
import { type Certificates, hasOpenssl, makeCertificates } from "../support/certificates.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { skipUnless } from "../support/privileges.ts";

const possible = !skipUnless(hasOpenssl && inject("postgresUrl") !== null, "openssl and a PostgreSQL server");

describe.skipIf(!possible)("TLS", () => {
  const root = mkdtempSync(join(tmpdir(), "tt-tls-"));
  let server: PostgresServer;
  let made: Certificates;

  beforeAll(async () => {
    made = makeCertificates(root, { "server.crt": "DNS:localhost", "ip.crt": "IP:127.0.0.1" });
    server = await startPostgres([], made.directory);
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(root, { recursive: true, force: true });
  });

  /** How a client knows the server, with further parameters of the address. */
  function serverAt(host: string, parameters: Readonly<Record<string, string>>) {
    const url = new URL(server.url);
    url.hostname = host;
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return { url: url.href, authority: readStoreAuthority(url.href) };
  }

  /** Opens the store at once. */
  async function open(parameters: Readonly<Record<string, string>>) {
    return openPostgresStore({ ...serverAt("127.0.0.1", parameters), schema: "tls_refused" });
  }

  /** Whether the store's connections are encrypted, or the code of the fault. */
  async function outcomeOf(host: string, parameters: Readonly<Record<string, string>>): Promise<string> {
    const schema = `tls_${Math.random().toString(36).slice(2)}`;
    try {
      const store = await openPostgresStore({ ...serverAt(host, parameters), schema });
      try {
        return (await encryptedFor("talking-stick")) ? "encrypted" : "plain";
      } finally {
        await store.close();
        await closed("talking-stick");
      }
    } catch (error) {
      return (error as { code?: string }).code ?? String(error);
    }
  }

  async function admin<Row extends object>(statement: string): Promise<readonly Row[]> {
    const sql = postgres(server.url, { max: 1, onnotice: () => undefined });
    try {
      return (await sql.unsafe(statement)) as unknown as readonly Row[];
    } finally {
      await sql.end();
    }
  }

  /** The server notices a little later that a client has gone. */
  async function closed(application: string): Promise<void> {
    const query = `SELECT 1 FROM pg_stat_activity WHERE application_name = '${application}'`;
    await expect.poll(async () => (await admin(query)).length).toBe(0);
  }

  async function encryptedFor(application: string): Promise<boolean> {
    const rows = await admin<{ ssl: boolean }>(
      `SELECT s.ssl FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE a.application_name = '${application}'`,
    );
    expect(rows.length).toBeGreaterThan(0);
    return rows.every(({ ssl }) => ssl);
  }

  async function useCertificate(name: string): Promise<void> {
    await admin(`ALTER SYSTEM SET ssl_cert_file = '${name}'`);
    await admin("SELECT pg_reload_conf()");
    // The server takes it when it has read the signal.
    await expect
      .poll(async () => (await admin<{ file: string }>("SELECT current_setting('ssl_cert_file') AS file"))[0]?.file)
      .toBe(name);
  }

  test("a certificate with a name is accepted for that name, and not for an address", async () => {
    await useCertificate("server.crt");
    const full = { sslmode: "verify-full", sslrootcert: made.authority };
    expect(await outcomeOf("localhost", full)).toBe("encrypted");
    expect(await outcomeOf("127.0.0.1", full)).toBe("store_unsafe");
    expect(await outcomeOf("127.0.0.1", { ...full, sslmode: "verify-ca" })).toBe("encrypted");
  });

  test("a certificate with an address is accepted for that address, and not for a name", async () => {
    await useCertificate("ip.crt");
    const full = { sslmode: "verify-full", sslrootcert: made.authority };
    expect(await outcomeOf("127.0.0.1", full)).toBe("encrypted");
    expect(await outcomeOf("localhost", full)).toBe("store_unsafe");
    // An authority without a mode asks for all that it can prove.
    expect(await outcomeOf("127.0.0.1", { sslrootcert: made.authority })).toBe("encrypted");
    expect(await outcomeOf("localhost", { sslrootcert: made.authority })).toBe("store_unsafe");
  });

  test("a server that another authority vouches for is refused, and none is trusted by default", async () => {
    for (const sslmode of ["verify-full", "verify-ca", "require"])
      expect([sslmode, await outcomeOf("127.0.0.1", { sslmode, sslrootcert: made.stranger })]).toEqual([
        sslmode,
        "store_unsafe",
      ]);
    expect(await outcomeOf("127.0.0.1", { sslmode: "verify-full" })).toBe("store_unsafe");
  });

  test("without a word about TLS nothing is encrypted; with require everything is, with any server", async () => {
    expect(await outcomeOf("127.0.0.1", {})).toBe("plain");
    expect(await outcomeOf("127.0.0.1", { sslmode: "disable" })).toBe("plain");
    for (const sslmode of ["require", "prefer", "allow"])
      expect([sslmode, await outcomeOf("127.0.0.1", { sslmode })]).toEqual([sslmode, "encrypted"]);
  });

  test("the connection that hears rings is encrypted", async () => {
    await useCertificate("ip.crt");
    const verified = serverAt("127.0.0.1", { sslmode: "verify-full", sslrootcert: made.authority });
    const { store, bell } = await openPostgres({ ...verified, schema: "tls_bell" });
    onTestFinished(async () => {
      await bell.close();
      await store.close();
    });
    const subscription = await bell.subscribe("all");
    expect(subscription.lookEveryMs).toBe(2000);
    expect(await encryptedFor("talking-stick")).toBe(true);
    subscription.close();
  });

  test("an authority that cannot be read, and a mode that is not known, are refused by name", async () => {
    const missing = join(root, "missing.crt");
    await expect(open({ sslmode: "verify-full", sslrootcert: missing })).rejects.toMatchObject({
      code: "store_unsafe",
      message: expect.stringContaining(missing),
    });
    await expect(open({ sslrootcert: "authority.crt" })).rejects.toMatchObject({
      code: "store_unsafe",
      message: expect.stringContaining("absolute"),
    });
    await expect(open({ sslmode: "verify" })).rejects.toMatchObject({
      code: "store_unsafe",
      next: expect.stringContaining("verify-full"),
    });
  });

  test("a server without TLS is refused by a client that demands it", async () => {
    const url = new URL(inject("postgresUrl") as string);
    url.searchParams.set("sslmode", "require");
    await expect(openPostgresStore({ url: url.href, schema: "tls_none" })).rejects.toMatchObject({
      code: "store_unreachable",
      message: expect.stringContaining("TLS"),
      next: expect.stringContaining("ssl = on"),
    });
    url.searchParams.set("sslmode", "prefer");
    const store = await openPostgresStore({ url: url.href, schema: "tls_none" });
    await store.close();
  });
});
