/** A page's server that runs as a process at a person's terminal, with two agents in its room. */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { type PageServer, PageWorld } from "../browser/support/page-world.ts";
import { PageClient } from "./page-client.ts";

export interface Scene {
  readonly world: PageWorld;
  readonly server: PageServer;
  readonly client: PageClient;
}

export async function pageOf(words = ""): Promise<Scene> {
  const world = await PageWorld.with("claude:1", "codex:2");
  const server = await world.ui({ words });
  return { world, server, client: new PageClient(server.address) };
}

/** Its resident memory. */
export function memoryOf({ server }: Scene): number {
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]);
}

/** The page is there, its operations answer, a stream brings the rooms, and the terminal shows no warning and no bug. */
export async function isUsable({ client, server }: Scene): Promise<void> {
  const page = await client.raw(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${client.port}\r\nConnection: close\r\n\r\n`);
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining("<!doctype html>") });
  expect(await client.call("list_rooms")).toMatchObject({ status: 200, body: { rooms: [{ memberCount: 2 }] } });
  const stream = client.stream();
  await stream.until((lines) => lines.some(({ line }) => line === "rooms"));
  stream.cut();
  const anything = expect.any(String);
  expect(server.shown.trim().split("\n")).toEqual([anything, anything]);
}
