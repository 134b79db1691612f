/** What a PostgreSQL store notes about the machines that use it, and what that costs. */
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { processKey } from "../../src/core/process.ts";
import type { HostRegister } from "../../src/engine/ports/store.ts";
import { openMemory } from "../../src/store/memory/store.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { ownSchema } from "../support/own-schema.ts";
import { fakeClock } from "./fake-clock.ts";

const server = inject("postgresUrl");
if (server === null) process.stderr.write("SKIPPED: machines on PostgreSQL: there is no server\n");

async function openHosts() {
  const { url, schema, admin } = ownSchema(server as string, "hosts");
  const store = await openPostgresStore({ url, schema });
  onTestFinished(() => store.close());
  const age = (seconds: number) => admin.unsafe(`UPDATE hosts SET heard_ms = heard_ms - ${seconds * 1000}`);
  return { admin, hosts: store.hosts as HostRegister, age };
}

const processOn = (host: string, pid: number) => ({
  host,
  bootId: "boot",
  pidNamespace: "pid:1",
  pid,
  startTicks: "1",
});

describe.skipIf(server === null)("a PostgreSQL store", () => {
  test("knows a machine from the first process that stays there, and expects nothing of it after the last one", async () => {
    const { hosts } = await openHosts();
    const [one, two] = [processOn("ada", 1), processOn("ada", 2)];
    expect(await hosts.begin(one, "ada's")).toEqual([]);
    expect(await hosts.begin(two, "ada's laptop")).toEqual([processKey(one)]);
    await hosts.begin(one, "ada's laptop");
    const [known] = await hosts.read();
    expect(known).toMatchObject({ host: "ada", bootId: "boot", name: "ada's laptop", isKept: true });
    expect(known?.heard.epoch).toBe("postgres");
    await hosts.end(one, [processKey(one)]);
    expect(await hosts.read()).toMatchObject([{ isKept: true }]);
    await hosts.end(two, [processKey(two)]);
    expect(await hosts.read()).toMatchObject([{ host: "ada", isKept: false }]);
  });

  test("writes nothing for a renewal while the last one is fresh", async () => {
    const { hosts, admin, age } = await openHosts();
    await hosts.begin(processOn("ada", 1), "ada");
    const version = async () => (await admin`SELECT ctid::text, xmin::text FROM hosts`)[0];
    await hosts.begin(processOn("ada", 2), "ada");
    await age(7);
    const before = await version();
    const heardMsAgo = await hosts.renew(processOn("ada", 2), 10_000);
    expect(heardMsAgo).toBeGreaterThanOrEqual(7000);
    expect(heardMsAgo).toBeLessThan(10_000);
    expect(await version()).toEqual(before);
    await age(4);
    const aged = await version();
    expect(await hosts.renew(processOn("ada", 2), 10_000)).toBe(0);
    expect(await version()).not.toEqual(aged);
    const [row] = await admin`SELECT extract(epoch FROM clock_timestamp()) * 1000 - heard_ms AS age FROM hosts`;
    expect(Number(row?.["age"])).toBeLessThan(10_000);
  });

  test("says at a renewal that the note of the process was lost", async () => {
    const { hosts, admin } = await openHosts();
    const [one, two] = [processOn("ada", 1), processOn("ada", 2)];
    expect(await hosts.renew(one, 10_000)).toBeNull();
    await hosts.begin(one, "ada");
    expect(await hosts.renew(one, 10_000)).not.toBeNull();
    expect(await hosts.renew(two, 10_000)).toBeNull();
    await admin`DELETE FROM host_keepers`;
    expect(await hosts.renew(one, 10_000)).toBeNull();
    await hosts.begin(one, "ada");
    await admin`DELETE FROM hosts`;
    expect(await hosts.renew(one, 10_000)).toBeNull();
  });

  test("tells since when a machine was heard of without a gap", async () => {
    const { hosts, age } = await openHosts();
    const unbroken = async () => (await hosts.read())[0]?.unbroken.ms;
    await hosts.begin(processOn("ada", 1), "ada");
    const since = await unbroken();
    await age(29);
    await hosts.renew(processOn("ada", 1), 10_000);
    expect(await unbroken()).toBe(since);
    await age(31);
    await hosts.renew(processOn("ada", 1), 10_000);
    expect(await unbroken()).toBeGreaterThan(since as number);
  });

  test("forgets a boot that was not heard of for a week, and the processes of a machine that died", async () => {
    const { hosts, admin, age } = await openHosts();
    await hosts.begin(processOn("old", 1), "old");
    await age(8 * 86_400);
    await admin`UPDATE host_keepers SET since_ms = since_ms - 691200000`;
    await hosts.begin(processOn("new", 1), "new");
    expect((await hosts.read()).map(({ host }) => host)).toEqual(["new"]);
    expect((await admin`SELECT host FROM host_keepers`).map((row) => row["host"])).toEqual(["new"]);
  });
});

test("a store that one machine alone uses notes nothing about machines", () => {
  expect(openMemory({ clock: fakeClock() }).store.hosts).toBeUndefined();
});
