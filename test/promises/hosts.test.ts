/**
 * Several machines, as far as one kernel can be several: each with its own network, processes, name and machine id
 * (host-network.ts). One repository is cloned to two of them.
 */
import { join } from "node:path";
import postgres from "postgres";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { AgentRoom } from "../support/agent-room.ts";
import { ensureDebianPackage, packagedFile } from "../support/ensure-debian-package.ts";
import { bundleFixture } from "../support/fixture.ts";
import { git, makeRepository } from "../support/git-repository.ts";
import { canMakeHosts, HostNetwork, type TestHost } from "../support/host-network.ts";
import { type OwnServer, startPostgres } from "../support/postgres-server.ts";
import { skipUnless } from "../support/privileges.ts";
import { quickPlace } from "../support/quick-place.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

interface Answer {
  readonly room_id?: string;
  readonly project?: string;
  readonly canonical_path?: string;
  readonly sessions?: readonly { readonly agent_id: string; readonly host?: string }[];
  readonly rooms?: readonly { readonly room_id: string; readonly host_name?: string }[];
  readonly messages?: readonly { readonly message_id: string }[];
}

type Tt = (...words: readonly string[]) => Promise<Answer>;

const cannot = inject("postgresUrl") === null || skipUnless(canMakeHosts, "networks and namespaces, to make hosts");

const FAKETIME = "libfaketime";
const canFakeTime = !cannot && ensureDebianPackage(FAKETIME);

