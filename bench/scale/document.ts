import type { Result } from "./run.ts";
export function documentOf(result: Result, args: readonly string[]): string {
  return String(result.rooms + args.length);
}
