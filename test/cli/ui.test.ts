/** `tt ui` as a command: what it says, how it starts the browser, and how it ends. */
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PageWorld } from "../browser/support/page-world.ts";
import { PageClient } from "../support/page-client.ts";

/** A port that another program has. */
async function takenPort(): Promise<number> {
  const other = createServer();
  onTestFinished(() => void other.close());
  await new Promise<void>((resolve) => other.listen({ host: "127.0.0.1", port: 0 }, resolve));
  return (other.address() as AddressInfo).port;
}

/** A browser that writes down what it was started with, and does not end by itself. */
function browserIn(world: PageWorld): { readonly program: string; readonly seen: string } {
  const [program, seen] = [join(world.root, "browser"), join(world.root, "seen")];
  writeFileSync(
    program,
    `#!/bin/sh\necho "$@" > '${seen}.part'\nmv '${seen}.part' '${seen}'\nwhile [ -e '${world.home}' ]; do sleep 0.1; done\n`,
  );
  chmodSync(program, 0o755);
  return { program, seen };
}

/** Starts it at a terminal of the person, with a browser. */
function startUi(world: PageWorld, browser: string) {
  const line = `exec '${process.execPath}' '${world.program}' ui`;
  const env = { TERM: "xterm-256color", NO_COLOR: "1", BROWSER: browser };
  return world.startProgram("script", ["-qefc", line, "/dev/null"], { who: "a person", env, input: null });
}

test("a port that is none, and one that is in use, are refused with what to do", async () => {
  const world = new PageWorld();
  for (const port of ["99999", "0", "-1", "80.5", "x"]) {
    const { code, stderr } = await world.tt(["ui", `--port=${port}`]);
    expect([port, code]).toEqual([port, 2]);
    expect(stderr).toMatch(/Give a number from 1 to 65535|Write --port|Give --port/);
  }
  const port = await takenPort();
  const { code, stderr } = await world.tt(`ui --no-open --port ${port}`);
  expect([code, stderr]).toEqual([
    2,
    `tt: Another program uses port ${port}.\n    Leave out --port: then tt ui takes a free one.\n`,
  ]);
});

test("without a terminal it prints the address, and its page may only look", async () => {
  const world = await PageWorld.with("claude:1");
  const running = world.start("ui --json", { input: null });
  await running.until(({ stdout }) => stdout.includes("\n"));
  const [told] = running.records;
  expect(told).toMatchObject({
    read_only: true,
    address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#secret=[\w-]{43}$/),
  });
  const client = new PageClient(String(told?.["address"]));
  expect(await client.call("pause_room")).toMatchObject({ status: 422, body: { error: "not_authorized" } });
  running.kill("SIGINT");
  expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
});

test("the browser is led to the page by a file that only the user can read, and that is gone afterwards", async () => {
  const world = await PageWorld.with("claude:1");
  const { program, seen } = browserIn(world);
  const running = startUi(world, program);
  await expect.poll(() => existsSync(seen)).toBe(true);
  const path = readFileSync(seen, "utf8").trim().replace("file://", "");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  const address = /url=(http:\S+?)"/.exec(readFileSync(path, "utf8"))?.[1] ?? "";
  const client = new PageClient(address);
  // No list of processes and no terminal shows the secret.
  expect(readFileSync(seen, "utf8")).not.toContain(client.secret);
  await running.until(({ stdout }) => stdout.includes("your browser opens it"));
  expect(running.stdout).not.toContain(client.secret);
  expect(await client.call("list_rooms")).toMatchObject({ status: 200 });
  await expect.poll(() => existsSync(path)).toBe(false);
  running.child.stdin?.write("\u0003");
  expect((await running.ended).code).toBe(0);
  expect(readdirSync(join(world.data, "ui"))).toEqual([]);
});

test("Ctrl-C while the browser is being started ends it, without the file", async () => {
  const world = await PageWorld.with("claude:1");
  const { program, seen } = browserIn(world);
  const running = startUi(world, program);
  await expect.poll(() => existsSync(seen)).toBe(true);
  running.child.stdin?.write("\u0003");
  expect((await running.ended).code).toBe(0);
  expect(readdirSync(join(world.data, "ui"))).toEqual([]);
});

test("Ctrl-C once ends it, with streams, waits and half a request open, and nothing is left behind", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  const before = readdirSync(world.data, { recursive: true }).map(String);
  const server = await world.ui();
  const client = new PageClient(server.address);
  const room = (await world.roomId()) as never;
  const streams = [client.stream({ room }), client.stream({ room }, { read: false }), client.stream()];
  await streams[0]?.until((lines) => lines.some(({ line }) => line === "log"));
  const socket = await client.socket();
  socket.removeAllListeners("error").on("error", () => undefined);
  socket.write("POST /api/list_rooms HTTP/1.1\r\n");
  const wait = client.call("wait_for_events", { room_id: room, target_agent_id: "any" }).catch(() => null);
  server.interrupt();
  expect(await server.ended).toMatchObject({ code: 0 });
  await Promise.all([...streams.map((stream) => stream.ended()), wait]);
  const left = readdirSync(world.data, { recursive: true })
    .map(String)
    .filter((path) => !before.includes(path));
  expect(left.filter((path) => path.startsWith("ui") || path.includes(".tmp"))).toEqual([]);
});

test("a page that may only look shows the first room of all, although it was opened before, and makes no store", async () => {
  const world = new PageWorld();
  const server = await world.ui({ words: "--read-only" });
  const stream = new PageClient(server.address).stream();
  await stream.until((lines) => lines.some((line) => line.line === "rooms" && line.order.length === 0));
  expect(existsSync(world.data)).toBe(false);
  await world.done("join", { as: "claude:1" });
  await stream.until((lines) => lines.some((line) => line.line === "rooms" && line.order.length === 1));
});

test("two at once have ports and secrets of their own, and the end of one is no concern of the other", async () => {
  const world = await PageWorld.with("claude:1");
  const [one, other] = [await world.ui(), await world.ui()];
  const [first, second] = [new PageClient(one.address), new PageClient(other.address)];
  expect([first.port === second.port, first.secret === second.secret]).toEqual([false, false]);
  expect(await first.call("list_rooms")).toMatchObject({ status: 200 });
  await one.end();
  expect(await second.call("list_rooms")).toMatchObject({ status: 200 });
});
