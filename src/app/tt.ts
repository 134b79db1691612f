/** The whole command line. `launch.ts` loads it for every line that the smaller programs do not answer. */
import type { Command } from "../surfaces/cli/command.ts";
import { EXIT } from "../surfaces/cli/exit-codes.ts";
import { runCli } from "../surfaces/cli/run.ts";
import { bare, GROUPS } from "../surfaces/cli/table.ts";
import { demo, demoAgent } from "./demo.ts";
import { mcpCommand } from "./mcp-command.ts";
import { type Ran, runMain } from "./run-main.ts";
import { check, ro } from "./run-programs.ts";

const RUNNING = { title: "Running programs", commands: [check, ro] };
const GETTING_STARTED = { title: "Getting started", commands: [demo, demoAgent] };

/** The process around one harness of `tt doctor --prove`, which starts it. */
const proveHarness: Command = {
  name: "prove-harness",
  roomless: true,
  summary: "one harness of tt doctor --prove, which starts it",
  example: "tt doctor --prove",
  hidden: true,
  positionals: [
    { name: "harness", required: true },
    { name: "program", required: true },
  ],
  async run({ ports }, args) {
    const { proveInside } = await import("./prove.ts");
    await proveInside(args.required("harness"), args.required("program"), ports);
    return EXIT.done;
  },
};

/** `startedBy` is the process that started this one. */
export function main(startedBy: number): Promise<Ran | null> {
  // The server is a bundle of its own, loaded by this command alone.
  const mcp = mcpCommand(async (options) => (await import("./mcp.ts")).runMcpServer(options, startedBy));
  const forAgents = { title: "For agents", commands: [mcp, proveHarness] };
  const groups = [GETTING_STARTED, ...GROUPS, RUNNING, forAgents];
  return runMain((words, ports) => runCli(words, ports, { bare, groups }));
}
