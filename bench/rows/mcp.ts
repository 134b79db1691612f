/** The MCP server beside the least that its SDK can be: start, a durable call, a message between two, memory, size. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { amount, type Figure, median, megabytes, milliseconds } from "../figure.ts";
import { atMost, bounded, type Finding, skipped } from "../finding.ts";
import { nowUs, PACE_MS } from "../marks.ts";
import { type ClientOptions, McpClient } from "../mcp/client.ts";
import { buildPrograms, type Programs } from "../mcp/programs.ts";
import type { Row } from "../row.ts";
import { pause } from "../workers/pause.ts";
import type { Workshop } from "../workshop.ts";

const BODY = "x".repeat(200);
const WARM_UP = 5;

export const mcp: Row = {
  name: "mcp",
  async measure(shop) {
    const programs = await buildPrograms();
    try {
      const { env, tree } = shop.ground({ TT_SEND_RATE_PER_MIN: "0", ...sessionOf("sender") });
      const options = { env, cwd: tree };
      return [
        ...(await starts(shop, programs, options)),
        ...(await messages(shop, programs, options)),
        await memory(shop, programs, options),
        await listSize(programs, options),
      ];
    } finally {
      programs.remove();
    }
  },
};

/** Known as clients are: by the session of the harness that started them. */
function sessionOf(name: string): Readonly<Record<string, string>> {
  return { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: name };
}

async function starts(shop: Workshop, { bare, tt }: Programs, options: ClientOptions): Promise<readonly Finding[]> {
  const times = { bare: [] as number[], ours: [] as number[] };
  const start = async (words: readonly string[]) => {
    const client = new McpClient(words, options);
    const us = await client.readyUs;
    await client.end();
    return us;
  };
  // The first one of each is not like the others: the files come from the disk.
  await start([bare]);
  await start([tt, "mcp"]);
  for (let round = 0; round < shop.scale(40, 4); round += 1) {
    times.bare.push(await start([bare]));
    times.ours.push(await start([tt, "mcp"]));
  }
  const [floor, measured] = [milliseconds(median(times.bare)), milliseconds(median(times.ours))];
  return [atMost({ what: "MCP: spawn → initialize, against the bare SDK, p50", floor, measured }, 1.2)];
}

async function messages(
  shop: Workshop,
  { committing, tt }: Programs,
  options: ClientOptions,
): Promise<readonly Finding[]> {
  const floor = new McpClient([committing, join(shop.directory(), "floor.db")], options);
  const sender = new McpClient([tt, "mcp"], options);
  const reader = new McpClient([tt, "mcp"], { ...options, env: { ...options.env, ...sessionOf("reader") } });
  await sender.call("join_path", {});
  const { agent_id: to } = await reader.call("join_path", {});
  const times = { floor: [] as number[], send: [] as number[], seen: [] as number[] };
  for (let round = 0; round < shop.scale(200, 20) + WARM_UP; round += 1) {
    times.floor.push(await floor.timed("commit", { body: BODY }));
    await pause(PACE_MS);
    times.send.push(await sender.timed("send_message", { to, body: BODY }));
    await pause(PACE_MS);
  }
  await emptied(reader);
  for (let round = 0; round < shop.scale(100, 10) + WARM_UP; round += 1) {
    const seen = untilRead(reader);
    await pause(PACE_MS);
    const startUs = nowUs();
    await sender.call("send_message", { to, body: BODY });
    times.seen.push((await seen) - startUs);
    await pause(PACE_MS);
  }
  await Promise.all([floor, sender, reader].map((client) => client.end()));
  const base = middle(times.floor);
  const what = "MCP: send_message, against the bare SDK and a bare commit, p50";
  return [
    atMost({ what, floor: base, measured: middle(times.send) }, 2),
    atMost(
      { what: "MCP: send_message → wait and read in another server, p50", floor: base, measured: middle(times.seen) },
      null,
    ),
  ];
}

function middle(samples: readonly number[]): Figure {
  return milliseconds(median(samples.slice(WARM_UP)));
}

async function emptied(reader: McpClient): Promise<void> {
  while ((await reader.call("read_my_messages", {}))["count"] !== 0);
}

/** When the reader, which waits for a message, has it in hand. */
async function untilRead(reader: McpClient): Promise<number> {
  const given = { event_type: ["message_sent"], max_wait_ms: 30_000 };
  await reader.call("tt", { operation: "wait_for_events", arguments: given });
  await reader.call("read_my_messages", {});
  return nowUs();
}

async function memory(shop: Workshop, { bare, tt }: Programs, options: ClientOptions): Promise<Finding> {
  const what = "MCP: memory, against the bare SDK";
  if (!existsSync("/proc/self/status")) return skipped(what, "no /proc here");
  const sizes = { bare: [] as number[], ours: [] as number[] };
  for (let round = 0; round < shop.scale(7, 2); round += 1) {
    const floor = new McpClient([bare], options);
    const ours = new McpClient([tt, "mcp"], options);
    for (const client of [floor, ours]) await client.request("tools/list");
    for (let calls = 0; calls < 20; calls += 1) {
      await floor.call("echo", { body: BODY });
      await ours.call("get_room_state", {});
    }
    sizes.bare.push(floor.residentBytes);
    sizes.ours.push(ours.residentBytes);
    await Promise.all([floor.end(), ours.end()]);
  }
  return atMost({ what, floor: megabytes(median(sizes.bare)), measured: megabytes(median(sizes.ours)) }, 1.3);
}

async function listSize({ tt }: Programs, options: ClientOptions): Promise<Finding> {
  const client = new McpClient([tt, "mcp"], options);
  const { tools } = (await client.request("tools/list")) as { tools: unknown };
  await client.end();
  const bytes = Buffer.byteLength(JSON.stringify(tools));
  return bounded("MCP: size of tools/list", amount(bytes, "bytes"), amount(8000, "bytes"));
}
