/** The tools about sessions, through a real MCP client and the built server. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { placeTranscript, SESSION_IDS } from "../support/harness-home.ts";
import { CliWorld } from "./support/cli-world.ts";

class ToolWorld extends CliWorld {
  /** A server as the harness starts it, for one session. */
  async server(env: Record<string, string>): Promise<Client> {
    const client = new Client({ name: "claude-code", version: "2.1.325" });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [this.program, "mcp", "--tools", "all"],
      env: this.env(env),
      cwd: this.tree,
    });
    await client.connect(transport);
    onTestFinished(() => client.close());
    return client;
  }

  claude() {
    return this.server({ CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: SESSION_IDS.claude });
  }
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { structuredContent, isError } = await client.callTool({ name, arguments: args });
  return { isError: isError === true, answer: structuredContent as Record<string, unknown> };
}

describe("the tools about sessions", () => {
  it("show a peer with its card, and its turns", async () => {
    const world = new ToolWorld();
    const path = placeTranscript(world.home, "claude", world.tree);
    const claude = await world.claude();
    const card = { purpose: "dates", files: ["a.ts"], blocked_on: "review" };
    expect((await call(claude, "set_my_state", card)).answer).toMatchObject({ state_card: card, changed: true });
    const peer = await world.server({ TT_AGENT_ID: "script:1" });
    const { sessions } = (await call(peer, "list_project_sessions")).answer as { sessions: object[] };
    expect(sessions[0]).toMatchObject({ handle: "claude", session_id: SESSION_IDS.claude, state_card: card });
    const read = await call(peer, "read_session", { name: "claude", limit: 1, include_timestamps: true });
    expect(read.answer).toMatchObject({
      mode: "transcript",
      transcript_path: path,
      messages: [{ role: "assistant", text: "Only the changelog is left." }],
    });
  });

  it("register a session under the id that its harness gave it, and no other", async () => {
    const world = new ToolWorld();
    const claude = await world.claude();
    const capabilities = { mailbox: { reply_to: false } };
    const registered = await call(claude, "register_my_session", { session_id: SESSION_IDS.claude, capabilities });
    expect(registered).toMatchObject({
      isError: false,
      answer: { capabilities: { mailbox: { reply_to: false, provenance: true, push_budget: true } } },
    });
    expect(await call(claude, "register_my_session", { session_id: "another" })).toMatchObject({
      isError: true,
      answer: { error: "not_authorized" },
    });
  });

  it("refuse with a next sentence what cannot be read", async () => {
    const world = new ToolWorld();
    const refused = await call(await world.claude(), "read_session", { name: "nobody" });
    expect(refused).toMatchObject({ isError: true, answer: { error: "unknown_recipient" } });
    expect(refused.answer["next"]).toMatch(/\w/);
  });

  it("fit with all others into 20 kB, and none describes itself in more than 400 characters", async () => {
    const { tools } = await (await new ToolWorld().claude()).listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["list_project_sessions", "read_session", "register_my_session", "set_my_state"]),
    );
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(20_000);
    expect(tools.filter(({ description = "" }) => description.length > 400)).toEqual([]);
  });
});
