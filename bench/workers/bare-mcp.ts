/** The floor under the MCP server: the SDK, one tool, and nothing else. */
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

serveStdio(() => {
  const server = new McpServer({ name: "bare", version: "1.0.0" });
  const inputSchema = fromJsonSchema<{ readonly body: string }>({
    type: "object",
    properties: { body: { type: "string" } },
    required: ["body"],
  });
  server.registerTool("echo", { description: "Says it again.", inputSchema }, async ({ body }) => ({
    content: [{ type: "text", text: body }],
  }));
  return server;
});
