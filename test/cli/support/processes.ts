import { readdirSync, readFileSync } from "node:fs";

/** The processes that run with the given text in their environment: a test's own, whichever process started them. */
export function processesWith(text: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(text))
    .map(Number);
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    // It has ended, or is another user's.
    return "";
  }
}
