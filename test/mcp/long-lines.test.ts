import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { BareServer } from "./support/bare-server.ts";
import { McpWorld } from "./support/mcp-world.ts";

const MB = 1024 * 1024;

/** Writes a request of so many megabytes, as fast as the server reads. */
async function writeLong(server: BareServer, id: number, megabytes: number): Promise<void> {
  const { stdin } = server.child;
  if (!stdin) throw new Error("the server has no input");
  const head = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"add_note","arguments":{"body":"`;
  stdin.write(head);
  const piece = "x".repeat(MB);
  for (let count = 0; count < megabytes; count += 1) if (!stdin.write(piece)) await once(stdin, "drain");
  stdin.write('"}}}\n');
}

function peakMegabytes(pid: number): number {
  const [, kilobytes = ""] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

it("a line that is too long is answered with an error, and the next one as always", async () => {
  const server = new McpWorld().startServer("a:1");
  await server.initialize();
  await writeLong(server, 1001, 11);
  const refused = await server.answerTo(1001);
  expect(refused).toMatchObject({ jsonrpc: "2.0", error: { code: -32_600 } });
  server.write(`${"y".repeat(11 * MB)}\n`);
  const { isError, answer } = await server.resultOf(server.callTool("get_my_session"));
  expect([isError, typeof answer["agent_id"]]).toEqual([false, "string"]);
  expect(server.messages.filter(({ error }) => error !== undefined)).toMatchObject([{ id: 1001 }, { id: null }]);
});

it.skipIf(process.platform !== "linux")("however long it is, it is not held in memory", async () => {
  const server = new McpWorld().startServer("a:1");
  await server.initialize();
  await writeLong(server, 1001, 11);
  await server.answerTo(1001);
  const before = peakMegabytes(server.pid);
  await writeLong(server, 1002, 300);
  await server.answerTo(1002);
  expect(peakMegabytes(server.pid) - before).toBeLessThan(100);
});