function minutesIn(text: string): number {
  return Number(/its lease ends in (\d+)m/.exec(text)?.[1]);
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

async function serverFor(network: HostNetwork, settings: readonly string[] = []): Promise<OwnServer> {
  const server = await startPostgres([...network.serverSettings, ...settings], "", quickPlace(), network.range);
  onTestFinished(() => server.stop());
  return server;
}

describe.skipIf(cannot)("hosts", () => {
  test("each is a machine of its own, and can be cut off, frozen and lost", async () => {
    const network = HostNetwork.open({ atEnd: onTestFinished, program: inject("tt") });
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
    // A process stops and goes on when the kernel next lets it run.
    one.freeze();
    await expect.poll(() => one.statesOfProcesses()).toMatch(/T/);
    one.thaw();
    await expect.poll(() => one.statesOfProcesses()).not.toMatch(/T/);
    await one.die();
    expect(await waits.ended).toMatchObject({ out: "" });
  });

  test("one repository on two machines is two rooms of one project, whose agents find and ask each other", async () => {
    const network = HostNetwork.open({ atEnd: onTestFinished, program: inject("tt") });
    const server = await serverFor(network);
    const store = { TT_STORE: network.reach(server.url) };
    // Two people may call their machines the same.
    const [one, other] = [await network.host({ name: "laptop" }, store), await network.host({ name: "laptop" }, store)];
    const origin = makeRepository(join(temporaryDirectory(), "origin"));
    const sides = [
      { host: one, agent: "agent:ada" },
      { host: other, agent: "agent:bob" },
    ].map(({ host, agent }) => {
      const cwd = join(host.ground.env["HOME"] as string, "app");
      git("/", "clone", "--quiet", origin, cwd);
      git(cwd, "remote", "set-url", "origin", "git@example.org:team/app.git");
      return async (...words: readonly string[]) => {
        const { out, err } = await host.tt([...words, "--json"], { cwd, env: { TT_AGENT_ID: agent } });
        return JSON.parse(out === "" ? err : out) as Answer;
      };
    });
    const [ada, bob] = sides as [Tt, Tt];
    const [hers, his] = [await ada("join"), await bob("join")];
    expect(hers.room_id).not.toBe(his.room_id);
    expect([hers.project, his.project]).toEqual(["example.org/team/app", "example.org/team/app"]);

    // Only a process that stays makes its machine known by name.
    const ears = [
      one.start(["listen", "--json"], { cwd: String(hers.canonical_path), env: { TT_AGENT_ID: "agent:ada" } }),
      other.start(["listen", "--json"], { cwd: String(his.canonical_path), env: { TT_AGENT_ID: "agent:bob" } }),
    ];
    await expect
      .poll(async () => (await ada("peers")).sessions?.map(({ agent_id, host }) => [agent_id, host]))
      .toEqual([
        ["agent:ada", expect.stringMatching(/^laptop \(\w{6}\)$/)],
        ["agent:bob", expect.stringMatching(/^laptop \(\w{6}\)$/)],
      ]);
    const { rooms = [] } = await ada("list");
    expect(rooms.find(({ room_id }) => room_id === hers.room_id)).not.toHaveProperty("host_name");
    expect(rooms.find(({ room_id }) => room_id === his.room_id)?.host_name).toMatch(/^laptop \(\w{6}\)$/);
    const shown = await one.tt(["list"], { cwd: String(hers.canonical_path), env: { TT_AGENT_ID: "agent:ada" } });
    expect(shown.out).toMatch(/app on another machine, laptop \(\w{6}\)\n/);

    const asked = ada("ask", "agent:bob", "which port?", "--timeout", "60s");
    const heard = JSON.parse((await (ears[1] as (typeof ears)[1]).ended).out) as Answer;
    const question = heard.messages?.[0];
    expect(question).toMatchObject({ body: "which port?" });
    await bob("reply", String(question?.message_id), "8080");
    expect(JSON.stringify(await asked)).toContain(`"body":"8080"`);
  });

  test("a machine that died is told by its name wherever its agents are shown, and to their senders", async () => {
    const network = HostNetwork.open({ atEnd: onTestFinished, program: inject("tt") });
    const server = await serverFor(network);
    const bundle = await bundleFixture("test/promises/fixtures/stick-agent.ts");
    onTestFinished(() => bundle.remove());
    const store = { TT_STORE: network.reach(server.url) };
    const image = { machineId: "0123456789abcdef0123456789abcdef", ownBoot: true };
    const here = await network.host({ ...image, name: "here" }, store);
    // An agent of the first works in the same room, one of the second in a clone on another machine.
    const [mates, far] = [
      await network.host({ ...image, name: "mates" }, store),
      await network.host({ name: "far" }, store),
    ];
    for (const { ground } of [here, far]) {
      git(ground.tree, "init", "--quiet");
      git(ground.tree, "remote", "add", "origin", "git@example.org:team/app.git");
    }
    const room = new AgentRoom(bundle, here.ground);
    const elsewhere = new AgentRoom(bundle, far.ground);
    const mate = await room.enter("mate:1", { through: mates.enter });
    await room.take(mate);
    const other = await elsewhere.enter("other:1", { through: far.enter });
    // A holder waits for nothing, so another agent makes its machine known.
    const listener = await room.enter("listener:1", { through: mates.enter });
    for (const [agent, { roomId }] of [
      [listener, room],
      [other, elsewhere],
    ] as const) {
      void agent.call("waitForTurn", { roomId, maxWaitMs: 600_000, claim: false }).catch(() => undefined);
    }
    const env = { TT_AGENT_ID: "agent:me", COLUMNS: "80" };
    here.start(["listen", "--json"], { env: { TT_AGENT_ID: "agent:witness" } });
    const tt = async (...words: readonly string[]) => (await here.tt(words, { env })).out;
    await expect.poll(() => tt("list"), { timeout: 60_000 }).toMatch(/on another machine, far\n/);
    await Promise.all([mates.die(), far.die()]);

    const untilSeen = (look: string, words: RegExp) =>
      expect.poll(async () => inOneLine(await tt(look)), { timeout: 90_000, interval: 2000 }).toMatch(words);
    await untilSeen("list", /on another machine, far \(not heard of for \w+\)/);
    await untilSeen("peers", /on mates \(not heard of for \w+\)/);
    const [board, why, state, peers] = [await tt(), await tt("why"), await tt("state"), await tt("peers")];
    const sent = await tt("msg", "send", "other:1", "are you there?");
    for (const [text, words] of [
      [board, /◐ agent holds turn 1, .* but its machine mates has not been heard of for \w+ /],
      [board, /◐ agent holds the stick, on mates \(not heard of for \w+\)/],
      [why, /^agent holds the stick, but its machine mates has not been heard of for \w+\./],
      [state, /● agent on mates \(not heard of for \w+\)/],
      [peers, /● agent-2 on far \(not heard of for \w+\)/],
      [sent, /agent-2 sees .* Its machine, far, was last heard of \w+ ago: it may be dead or cut off\./],
    ] as const) {
      expect(inOneLine(text)).toMatch(words);
      for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    }
    const answer = JSON.parse(await tt("ask", "mate:1", "and you?", "--timeout", "1s", "--json")) as object;
    expect(answer).toMatchObject({ timed_out: true, host: "mates", host_silent_ms: expect.any(Number) });
    expect(answer).toHaveProperty("next", expect.stringMatching(/^The peer's machine, mates, was last heard of/));
  });

  test.skipIf(!canFakeTime)("machines whose clocks are ten minutes apart tell the same of a lease", async () => {
    const network = HostNetwork.open({ atEnd: onTestFinished, program: inject("tt") });
    const server = await serverFor(network);
    const store = { TT_STORE: network.reach(server.url) };
    const [right, ahead] = [await network.host({ name: "right" }, store), await network.host({ name: "ahead" }, store)];
    const clock = {
      LD_PRELOAD: packagedFile(FAKETIME, "libfaketimeMT.so.1"),
      FAKETIME: "+10m",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    };
    const taken = JSON.parse((await right.tt(["wait", "--json"], { env: { TT_AGENT_ID: "agent:ada" } })).out) as Answer;
    expect(taken).toMatchObject({ status: "your_turn" });
    const [room] = (JSON.parse((await right.tt(["list", "--json"])).out) as Answer).rooms ?? [];
    const seen = async (host: TestHost, env = {}) =>
      (await host.tt(["state", "--room", String(room?.room_id)], { env: { TT_AGENT_ID: "agent:bob", ...env } })).out;
    const [before, between, later] = [await seen(right), await seen(ahead, clock), await seen(right)];
    expect(minutesIn(between)).toBeLessThanOrEqual(minutesIn(before));
    expect(minutesIn(between)).toBeGreaterThanOrEqual(minutesIn(later));
    expect(between).toContain("on another machine");
  });

  test("ten idle machines write at most six times a minute each to be known, and nothing else", async () => {
    const network = HostNetwork.open({ atEnd: onTestFinished, program: inject("tt") });
    const server = await serverFor(network);
    const store = { TT_STORE: network.reach(server.url), TT_WAIT_MAX_MS: "3600000" };
    const hosts = await Promise.all(Array.from({ length: 10 }, (_, n) => network.host({ name: `host-${n}` }, store)));
    for (const [n, host] of hosts.entries()) {
      // Two processes for each: one of them renews.
      for (const agent of [`agent:${n}a`, `agent:${n}b`])
        host.start(["listen", "--json"], { env: { TT_AGENT_ID: agent } });
    }
    const admin = postgres(server.url, {
      max: 1,
      onnotice: () => undefined,
      connection: { search_path: "talking_stick" },
    });
    onTestFinished(() => admin.end({ timeout: 0 }));
    const keepers = async () => Number((await admin`SELECT count(*) FROM host_keepers`.catch(() => []))[0]?.["count"]);
    await expect.poll(keepers).toBe(20);
    const tables = await admin`SELECT tablename FROM pg_tables WHERE schemaname = 'talking_stick'`;
    await admin`CREATE SEQUENCE writes`;
    await admin`CREATE SEQUENCE other_writes`;
    for (const name of ["writes", "other_writes"]) {
      const body = `BEGIN PERFORM nextval('talking_stick.${name}'); RETURN NULL; END`;
      await admin.unsafe(`CREATE FUNCTION count_${name}() RETURNS trigger LANGUAGE plpgsql AS $$${body}$$`);
    }
    for (const { tablename } of tables) {
      const counter = ["hosts", "host_keepers"].includes(String(tablename)) ? "count_writes" : "count_other_writes";
      const event = "AFTER INSERT OR UPDATE OR DELETE";
      await admin.unsafe(`CREATE TRIGGER counted ${event} ON ${tablename} FOR EACH ROW EXECUTE FUNCTION ${counter}()`);
    }
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    const counted = async (name: string) => {
      const [row] = await admin.unsafe(`SELECT last_value, is_called FROM ${name}`);
      return row?.["is_called"] ? Number(row["last_value"]) : 0;
    };
    const [renewals, others] = [await counted("writes"), await counted("other_writes")];
    process.stderr.write(`10 idle machines with 20 processes: ${renewals} writes a minute to be known\n`);
    expect(renewals).toBeGreaterThan(20);
    expect(renewals).toBeLessThanOrEqual(70);
    expect(others).toBe(0);
  });
});
