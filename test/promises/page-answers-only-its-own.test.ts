/**
 * X4. The server of the page runs as a process at a person's terminal, and others speak to it over sockets: pages of other
 * sites and ports, programs without the secret, and programs that only want it to stop.
 */
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { describe, expect, onTestFinished } from "vitest";
import { OPERATIONS } from "../../src/surfaces/operations.ts";
import { ANSWER_HEADERS } from "../../src/surfaces/ui/answer-headers.ts";
import { isForPages, onlyLooks } from "../../src/surfaces/ui/page-calls.ts";
import { type PageServer, PageWorld } from "../browser/support/page-world.ts";
import { inParallel } from "../support/in-parallel.ts";
import { PageClient, type RawAnswer } from "../support/page-client.ts";
import { headersOf, isOurs, type Row, rowsFor, titleOf } from "../surfaces/ui/request-table.ts";
import { figure, verifies } from "./verifies.ts";

const LEASE = /ttlease_/;
const MEGABYTE = 2 ** 20;
/** What a server that is at work may take besides what an attack makes it keep. */
const MOST_GROWTH = 120 * MEGABYTE;

interface Scene {
  readonly world: PageWorld;
  readonly server: PageServer;
  readonly client: PageClient;
}

async function pageOf(words = ""): Promise<Scene> {
  const world = await PageWorld.with("claude:1", "codex:2");
  const server = await world.ui({ words });
  return { world, server, client: new PageClient(server.address) };
}

/** Its resident memory. */
function memoryOf({ server }: Scene): number {
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]);
}

