/** The floor under a durable call of the MCP server: the SDK, and one tool that commits its argument. */
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { loadSqliteDriver } from "../../src/store/sqlite/driver.ts";

const handle = loadSqliteDriver()(process.argv[2] ?? "");
handle.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
handle.exec("CREATE TABLE events (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT");
const begin = handle.prepare("BEGIN IMMEDIATE");
const insert = handle.prepare("INSERT INTO events (body) VALUES (?) RETURNING id");
const end = handle.prepare("COMMIT");
// A statement alone does not keep its database.
process.once("exit", () => handle.close());

serveStdio(() => {
  const server = new McpServer({ name: "bare", version: "1.0.0" });
  const inputSchema = fromJsonSchema<{ readonly body: string }>({
    type: "object",
    properties: { body: { type: "string" } },
    required: ["body"],
  });
  server.registerTool("commit", { description: "Writes it down.", inputSchema }, async ({ body }) => {
    begin.run();
    const id = insert.get(body)?.["id"];
    end.run();
    return { content: [{ type: "text", text: JSON.stringify({ id }) }] };
  });
  return server;
});
