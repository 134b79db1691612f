/**
 * Which folder or file of test/ runs in which vitest project. A project is a cost: `unit` is the cheapest.
 * `alone` has the files that judge times or processor shares: they run one by one when all others are done.
 */
export const suites = {
  unit: [
    "core",
    "engine",
    "session",
    "room",
    "mail",
    "stick",
    "turns",
    "wake",
    "hooks",
    "guard",
    "peers",
    "install",
    "prove",
    "store",
    "platform",
    "surfaces",
    "transcripts",
    "waking",
    "opencode-plugin",
    "app",
    "house",
  ],
  contract: ["store-contract", "mailbox"],
  sim: ["sim"],
  promises: ["promises"],
  alone: [
    "promises/asks-end-once.test.ts",
    "promises/clock-jumps.test.ts",
    "promises/dead-holder.test.ts",
    "promises/frozen-writer.test.ts",
    "promises/told-is-true.test.ts",
  ],
  pins: ["pins"],
  mcp: ["mcp"],
  "mcp-slow": ["mcp-slow"],
  harness: ["harness"],
  hook: ["hook"],
  cli: ["cli", "console"],
  "cli-slow": ["cli-slow"],
  browser: ["browser"],
} as const;

/** The files that take longest. They start first, so that no core is idle at the end. */
export const longest: readonly string[] = [
  "promises/idle-waiters.test.ts",
  "promises/linearizability.test.ts",
  "promises/holder-never-refused.test.ts",
  "promises/turn-record.test.ts",
  "harness/opencode.test.ts",
  "harness/thrown-away-opencode.test.ts",
  "harness/guard-opencode.test.ts",
  "harness/codex.test.ts",
  "harness/gemini.test.ts",
  "harness/claude.test.ts",
  "promises/wholly-or-not-postgres.test.ts",
  "promises/mail-accounts.test.ts",
  "store-contract/postgres.test.ts",
];
