/** The whole command line. `launch.ts` loads it for every line that the smaller programs do not answer. */
import type { Command } from "../surfaces/cli/command.ts";
import { completeLine, completion } from "../surfaces/cli/commands/setup/completion.ts";
import { EXIT } from "../surfaces/cli/exit-codes.ts";
import type { CommandGroup } from "../surfaces/cli/help.ts";
import { manPage } from "../surfaces/cli/man-page.ts";
import { runCli } from "../surfaces/cli/run.ts";
import { bare, GROUPS } from "../surfaces/cli/table.ts";
import { chatCommand, watchCommand } from "../surfaces/console/console-commands.ts";
import { uiCommand } from "../surfaces/ui/ui-command.ts";
import { demo, demoAgent } from "./demo.ts";
import { mcpCommand } from "./mcp-command.ts";
import { ONE_COMMAND, type Ran, runMain } from "./run-main.ts";
import { check, ro, start } from "./run-programs.ts";

const RUNNING = { title: "Running programs", commands: [start, check, ro] };
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

/** Most lines never come here: the launcher has chosen the program of the console. */
async function openConsole(): Promise<number> {
  const { loadConsole } = await import("./console/load-console.ts");
  await (await loadConsole()).main();
  return Number(process.exitCode ?? EXIT.done);
}

/** The page's server is a program of its own, too. */
async function openUi(): Promise<number> {
  await (await import("./page/ui-program.ts")).main();
  return Number(process.exitCode ?? EXIT.done);
}

/** `startedBy` is the process that started this one. */
export function main(startedBy: number): Promise<Ran | null> {
  // The server is a bundle of its own, loaded by this command alone.
  const mcp = mcpCommand(async (options) => (await import("./mcp.ts")).runMcpServer(options, startedBy));
  const forAgents = { title: "For agents", commands: [mcp, proveHarness] };
  const watching = {
    title: "Watching and stepping in",
    commands: [chatCommand(openConsole), watchCommand(openConsole), uiCommand(openUi)],
  };
  const manual: Command = {
    name: "man-page",
    roomless: true,
    summary: "the text of man tt; the build asks for it",
    example: "tt man-page | man -l -",
    hidden: true,
    async run({ ports }) {
      await ports.writeOut(manPage(groups, ports.version));
      return EXIT.done;
    },
  };
  const shells = {
    title: "Shells",
    commands: [completion, completeLine(() => groups.flatMap(({ commands }) => commands)), manual],
  };
  const groups: readonly CommandGroup[] = [GETTING_STARTED, watching, ...GROUPS, RUNNING, shells, forAgents];
  return runMain((words, ports) => runCli(words, ports, { bare, groups }), ONE_COMMAND);
}
