/** The whole command line. `launch.ts` loads it for every line that the smaller programs do not answer. */
import { runCli } from "../surfaces/cli/run.ts";
import { bare, GROUPS } from "../surfaces/cli/table.ts";
import { demo, demoAgent } from "./demo.ts";
import { mcpCommand } from "./mcp-command.ts";
import { type Ran, runMain } from "./run-main.ts";

const GETTING_STARTED = { title: "Getting started", commands: [demo, demoAgent] };

/** `startedBy` is the process that started this one. */
export function main(startedBy: number): Promise<Ran | null> {
  // The server is a bundle of its own, loaded by this command alone.
  const mcp = mcpCommand(async (options) => (await import("./mcp.ts")).runMcpServer(options, startedBy));
  const forAgents = { title: "For agents", commands: [mcp] };
  const groups = [GETTING_STARTED, ...GROUPS, forAgents];
  return runMain((words, ports) => runCli(words, ports, { bare, groups }));
}