/** The page is there, its operations answer, and a stream brings the rooms. */
async function isUsable({ client }: Scene): Promise<void> {
  const page = await client.raw(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${client.port}\r\nConnection: close\r\n\r\n`);
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining("<!doctype html>") });
  expect(await client.call("list_rooms")).toMatchObject({ status: 200, body: { rooms: [{ memberCount: 2 }] } });
  const stream = client.stream();
  await stream.until((lines) => lines.some(({ line }) => line === "rooms"));
  stream.cut();
}

function bytesOf(row: Row): string {
  const { method, target } = row;
  const body = method.value === "POST" ? '{"room":null}' : "";
  const given = target.value === "/api/stream" || body === "" ? body : "{}";
  const headers = [...headersOf(row), ["Content-Type", "application/json"], ["Content-Length", `${given.length}`]];
  return `${method.value} ${target.value} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}Connection: close\r\n\r\n${given}`;
}

describe("the server of the page", { timeout: 600_000 }, () => {
  verifies("X4", "every combination of host, origin, site, method and token", async () => {
    const scene = await pageOf();
    const { client } = scene;
    const rows = [...rowsFor(client)];
    const refusals = new Set<string>();
    const wrong: string[] = [];
    const heads: RawAnswer[] = [];
    await inParallel(32, rows, async (row) => {
      const answer = await client.raw(bytesOf(row));
      if (answer) heads.push(answer);
      if (answer?.status === 403) refusals.add(JSON.stringify(answer));
      if ((answer?.status === 200) !== isOurs(row)) wrong.push(`${answer?.status}: ${titleOf(row)}`);
      if (answer?.status !== 200 && answer?.status !== 403) wrong.push(`${answer?.status}: ${titleOf(row)}`);
    });
    expect(wrong).toEqual([]);
    // No refusal tells by its looks what was wrong.
    expect([...refusals]).toHaveLength(1);
    expect(JSON.parse([...refusals][0] ?? "{}")).toMatchObject({ body: "" });
    expect(heads).toHaveLength(rows.length);
    for (const [name, value] of Object.entries(ANSWER_HEADERS))
      expect(heads.filter(({ headers }) => !headers.includes(`${name}: ${value}`))).toEqual([]);
    expect(heads.filter(({ headers }) => /^(set-cookie|access-control|server|x-powered-by)/im.test(headers))).toEqual(
      [],
    );
    expect(heads.filter(({ body }) => body.includes(client.secret))).toEqual([]);
    await isUsable(scene);
  });

  verifies("X4", "the secret of another run, or of the run before on the same port", async () => {
    const scene = await pageOf();
    const { world, server, client } = scene;
    const other = new PageClient((await world.ui()).address);
    expect(other.secret).not.toBe(client.secret);
    const stranger = new PageClient(`http://127.0.0.1:${client.port}/#secret=${other.secret}`);
    expect(await stranger.call("list_rooms")).toEqual({ status: 403, body: {} });
    await server.end();
    const next = new PageClient((await world.ui({ words: `--port ${client.port}` })).address);
    expect(next.port).toBe(client.port);
    expect(await client.call("list_rooms")).toEqual({ status: 403, body: {} });
    expect(await next.call("list_rooms")).toMatchObject({ status: 200 });
  });

  verifies("X4", "no path leads to another file, however it is written", async () => {
    const scene = await pageOf();
    const { client } = scene;
    const ways = [
      "/..%2f..%2fetc/passwd",
      "/../../../../etc/passwd",
      "/%2e%2e/index.html",
      "/page/../page.js",
      "/tt.cjs",
    ];
    const more = [
      "//etc/passwd",
      "/./page.js",
      "/page.js%00",
      "/page.js?",
      "/page.js#",
      "file:///etc/passwd",
      "\\page.js",
    ];
    const others = [
      `${client.origin}/page.js`,
      "/index.html",
      "/api",
      "/api/",
      "/api/stream/",
      "/api/%6cist_rooms",
      "*",
    ];
    for (const target of [...ways, ...more, ...others])
      for (const method of ["GET", "POST", "HEAD"]) {
        const host = `Host: 127.0.0.1:${client.port}\r\nAuthorization: Bearer ${client.secret}\r\n`;
        const answer = await client.raw(`${method} ${target} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
        expect([method, target, answer?.status ?? 403, answer?.body ?? ""]).toEqual([method, target, 403, ""]);
      }
    await isUsable(scene);
  });

  verifies("X4", "what is no proper request gets no answer that tells anything, and harms nothing", async () => {
    const scene = await pageOf();
    const { client } = scene;
    const host = `Host: 127.0.0.1:${client.port}\r\n`;
    const call = `POST /api/list_rooms HTTP/1.1\r\n${host}Authorization: Bearer ${client.secret}\r\n`;
    const json = "Content-Type: application/json\r\n";
    const broken = [
      "\r\n\r\n",
      "GET /\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n",
      `GET / HTTP/3.0\r\n${host}\r\n`,
      `GET / HTTP/1.1\r\n${host}Host: evil.test\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}X: ${"a".repeat(100_000)}\r\n\r\n`,
      `CONNECT evil.test:80 HTTP/1.1\r\n${host}\r\n`,
      `\u0016\u0003\u0001\u0002${"\u0000".repeat(600)}`,
      `${call}${json}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${call}${json}Content-Length: 2\r\nContent-Length: 5\r\n\r\n{}`,
      `GET / HTTP/1.1\r\n${host}Upgrade: websocket\r\nConnection: Upgrade\r\nOrigin: http://evil.test\r\n\r\n`,
    ];
    for (const bytes of broken) {
      const answer = await client.raw(bytes);
      expect([bytes.slice(0, 60), answer?.status ?? 403, answer?.body ?? ""]).toEqual([bytes.slice(0, 60), 403, ""]);
    }
    const noJson = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""].map((type) =>
      client.post("/api/list_rooms", "{}", { "Content-Type": type }),
    );
    expect((await Promise.all(noJson)).map(({ status }) => status)).toEqual([415, 415, 415, 415]);
    const zipped = await client.post("/api/list_rooms", "{}", { "Content-Encoding": "gzip" });
    expect(zipped.status).toBe(415);
    for (const body of ["", "null", "[]", "1", '"text"', "{", '{"a":1}{"b":2}', "\ud800"])
      expect([body, (await client.post("/api/list_rooms", body)).status]).toEqual([body, 400]);
    for (const wanted of [{ room: 7 }, { afterSeq: -1 }, { afterSeq: 1.5 }, { afterSeq: "1" }, { room: ["a"] }])
      expect([wanted, (await client.post("/api/stream", JSON.stringify(wanted))).status]).toEqual([wanted, 400]);
    await isUsable(scene);
  });

  verifies("X4", "a body of 100 MB is kept by nobody, with the secret or without", async () => {
    const scene = await pageOf();
    const { client } = scene;
    await isUsable(scene);
    const before = memoryOf(scene);
    const stranger = new PageClient(`${client.origin}/#secret=wrong`);
    for (const [one, status] of [
      [client, 413],
      [stranger, 403],
    ] as const) {
      for (const length of ["Content-Length: 104857600", "Transfer-Encoding: chunked"]) {
        const answer = await tooMuch(one, length);
        // A server that does not read on may close the line before its answer was seen.
        expect([status, null]).toContain(answer);
      }
    }
    expect(memoryOf(scene) - before).toBeLessThan(MOST_GROWTH);
    await isUsable(scene);
  });

  verifies("X4", "a thousand slow connections and two hundred streams leave it usable and small", async () => {
    const scene = await pageOf();
    const { client } = scene;
    await isUsable(scene);
    const before = memoryOf(scene);
    const sockets: Socket[] = [];
    const streams: ReturnType<PageClient["stream"]>[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      for (const stream of streams) stream.cut();
    });
    const slow = `POST /api/list_rooms HTTP/1.1\r\nHost: 127.0.0.1:${client.port}\r\nX-Slow: `;
    await inParallel(50, Array.from({ length: figure(1000, 5000) }), async () => {
      const socket = await client.socket().catch(() => null);
      if (socket === null) return;
      socket.removeAllListeners("error").on("error", () => undefined);
      socket.write(slow);
      sockets.push(socket);
    });
    await isUsable(scene);
    const { roomId } = ((await client.call("list_rooms")).body["rooms"] as { roomId: string }[])[0] ?? {};
    for (let index = 0; index < 200; index += 1)
      streams.push(client.stream({ room: roomId as never }, { read: index % 2 === 0 }));
    await inParallel(
      8,
      streams.slice(-8).filter((_, index) => index % 2 === 0),
      (stream) => stream.until((lines) => lines.some(({ line }) => line === "log")),
    );
    // Strangers close no stream of the page.
    const own = client.stream({ room: roomId as never });
    await own.until((lines) => lines.some(({ line }) => line === "log"));
    await inParallel(50, Array.from({ length: 500 }), async () => {
      const socket = await client.socket().catch(() => null);
      socket?.removeAllListeners("error").on("error", () => undefined);
      if (socket) sockets.push(socket);
    });
    expect(own.isOver).toBe(false);
    await scene.world.done(["msg", "send", "room", "still there?"], { as: "codex:2" });
    await own.until((lines) => JSON.stringify(lines).includes("still there?"));
    await isUsable(scene);
    expect(memoryOf(scene) - before).toBeLessThan(MOST_GROWTH);
  });

  verifies("X4", "a page that may only look changes nothing by any operation", async () => {
    const scene = await pageOf("--read-only");
    const { client, world } = scene;
    const log = async () => (await world.done("events --json --limit 500")).stdout;
    const before = await log();
    for (const operation of OPERATIONS) {
      const { status, body } = await client.call(operation.name, { room_id: await world.roomId() });
      const { name } = operation;
      if (!isForPages(operation)) expect([name, status]).toEqual([name, 403]);
      else if (onlyLooks(operation)) expect([name, body["error"]]).not.toEqual([name, "not_authorized"]);
      else expect([name, status, body["error"]]).toEqual([name, 422, "not_authorized"]);
    }
    expect(await log()).toBe(before);
  });

  verifies("X4", "no answer and no line has what proves a turn", async () => {
    const { client, world } = await pageOf();
    const room = { room_id: await world.roomId() };
    const stream = client.stream({ room: room.room_id as never });
    const taken = await client.call("wait_for_turn", { ...room, max_wait_ms: 0 });
    expect(taken).toMatchObject({ status: 200, body: { status: "your_turn", turnId: 1 } });
    const asked = [
      "get_room_state",
      "list_turns",
      "show_turn",
      "get_room_events",
      "list_rooms",
      "list_project_sessions",
    ];
    const answers = await Promise.all(asked.map((name) => client.call(name, room)));
    await stream.until((lines) => lines.some((line) => line.line === "log" && line.events.length > 0));
    expect(JSON.stringify([taken, answers, stream.lines])).not.toMatch(LEASE);
    stream.cut();
    // The person's own terminal knows the turn, and gives it back.
    expect(await world.person(["release", "--status", "done", "--next-action", "go on"])).toContain("1");
  });
});

/** The status, or null if the line was closed before one came. The body is sent for as long as the server takes it. */
async function tooMuch(client: PageClient, length: string): Promise<number | null> {
  const socket = await client.socket();
  const head = `POST /api/list_rooms HTTP/1.1\r\nHost: 127.0.0.1:${client.port}\r\nAuthorization: Bearer ${client.secret}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
  const block = Buffer.alloc(MEGABYTE, "a");
  const isChunked = length.startsWith("Transfer");
  return new Promise((resolve) => {
    let answer = "";
    let sent = 0;
    const over = () => {
      socket.destroy();
      const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1];
      resolve(status === undefined ? null : Number(status));
    };
    const more = () => {
      while (sent < 100 && !socket.destroyed) {
        sent += 1;
        if (isChunked) socket.write(`${block.length.toString(16)}\r\n`);
        socket.write(block);
        if (!socket.write(isChunked ? "\r\n" : "")) return void socket.once("drain", more);
      }
    };
    socket.removeAllListeners("error").on("error", over).on("close", over);
    socket.on("data", (text: Buffer) => {
      answer += text.toString("latin1");
    });
    socket.write(head);
    more();
  });
}
