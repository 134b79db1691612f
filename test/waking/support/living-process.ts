/** A process that lives until the test is over, with the words that it was started with. */
import { spawn } from "node:child_process";
import { onTestFinished } from "vitest";
import type { ProcessRef } from "../../../src/core/process.ts";
import type { ProcessProbe } from "../../../src/engine/ports/process-probe.ts";

export function livingProcess(probe: ProcessProbe, words: readonly string[] = []): ProcessRef & { end(): void } {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)", "--", ...words], { stdio: "ignore" });
  const end = () => void child.kill("SIGKILL");
  onTestFinished(end);
  const ref = probe.find(child.pid ?? -1);
  if (!ref) throw new Error("it did not start");
  return { ...ref, end };
}
