/** Which folder of test/ runs in which vitest project. A project is a cost: `unit` is the cheapest. */
export const suites = {
  unit: ["domain", "service", "store", "system", "surfaces", "transcripts", "waking", "main", "house"],
  contract: ["store-contract", "mailbox"],
  sim: ["sim"],
  promises: ["promises"],
  pins: ["pins"],
  mcp: ["mcp"],
  "mcp-slow": ["mcp-slow"],
  harness: ["harness"],
  hook: ["hook"],
  cli: ["cli"],
  "cli-slow": ["cli-slow"],
} as const;
