import type { Command } from "../surfaces/cli/command.ts";
import { EXIT } from "../surfaces/cli/exit-codes.ts";
import { UsageError } from "../surfaces/cli/usage-error.ts";

/** The server is a bundle of its own, loaded by this command alone. It ends with whoever started it. */
export const mcpCommand = (startedBy: number): Command => ({
  name: "mcp",
  summary: "the MCP server, on standard input and output",
  details: ["For the configuration of a client; it ends when its client closes the connection."],
  example: "tt mcp --tools core",
  flags: { tools: { kind: "text", value: "SET", help: "all, or core for the ten that matter most" } },
  async run(_, args) {
    const tools = args.text("tools") ?? "all";
    if (tools !== "all" && tools !== "core") {
      throw new UsageError(`There is no set of tools ${JSON.stringify(tools)}.`, "Give --tools all or --tools core.");
    }
    const { runMcpServer } = await import("./mcp.ts");
    await runMcpServer({ tools, agent: args.text("agent"), directory: args.text("path"), startedBy });
    return EXIT.done;
  },
});
