/** How long each client waits for a tool, less a margin for the way back. */
const LONGEST_WAIT_MS: Readonly<Record<string, number>> = {
  // Its terminal moves a call to the background after two minutes.
  "claude-code": 110_000,
  "codex-mcp-client": 280_000,
  "gemini-cli-mcp-client": 580_000,
  opencode: 50_000,
};

/** A client that is not known may have the shortest patience of all. */
const UNKNOWN_CLIENT_MS = 50_000;

export function longestWaitMs(clientName: string | null): number {
  return LONGEST_WAIT_MS[clientName ?? ""] ?? UNKNOWN_CLIENT_MS;
}
