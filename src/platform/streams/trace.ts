/** The trace: one line of JSON per detection, wake and delivery. Best effort. */
import { closeSync, constants, openSync, writeSync } from "node:fs";
import type { Variables } from "../../core/harness.ts";
import { withSnakeKeys } from "../../core/letter-case.ts";
import type { Trace } from "../../engine/ports/trace.ts";

/** Null when nobody asked for one. */
export function createTrace(env: Variables): Trace | null {
  if (!env["TT_TRACE_FILE"]) return null;
  return {
    delivery: (delivery) => trace(env, "delivery", () => withSnakeKeys(delivery) as object),
    wake: (wake) => trace(env, "wake", () => withSnakeKeys(wake) as object),
    fault: (fault) => trace(env, "fault", () => fault),
  };
}

/** `details` runs only if a trace is wanted. */
export function trace(env: Variables, kind: string, details: () => object): void {
  const path = env["TT_TRACE_FILE"];
  if (!path) return;
  const line = JSON.stringify({ at: new Date().toISOString(), pid: process.pid, kind, ...details() });
  try {
    append(path, `${line}\n`);
  } catch {
    // A trace that cannot be written must not stop what it is about.
  }
}

function append(path: string, line: string): void {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;
  const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
  try {
    // One write per line: lines of several processes do not mix.
    writeSync(file, line);
  } finally {
    closeSync(file);
  }
}
