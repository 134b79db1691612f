import { version } from "../../package.json";
import { runCli } from "../surfaces/cli/run.ts";
import { bare, GROUPS } from "../surfaces/cli/table.ts";
import { endQuietlyOnClosedPipe } from "../system/standard-streams.ts";
import { createCliPorts } from "./cli-ports.ts";
import { demo, demoAgent } from "./demo.ts";
import { mcp } from "./mcp-command.ts";

const GETTING_STARTED = { title: "Getting started", commands: [demo, demoAgent] };
const FOR_AGENTS = { title: "For agents", commands: [mcp] };

// Whoever closed the pipe has seen enough, and that is a success.
endQuietlyOnClosedPipe([process.stdout, process.stderr], () => process.exit(0));

async function main(): Promise<number> {
  try {
    return await runCli(process.argv.slice(2), createCliPorts(version), {
      bare,
      groups: [GETTING_STARTED, ...GROUPS, FOR_AGENTS],
    });
  } catch (error) {
    // A bug of ours. It is never hidden, but only --debug shows where it happened.
    const debug = process.argv.includes("--debug");
    const told = error instanceof Error ? (debug ? error.stack : error.message) : String(error);
    const advice = `Please report it${debug ? "" : ", with what --debug shows"}.`;
    process.stderr.write(`tt: this is a bug in tt: ${told}\n    ${advice}\n`);
    return 70;
  }
}

void main().then((code) => (process.exitCode = code));
