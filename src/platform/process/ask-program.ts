import { findProgram } from "./find-program.ts";

const TIMEOUT_MS = 1000;

/**
 * What a small program of the system prints. Throws when it is missing, fails or takes too long. The locale and the time
 * zone are fixed, because the text is compared between processes that run in different ones.
 */
export function askProgram(program: string, args: readonly string[]): string {
  const path = findProgram(process.env, program);
  if (path === null) throw new Error(`${program} is not on the path`);
  return process.getBuiltinModule("node:child_process").execFileSync(path, [...args], {
    encoding: "utf8",
    timeout: TIMEOUT_MS,
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
  });
}
