/**
 * X4 under attack: programs of this machine that want the server of the page to tell something, to end, to keep much, or
 * to serve its page no more.
 */
import type { Socket } from "node:net";
import { describe, expect, onTestFinished } from "vitest";
import { inParallel } from "../support/in-parallel.ts";
import { PageClient } from "../support/page-client.ts";
import { isUsable, memoryOf, pageOf } from "../support/page-scene.ts";
import { figure, verifies } from "./verifies.ts";

const MEGABYTE = 2 ** 20;
/** What a server that is at work may take besides what an attack makes it keep. */
const MOST_GROWTH = 120 * MEGABYTE;

describe("the server of the page under attack", { timeout: 600_000 }, () => {
  verifies("X4", "what is no proper request gets no answer that tells anything, and harms nothing", async () => {
    const scene = await pageOf();
    const { client } = scene;
    const host = `Host: 127.0.0.1:${client.port}\r\n`;
    const call = `POST /api/list_rooms HTTP/1.1\r\n${host}Authorization: Bearer ${client.secret}\r\n`;
    const json = "Content-Type: application/json\r\n";
    const broken = [
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
      // One that the server has already dropped is as good as one that it drops later.
      const socket = await client.socket().catch(() => null);
      if (socket === null) return;
      socket.removeAllListeners("error").on("error", () => undefined);
      socket.resume().write(slow);
      sockets.push(socket);
    });
    await expect.poll(() => sockets.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(128);
    await isUsable(scene);
    const { roomId } = ((await client.call("list_rooms")).body["rooms"] as { roomId: string }[])[0] ?? {};
    for (let index = 0; index < 200; index += 1)
      streams.push(client.stream({ room: roomId as never }, { read: index % 2 === 0 }));
    await inParallel(
      8,
      streams.slice(-8).filter((_, index) => index % 2 === 0),
      (stream) => stream.until((lines) => lines.some(({ line }) => line === "log")),
    );
    const readers = streams.filter((_, index) => index % 2 === 0);
    await expect.poll(() => readers.filter(({ isOver }) => !isOver).length).toBeLessThanOrEqual(32);
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

  verifies("X4", "requests behind each other on one connection are neither kept nor answered", async () => {
    const scene = await pageOf();
    const { client } = scene;
    await isUsable(scene);
    const before = memoryOf(scene);
    const host = `Host: 127.0.0.1:${client.port}\r\n`;
    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    // They never read, so no answer could leave.
    await inParallel(32, Array.from({ length: 128 }), async () => {
      const socket = await client.socket();
      sockets.push(socket);
      socket.removeAllListeners("error").on("error", () => undefined);
      socket.pause().write(`GET /page.js HTTP/1.1\r\n${host}\r\n`.repeat(5000));
    });
    await isUsable(scene);
    expect(memoryOf(scene) - before).toBeLessThan(MOST_GROWTH);
    const call = `POST /api/pause_room HTTP/1.1\r\n${host}Authorization: Bearer ${client.secret}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
    // What hides behind a request without the secret is not run, even if it has one.
    for (const first of [`GET / HTTP/1.1\r\n${host}\r\n`, `POST /api/list_rooms HTTP/1.1\r\n${host}\r\n`])
      await client.raw(`${first}${call}`);
    const { body } = await client.call("get_room_events");
    expect(JSON.stringify(body)).not.toContain("paused");
    await isUsable(scene);
  });

  verifies("X4", "floods of headers, other versions of HTTP, expectations and upgrades gain nothing", async () => {
    const scene = await pageOf();
    const { client } = scene;
    const host = `Host: 127.0.0.1:${client.port}\r\n`;
    const token = `Authorization: Bearer ${client.secret}\r\n`;
    const json = "Content-Type: application/json\r\nContent-Length: 2\r\n";
    const many = "a:\r\n".repeat(1200);
    const refused = [
      `GET / HTTP/1.1\r\n${host}${many}Host: evil.test\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}${many}Origin: http://evil.test\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}${many.repeat(20)}\r\n`,
      "GET / HTTP/1.0\r\n\r\n",
      "GET / HTTP/1.0\r\nHost: evil.test\r\n\r\n",
      `POST /api/list_rooms HTTP/1.0\r\n${host}${json}\r\n{}`,
      `POST /api/list_rooms HTTP/1.1\r\n${host}${json}Expect: 100-continue\r\n\r\n`,
      `POST /api/list_rooms HTTP/1.1\r\n${host}${json}Expect: something\r\n\r\n{}`,
      `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
      `POST /api/stream HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n`,
    ];
    for (const bytes of refused) {
      const answer = await client.raw(bytes);
      expect([bytes.slice(0, 90), answer?.status ?? 403, answer?.body ?? ""]).toEqual([bytes.slice(0, 90), 403, ""]);
    }
    // With the secret they are requests like others: nothing is upgraded.
    for (const [version, more] of [
      ["1.0", ""],
      ["1.1", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n"],
      ["1.1", "Connection: Upgrade\r\nUpgrade: websocket\r\n"],
    ] as const) {
      const answer = await client.raw(`POST /api/list_rooms HTTP/${version}\r\n${host}${token}${json}${more}\r\n{}`);
      expect([more, answer?.status]).toEqual([more, 200]);
    }
    expect(
      await client.raw(`POST /api/list_rooms HTTP/1.1\r\n${host}${token}${json}Expect: 100-continue\r\n\r\n{}`),
    ).toMatchObject({ status: 100, body: expect.stringContaining("200 OK") });
    await isUsable(scene);
  });

  verifies("X4", "input with the secret that is odd in itself is refused by its name", async () => {
    const scene = await pageOf();
    const { client } = scene;
    const deep = "[".repeat(400_000);
    for (const body of [
      `{"room_id":${deep}${"]".repeat(400_000)}}`,
      `{"__proto__":{"room_id":"x"}}`,
      `{"constructor":1}`,
      `{"room_id":"../../etc"}`,
      `{"room_id":{"toString":1}}`,
    ]) {
      const { status } = await client.post("/api/get_room_state", body);
      expect([body.slice(0, 40), status]).toEqual([body.slice(0, 40), 422]);
    }
    await isUsable(scene);
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
