/** The built program with a server as its store: what is bundled and minified must still understand the server. */
import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import postgres from "postgres";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { asPerson, CliWorld, PERSON } from "../cli/support/cli-world.ts";

const server = inject("postgresUrl");

if (server === null) process.stderr.write("SKIPPED: the built program on PostgreSQL: there is no server\n");

const AT_ONCE = 12;

/** A database of its own, and a machine on which nothing of ours exists yet. */
async function worldOnServer() {
  const name = `built_${Math.random().toString(36).slice(2)}`;
  const admin = postgres(server as string, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`CREATE DATABASE ${name}`);
  onTestFinished(async () => {
    await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });
  const url = new URL(server as string);
  url.pathname = `/${name}`;
  const world = new CliWorld();
  return { world, url, env: { TT_STORE: url.href, TT_DATA_DIR: undefined } };
}

describe.skipIf(server === null)("on PostgreSQL", () => {
  test("a first turn is taken and given back on a machine where nothing of ours exists yet", async () => {
    const { world, env } = await worldOnServer();
    const taken = await world.tt("try --json", { as: "a:1", env });
    expect([taken.code, taken.json()["status"]]).toEqual([0, "your_turn"]);
    const released = await world.tt(["release", "--status", "done", "--next-action", "none", "--json"], {
      as: "a:1",
      env,
    });
    expect([released.code, released.json()["status"]]).toEqual([0, "released"]);
  });

  test("the line for prompts follows the stick and the mail of the person at this machine", async () => {
    const { world, env } = await worldOnServer();
    const me = `${PERSON}@${hostname()}`;
    const prompt = async () => {
      const { stdout } = await world.done("prompt init claude", { env });
      const { command } = (JSON.parse(stdout) as { statusLine: { command: string } }).statusLine;
      return spawnSync("/bin/sh", ["-c", command], { cwd: world.tree, input: "", encoding: "utf8" }).stdout;
    };
    await asPerson(world, "join", { env });
    await world.done("try", { as: "a:1", env });
    await world.done(["msg", "send", me, "hello"], { as: "a:1", env });
    expect(await prompt()).toBe("stick:a ✉1\n");
    await asPerson(world, "msg recv", { env });
    expect(await prompt()).toBe("stick:a\n");
  });

  test("first joins at one instant all succeed", async () => {
    const { world, env } = await worldOnServer();
    const joins = Array.from({ length: AT_ONCE }, (_, index) => world.tt("join --json", { as: `a:${index}`, env }));
    const outcomes = await Promise.all(joins);
    expect(outcomes.filter(({ code }) => code !== 0).map(({ stderr }) => stderr)).toEqual([]);
    expect(new Set(outcomes.map((outcome) => outcome.json()["room_id"])).size).toBe(1);
  });

  test("a session that has only the MCP server is found, and its server keeps no connection until it is called", async () => {
    const { world, url, env } = await worldOnServer();
    const mcp = world.start("mcp", { as: "bot:1", env, input: null });
    const clientInfo = { name: "test-client", version: "1.0.0" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    mcp.child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    const peers = async () => (await world.done("peers --json", { as: "a:1", env })).stdout;
    await expect.poll(peers).toContain('"bot:1"');
    const sent = await world.done("msg send bot hello --json", { as: "a:1", env });
    expect(sent.json()["deliveries"]).toMatchObject([{ to: "bot:1" }]);
    const watcher = postgres(url.href, { max: 1, onnotice: () => undefined });
    onTestFinished(() => watcher.end());
    const others = () =>
      watcher`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    await expect.poll(async () => (await others()).length).toBe(0);
    mcp.kill("SIGTERM");
    await mcp.ended;
    expect(await peers()).not.toContain('"bot:1"');
  });

  test("agents that wait, listen and follow keep one connection each, and let the holder go on", async () => {
    const { world, url, env } = await worldOnServer();
    await world.done("try", { as: "a:1", env });
    const watcher = postgres(url.href, { max: 1, onnotice: () => undefined });
    onTestFinished(() => watcher.end());
    const start = (name: string, words: string) => {
      const address = new URL(url.href);
      address.searchParams.set("application_name", name);
      return world.start(words, { as: name, env: { ...env, TT_STORE: address.href } });
    };
    const waiting = [
      start("b:2", "wait --timeout 10m"),
      start("c:3", "listen --timeout 10m"),
      start("d:4", "events --follow"),
    ];
    const connections = async () => {
      const rows = await watcher`SELECT application_name AS name FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY 1`;
      return rows.map(({ name }) => String(name)).filter((name) => name !== "talking-stick");
    };
    await expect.poll(async () => new Set(await connections()).size).toBe(waiting.length);
    await expect.poll(async () => (await watcher`SELECT 1 FROM talking_stick.waits`).length).toBe(2);
    await expect.poll(connections).toEqual(["b:2", "c:3", "d:4"]);
    await world.done(["release", "--status", "done", "--next-action", "none"], { as: "a:1", env });
    expect((await waiting[0]?.ended)?.code).toBe(0);
    for (const each of waiting.slice(1)) {
      each.kill("SIGTERM");
      await each.ended;
    }
  });

  test("what the server refuses is told by its code", async () => {
    const { world, url, env } = await worldOnServer();
    url.pathname = "/no_such_database";
    const refused = await world.tt("try --json", { as: "a:1", env: { ...env, TT_STORE: url.href } });
    expect(refused.code).toBe(70);
    expect(refused.error()).toMatchObject({ error: "store_unreachable", sqlstate: "3D000" });
  });
});
