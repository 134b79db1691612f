/** Wires the demo: a throwaway checkout and data directory, and agents as processes of this very program. */
import { createInterface } from "node:readline";
import { isRefusal } from "../domain/refusal.ts";
import { type Reply, runDemoAgent } from "../surfaces/demo/agent.ts";
import { DEMO_GONE_GRACE_MS, type DemoAgent, tellStory } from "../surfaces/demo/story.ts";
import { startLineProcess } from "../system/line-process.ts";
import { monotonicMs } from "../system/monotonic.ts";
import { makeScratchDirectory } from "../system/scratch-directory.ts";
import { openTalkingStick } from "./open.ts";

export async function runDemo(program: string, print: (line: string) => void): Promise<void> {
  const scratch = makeScratchDirectory("tt-demo-");
  const env = {
    ...process.env,
    TT_DATA_DIR: scratch.directory("data"),
    TT_STORE: "",
    TT_GONE_GRACE_MS: String(DEMO_GONE_GRACE_MS),
  };
  const startAgent = (agentId: string, harness: string): DemoAgent => {
    const child = startLineProcess(process.execPath, [program, "demo", "--agent", agentId, harness], env);
    return {
      tell: async (instruction) => JSON.parse(await child.ask(JSON.stringify(instruction))) as Reply,
      kill: () => child.kill(),
      end: () => child.end(),
    };
  };
  try {
    await tellStory({ startAgent, checkout: scratch.directory("checkout"), print });
  } finally {
    scratch.remove();
  }
}

export async function runAgentOfDemo(agentId: string, harness: string): Promise<void> {
  const stick = await openTalkingStick({ agentId, harness });
  if (isRefusal(stick)) throw new Error(stick.message);
  const instructions = createInterface({ input: process.stdin });
  await runDemoAgent(stick, { instructions, monotonicMs, print: (line) => process.stdout.write(`${line}\n`) });
  await stick.close();
}
