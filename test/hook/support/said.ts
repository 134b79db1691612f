/** The one message in a frame that a hook has shown. */
export function bodyIn(said: string): string {
  return /^\[(?:urgent )?message to (?:you|the room) from [^\]]+\]\n.*\n {2}(.*)\n\[end\]$/.exec(said)?.[1] ?? "";
}
