/** The MCP Inspector, the protocol's own tool for looking at servers, against the built server. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { McpWorld } from "../mcp/support/mcp-world.ts";

const cache = resolve(import.meta.dirname, "../../.cache");
const node = join(cache, "node24/node_modules/.bin/node");
const inspector = join(cache, "inspector/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
const installed = existsSync(node) && existsSync(inspector);
if (!installed) {
  process.stderr.write(
    "\nSKIPPED: the test with the MCP Inspector: npm run test:harness installs it and a Node for it\n\n",
  );
}

interface Inspected {
  readonly code: number;
  readonly stderr: string;
  readonly answer: Readonly<Record<string, unknown>>;
}

/** What it exits with, pinned: 5 when a tool says that it failed, 6 when a schema is not for every client. */
const EXIT = { done: 0, toolFailed: 5 };

function inspect(world: McpWorld, agent: string, words: readonly string[]): Promise<Inspected> {
  const { PATH, ...variables } = world.env({ TT_AGENT_ID: agent });
  const env = Object.entries(variables).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  const server = ["--", process.execPath, world.program, "mcp"];
  const line = [inspector, "--cli", ...env, "--cwd", world.tree, ...words, ...server];
  return new Promise((done) => {
    execFile(node, line, { env: { PATH, HOME: world.home } }, (error, stdout, stderr) => {
      const code = error ? Number(error.code) : EXIT.done;
      done({ code, stderr, answer: stdout === "" ? {} : (JSON.parse(stdout) as Record<string, unknown>) });
    });
  });
}

describe.skipIf(!installed).each(["legacy", "modern"])("the MCP Inspector in the %s era", (era) => {
  const call = (tool: string, input: object) => [
    "--protocol-era",
    era,
    "--method",
    "tools/call",
    "--tool-name",
    tool,
    "--tool-args-json",
    JSON.stringify(input),
  ];

  it("lists the tools and finds no schema that some client cannot use", async () => {
    const listed = await inspect(new McpWorld(), "a:1", ["--protocol-era", era, "--method", "tools/list", "--strict"]);
    expect(listed).toMatchObject({ code: EXIT.done });
    const { tools } = listed.answer as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["wait_for_turn", "send_message"]));
    expect(tools).toHaveLength(11);
  });

  it("plays a turn and a message through, and is told of a refusal", async () => {
    const world = new McpWorld();
    await inspect(world, "b:2", call("join_path", {}));
    const turn = await inspect(world, "a:1", call("wait_for_turn", { max_wait_ms: 0 }));
    expect(turn).toMatchObject({ code: EXIT.done, answer: { structuredContent: { status: "your_turn", turn_id: 1 } } });
    const sent = await inspect(world, "a:1", call("send_message", { to: "b:2", body: "grüße" }));
    expect(sent.answer).toMatchObject({ structuredContent: { deliveries: [{ to: "b:2", state: "pending" }] } });
    const read = await inspect(world, "b:2", call("read_my_messages", {}));
    expect(read.answer).toMatchObject({ structuredContent: { messages: [{ body: "grüße", from: "a:1" }] } });
    const refused = await inspect(
      world,
      "b:2",
      call("tt", {
        operation: "heartbeat",
        arguments: { lease_id: "x", expected_turn_id: 9 },
      }),
    );
    expect(refused).toMatchObject({
      code: EXIT.toolFailed,
      answer: {
        isError: true,
        structuredContent: { error: "turn_mismatch", next: expect.stringContaining("wait_for_turn") },
      },
    });
  });
});
