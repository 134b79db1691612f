/**
 * X4. The server of the page runs as a process at a person's terminal, and others speak to it over sockets: pages of other
 * sites and ports, programs without the secret, and programs that only want it to stop.
 */
import { describe, expect } from "vitest";
import { OPERATIONS } from "../../src/surfaces/operations.ts";
import { ANSWER_HEADERS } from "../../src/surfaces/ui/answer-headers.ts";
import { isForPages, onlyLooks } from "../../src/surfaces/ui/page-calls.ts";
import { inParallel } from "../support/in-parallel.ts";
import { PageClient, type RawAnswer } from "../support/page-client.ts";
import { isUsable, pageOf } from "../support/page-scene.ts";
import { headersOf, isOurs, type Row, rowsFor, titleOf } from "../surfaces/ui/request-table.ts";
import { verifies } from "./verifies.ts";

const LEASE = /ttlease_/;
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

  verifies("X4", "a page that may only look changes nothing by any operation", async () => {
    const scene = await pageOf("--read-only");
    const { client, world } = scene;
    const log = async () => (await world.done("events --json --limit 500")).stdout;
    const before = await log();
    const roomId = await world.roomId();
    for (const operation of OPERATIONS) {
      // A wait answers at once, so that it does not have to be sat out.
      const input = { ...("maxWaitMs" in operation.input && { max_wait_ms: 0 }), room_id: roomId };
      const { status, body } = await client.call(operation.name, input);
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
    expect(await world.person(["release", "--status", "done", "--next-action", "go on"])).toContain("Released");
  });
});
