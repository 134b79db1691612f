/** Wires the demo: a throwaway checkout and data directory, and agents as processes of this very program. */
import { isRefusal } from "../core/refusal.ts";
import { monotonicMs } from "../platform/clock/monotonic.ts";
import { makeScratchDirectory } from "../platform/files/scratch-directory.ts";
import { startLineProcess } from "../platform/process/line-process.ts";
import type { Command } from "../surfaces/cli/command.ts";
import { type Reply, runDemoAgent } from "../surfaces/cli/demo/agent.ts";
import { DEMO_GONE_GRACE_MS, type DemoAgent, tellStory } from "../surfaces/cli/demo/story.ts";
import { EXIT } from "../surfaces/cli/exit-codes.ts";
import { openService } from "./open-talking-stick.ts";

export const demo: Command = {
  name: "demo",
  roomless: true,
  summary: "two scripted agents, a whole story in your terminal",
  details: ["Runs real processes in a throwaway directory and leaves nothing behind."],
  example: "tt demo",
  flags: { fast: { kind: "boolean", help: "without the pauses for reading" } },
  async run(context, args) {
    const pauseMs = args.isSet("fast") || !context.ports.terminal.output ? 0 : READING_PAUSE_MS;
    const { interrupted, writeOut } = context.ports;
    return runDemo(process.argv[1] ?? "", (line) => writeOut(`${line}\n`), pauseMs, interrupted);
  },
};

/** One of the demo's agents; the demo starts it. */
export const demoAgent: Command = {
  name: "demo-agent",
  summary: "one of the demo's agents; the demo starts it",
  example: "tt demo",
  hidden: true,
  positionals: [
    { name: "agent", required: true },
    { name: "harness", required: true },
  ],
  async run(_, args) {
    await runAgentOfDemo(args.required("agent"), args.required("harness"));
    return EXIT.done;
  },
};

const READING_PAUSE_MS = 1200;
const LAST_WORDS_MS = 1000;

async function runDemo(
  program: string,
  print: (line: string) => Promise<void>,
  pauseMs: number,
  interrupted: AbortSignal,
): Promise<number> {
  const scratch = makeScratchDirectory("tt-demo-");
  const env = {
    ...process.env,
    TT_DATA_DIR: scratch.directory("data"),
    // The user's own settings must not reach into the demo, nor the demo into the user's store.
    TT_STORE: "sqlite",
    TT_CONFIG: scratch.file("config.json", "{}"),
    TT_GONE_GRACE_MS: String(DEMO_GONE_GRACE_MS),
  };
  const startAgent = (agentId: string, harness: string): DemoAgent => {
    const child = startLineProcess(process.execPath, [program, "demo-agent", agentId, harness], env);
    // The story notices a dead agent and ends by itself.
    interrupted.addEventListener("abort", () => void child.kill());
    // The reader may close the pipe; then the demo ends at once.
    process.prependOnceListener("exit", () => void child.kill());
    return {
      tell: async (call, input) => JSON.parse(await child.ask(JSON.stringify({ call, input }))) as Reply,
      kill: () => child.kill(),
      end: () => child.end(),
    };
  };
  try {
    await tellStory({ startAgent, checkout: scratch.directory("checkout"), print, pauseMs });
    return EXIT.done;
  } catch (error) {
    if (!interrupted.aborted) throw error;
    return EXIT.interrupted;
  } finally {
    scratch.remove();
  }
}

async function runAgentOfDemo(agentId: string, harness: string): Promise<void> {
  const stick = await openService({ agentId, harness });
  if (isRefusal(stick)) throw new Error(stick.message);
  const calls = process.getBuiltinModule("node:readline").createInterface({ input: process.stdin });
  // If the demo itself is killed, an agent that waits for its turn must not wait on.
  calls.once("close", () => setTimeout(() => process.exit(), LAST_WORDS_MS).unref());
  await runDemoAgent(stick, { calls, monotonicMs, print: (line) => process.stdout.write(`${line}\n`) });
  await stick.close();
}
