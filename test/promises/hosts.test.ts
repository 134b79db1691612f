/**
 * Several machines, as far as one kernel can be several: each with its own network, processes, name and machine id
 * (host-network.ts). One repository is cloned to two of them.
 */
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { canMakeHosts, HostNetwork, type TestHost } from "../support/host-network.ts";
import { type OwnServer, startPostgres } from "../support/postgres-server.ts";
import { skipUnless } from "../support/privileges.ts";
import { quickPlace } from "../support/quick-place.ts";

const cannot = inject("postgresUrl") === null || skipUnless(canMakeHosts, "networks and namespaces, to make hosts");

async function serverFor(network: HostNetwork, settings: readonly string[] = []): Promise<OwnServer> {
  const server = await startPostgres([...network.serverSettings, ...settings], "", quickPlace(), network.range);
  onTestFinished(() => server.stop());
  return server;
}

describe.skipIf(cannot)("hosts", () => {
  test("each is a machine of its own, and can be cut off, frozen and lost", async () => {
    const network = HostNetwork.open();
    const server = await serverFor(network);
    const store = { TT_STORE: network.reach(server.url) };
    const [one, other] = [await network.host({ name: "one" }, store), await network.host({ name: "other" }, store)];
    const look = "hostname; cat /etc/machine-id; ls -d /proc/[0-9]* | wc -l; readlink /proc/self/ns/net";
    const seen = (host: TestHost) => host.read(look).split("\n");
    const [ofOne, ofOther] = [seen(one), seen(other)];
    expect([ofOne[0], ofOther[0]]).toEqual(["one", "other"]);
    expect(ofOne[1]).not.toBe(ofOther[1]);
    expect(Number(ofOne[2])).toBeLessThan(10);
    expect(ofOne[3]).not.toBe(ofOther[3]);

    const env = { TT_AGENT_ID: "agent:a" };
    expect(await one.tt(["join", "--json"], { env })).toMatchObject({ code: 0 });
    one.cut();
    expect((await one.tt(["list", "--json"], { env })).err).toContain("store_unreachable");
    expect(await other.tt(["join", "--json"], { env })).toMatchObject({ code: 0 });
    one.mend();
    expect(await one.tt(["list", "--json"], { env })).toMatchObject({ code: 0 });
    const waits = one.start(["listen", "--json"], { env });
    expect(one.statesOfProcesses()).not.toMatch(/T/);
    one.freeze();
    expect(one.statesOfProcesses()).toMatch(/T/);
    one.thaw();
    expect(one.statesOfProcesses()).not.toMatch(/T/);
    await one.die();
    expect(await waits.ended).toMatchObject({ out: "" });
  });
});
