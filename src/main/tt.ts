/** The command line. `launch.ts` loads it and starts it. */
import { version } from "../../package.json";
import { runCli } from "../surfaces/cli/run.ts";
import { bare, GROUPS } from "../surfaces/cli/table.ts";
import { createCliPorts } from "./cli-ports.ts";
import { demo, demoAgent } from "./demo.ts";
import { mcpCommand } from "./mcp-command.ts";

const GETTING_STARTED = { title: "Getting started", commands: [demo, demoAgent] };

/** Resolves to whether the command may have changed something. `startedBy` is the process that started this one. */
export async function main(startedBy: number): Promise<boolean> {
  const ports = createCliPorts(version);
  try {
    const forAgents = { title: "For agents", commands: [mcpCommand(startedBy)] };
    const groups = [GETTING_STARTED, ...GROUPS, forAgents];
    process.exitCode = await runCli(process.argv.slice(2), ports, { bare, groups });
  } catch (error) {
    // A bug of ours. It is never hidden, but only --debug shows where it happened.
    const debug = process.argv.includes("--debug");
    const told = error instanceof Error ? (debug ? error.stack : error.message) : String(error);
    const advice = `Please report it${debug ? "" : ", with what --debug shows"}.`;
    process.stderr.write(`tt: this is a bug in tt: ${told}\n    ${advice}\n`);
    process.exitCode = 70;
  }
  return ports.changed();
}
