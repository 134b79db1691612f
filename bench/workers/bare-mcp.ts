/** The floor under the MCP server: the SDK, one tool, and nothing else. */
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

serveStdio(() => {
  const server = new McpServer({ name: "bare", version: "1.0.0" });
  const inputSchema = z.object({ body: z.string() });
  server.registerTool("echo", { description: "Says it again.", inputSchema }, async ({ body }) => ({
    content: [{ type: "text", text: body }],
  }));
  return server;
});
