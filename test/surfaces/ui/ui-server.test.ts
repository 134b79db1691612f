/** How the page's server treats connections: one request at a time, and an end that no page can hold up. */
import { expect, test } from "vitest";
import { groundAt } from "../../support/sqlite-world.ts";
import { quickDirectory } from "../../support/temporary-directory.ts";
import { serve, talkers } from "./served.ts";

const LARGE = Buffer.alloc(30 * 2 ** 20, "a");
const served = (options: Parameters<typeof serve>[1] = {}) => serve(groundAt(quickDirectory()), options);

/** The first bytes of a request with the secret. */
const head = ({ port, secret }: { readonly port: number; readonly secret: string }, target = "/api/list_rooms") =>
  `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\n`;

test("one connection is used for many requests, one after the other", async () => {
  const { client } = await served();
  const socket = await client.socket();
  let text = "";
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString("latin1");
  });
  const answers = () => text.match(/HTTP\/1\.1 200 OK/g)?.length ?? 0;
  for (let index = 1; index <= 20; index += 1) {
    socket.write(`${head(client)}Content-Length: 2\r\n\r\n{}`);
    await expect.poll(answers, { interval: 1 }).toBe(index);
  }
  socket.destroy();
});

test("a request behind one that is not answered yet ends the connection, and is not run", async () => {
  const asked: string[] = [];
  let isCancelled = false;
  const { client } = await served({
    answer: (operation, cancel) => {
      asked.push(operation);
      return new Promise((resolve) =>
        cancel.addEventListener("abort", () => {
          isCancelled = true;
          resolve({ isRefused: false, body: {}, mail: null });
        }),
      );
    },
  });
  const call = (name: string) => `${head(client, `/api/${name}`)}Content-Length: 2\r\n\r\n{}`;
  expect(await client.raw(`${call("list_rooms")}${call("pause_room")}`)).toBeNull();
  expect(asked.filter((name) => name !== "list_rooms")).toEqual([]);
  await expect.poll(() => asked.length === 0 || isCancelled).toBe(true);
});

test("what a page gives up is cancelled", async () => {
  let cancelled: (() => void) | null = null;
  const isCancelled = new Promise<void>((resolve) => {
    cancelled = resolve;
  });
  const { client } = await served({
    answer: (_, cancel) =>
      new Promise((resolve) =>
        cancel.addEventListener("abort", () => {
          cancelled?.();
          resolve({ isRefused: false, body: {}, mail: null });
        }),
      ),
  });
  const socket = await client.socket();
  socket.write(`${head(client)}Content-Length: 2\r\n\r\n{}`);
  await new Promise(setImmediate);
  socket.destroy();
  await isCancelled;
});

test("a bug in one answer is told in one sentence without its cause, and the server goes on", async () => {
  const { client, bugs } = await served({
    answer: async (operation) => {
      if (operation === "list_rooms") throw new Error("secret cause");
      return { isRefused: false, body: { operation }, mail: null };
    },
  });
  const { status, body } = await client.call("list_rooms");
  expect([status, body["error"], JSON.stringify(body).includes("secret cause")]).toEqual([500, "bug", false]);
  expect(bugs.map(String)).toEqual(["Error: secret cause"]);
  expect(await client.call("list_notes")).toEqual({ status: 200, body: { operation: "list_notes" } });
});

test("no page holds up the end: neither by a stream, nor by half a request, nor by an answer that it does not read", async () => {
  const { ground, room } = await talkers();
  const mail = { confirmed: 0, back: 0 };
  const inFlight = {
    confirm: async () => void (mail.confirmed += 1),
    extend: async () => undefined,
    giveBack: async () => void (mail.back += 1),
    inflightTimeoutMs: Number.POSITIVE_INFINITY,
    moreIsReady: false,
  };
  const { client, end, bugs } = await serve(ground, {
    answer: async () => ({ isRefused: false, body: { large: LARGE.toString("latin1") }, mail: inFlight }),
    files: { "/large": LARGE },
  });
  const streams = [client.stream({ room }), client.stream({ room }, { read: false }), client.stream()];
  await streams[0]?.until((lines) => lines.some(({ line }) => line === "log"));
  const halves = [
    "",
    "POST",
    `${head(client)}Content-Length: 100\r\n\r\n{`,
    `${head(client)}Content-Length: 2\r\n\r\n{}`,
    `${head(client)}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
    `GET /large HTTP/1.1\r\nHost: 127.0.0.1:${client.port}\r\n\r\n`,
  ];
  const closed = halves.map(async (bytes) => {
    const socket = await client.socket();
    const over = new Promise((resolve) => socket.on("close", resolve));
    socket.removeAllListeners("error").on("error", () => undefined);
    socket.pause().write(bytes);
    return { socket, over };
  });
  const all = await Promise.all(closed);
  // All have arrived when a request that comes after them is answered.
  expect(
    (await client.raw(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${client.port}\r\nConnection: close\r\n\r\n`))?.status,
  ).toBe(200);
  await end();
  for (const { socket } of all) socket.resume();
  await Promise.all([...all.map(({ over }) => over), ...streams.map((stream) => stream.ended())]);
  // An answer that did not leave leaves its mail behind.
  expect(mail).toEqual({ confirmed: 0, back: 1 });
  expect(bugs).toEqual([]);
});

test("a request that comes while the server ends is not answered, and harms nothing", async () => {
  let finish: (() => void) | null = null;
  const { client, end, bugs } = await served({
    // A change of the store is finished, though its page has gone.
    answer: () =>
      new Promise((resolve) => {
        finish = () => resolve({ isRefused: false, body: {}, mail: null });
      }),
  });
  const [busy, idle] = [await client.socket(), await client.socket()];
  for (const socket of [busy, idle]) socket.removeAllListeners("error").on("error", () => undefined);
  busy.write(`${head(client)}Content-Length: 2\r\n\r\n{}`);
  await expect.poll(() => finish, { interval: 1 }).not.toBeNull();
  const over = new Promise((resolve) => idle.on("close", resolve));
  const ended = end();
  idle.write(`${head(client)}Content-Length: 2\r\n\r\n{}`);
  await over;
  (finish as (() => void) | null)?.();
  await ended;
  expect(bugs).toEqual([]);
});
