/** Ink has a form that only import() can load. The other programs load theirs in another way, so this file does it. */
export function loadConsole(): Promise<typeof import("./console-program.ts")> {
  return import("./console-program.ts");
}
