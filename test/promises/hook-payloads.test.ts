/**
 * Goal: whatever stands on a hook's standard input, the hook ends well, says nothing or what its harness understands, and
 * does not act for any session that the payload does not name.
 */
import { dirname, join } from "node:path";
import { expect, inject } from "vitest";
import { type HookPorts, runHook } from "../../src/surfaces/hook/run-hook.ts";
import { HookService } from "../hooks/hook-service.ts";
import { inParallel } from "../support/in-parallel.ts";
import { SeededRandom } from "../support/random.ts";
import { groundAt } from "../support/sqlite-world.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { installHook, problemWithOutput, randomHook, runJob } from "./hook-faults/hook-runner.ts";
import { randomPayload } from "./hook-faults/random-payloads.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

const SESSIONS = ["session-1", "session-2", "898509a1-5dab-4f24-a4e9-7b7158c02f3e"];
const PER_WORLD = 500;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // As the program does it: what is no document is nothing.
    return null;
  }
}

function stayingOpen<Kept extends { close(): Promise<void> }>(store: Kept): Kept {
  return new Proxy(store, {
    get: (kept, name) => {
      if (name === "close") return async () => undefined;
      const value: unknown = Reflect.get(kept, name);
      return typeof value === "function" ? value.bind(kept) : value;
    },
  });
}

verifies("E4", "random payloads of hooks, in process", async () => {
  const seed = freshSeed();
  const counts = { said: 0, logged: 0, silent: 0 };
  for (let done = 0; done < figure(20_000, 1_000_000); done += PER_WORLD) {
    const random = new SeededRandom(seed + done);
    const service = new HookService();
    const ann = await service.peer("library:ann");
    for (let index = 0; index < PER_WORLD; index += 1) {
      const { harness, event } = randomHook(random);
      const asked = random.chance(0.95) ? event : "wake";
      const words = asked === event ? [harness, event] : [random.pick(["", "kimi", harness]), asked];
      const text = randomPayload(random, SESSIONS, service.tree);
      if (random.chance(0.2)) await ann.stick.sendMessage({ roomId: ann.roomId, body: "hello" });
      let stdout = "";
      let logged = 0;
      const ports: HookPorts = {
        readPayload: async () => parsed(text),
        writeOut: (said) => {
          stdout += said;
        },
        // The next hook needs it, too.
        openDeps: async () => ({ ...service.deps, store: stayingOpen(service.deps.store) }),
        identify: async (_, { sessionId }) => service.caller(sessionId, random.pick(["p1", "p2", null])),
        log: () => {
          logged += 1;
        },
      };
      await runHook(words, ports);
      const what = { seed: seed + done, index, words, text: text.slice(0, 500) };
      expect({ ...what, problem: problemWithOutput(harness, asked, stdout) }).toEqual({ ...what, problem: null });
      expect({ ...what, both: stdout !== "" && logged > 0 }).toEqual({ ...what, both: false });
      counts[stdout !== "" ? "said" : logged > 0 ? "logged" : "silent"] += 1;
    }
  }
  // Payloads that are all refused would prove little.
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(500);
});

verifies("E4", "random payloads of hooks, as real processes", async () => {
  const seed = freshSeed();
  const ground = groundAt(quickDirectory());
  const hookProgram = join(dirname(inject("tt")), "hook.cjs");
  const { dataDir, tree, env } = ground;
  const line = installHook(join(dataDir, "../bin"), { node: process.execPath, hookProgram, dataDir });
  await inParallel(3, [...Array(figure(200, 5000)).keys()], async (index) => {
    const random = new SeededRandom(seed + index);
    const { harness, event } = randomHook(random);
    const input = randomPayload(random, SESSIONS, tree);
    const variables = { CLAUDE_CODE_SESSION_ID: random.pick([...SESSIONS, "../x", ""]), HOME: env["HOME"] };
    const job = { harness, event, input, command: line(harness, event), env: variables, cwd: tree };
    const { code, stdout, stderr } = await runJob(job);
    const what = { seed: seed + index, harness, event, input: input.slice(0, 500) };
    expect({ ...what, code, stderr }).toEqual({ ...what, code: 0, stderr: "" });
    expect({ ...what, problem: problemWithOutput(harness, event, stdout) }).toEqual({ ...what, problem: null });
  });
});
