import type { Command } from "../surfaces/cli/command.ts";
import { EXIT } from "../surfaces/cli/exit-codes.ts";
import { UsageError } from "../surfaces/cli/usage-error.ts";

export interface McpServerOptions {
  readonly tools: "all" | "core";
  /** Who is calling, where no harness says so. */
  readonly agent: string | undefined;
  /** The project's directory, if it is neither the client's nor the current one. */
  readonly directory: string | undefined;
}

const FOR_A_CLIENT =
  "This is an MCP server, which waits for a client on standard input. Ctrl-C ends it. To set up your agents, run: tt install\n";

/** The server is a bundle of its own; the program that lists the command passes the function that loads it. */
export const mcpCommand = (serve: (options: McpServerOptions) => Promise<void>): Command => ({
  name: "mcp",
  roomless: true,
  summary: "the MCP server, on standard input and output",
  details: ["An MCP client starts it. It ends when the client closes the connection."],
  example: "tt mcp --tools all",
  flags: {
    tools: { kind: "text", value: "SET", help: "core (default): ten tools, and the tool tt for the others; or all" },
  },
  async run({ ports }, args) {
    const tools = args.text("tools") ?? "core";
    if (tools !== "all" && tools !== "core") {
      throw new UsageError(`There is no set of tools ${JSON.stringify(tools)}.`, "Give --tools all or --tools core.");
    }
    if (ports.terminal.input) await ports.writeError(FOR_A_CLIENT);
    await serve({ tools, agent: args.text("agent"), directory: args.text("path") });
    return EXIT.done;
  },
});
