/** Which folder of test/ runs in which vitest project. A project is a cost: `unit` is the cheapest. */
export const suites = {
  unit: ["domain", "service", "store", "system", "surfaces", "harness", "main", "house"],
  contract: ["store-contract"],
  sim: ["sim"],
  promises: ["promises"],
  pins: ["pins"],
  cli: ["cli"],
  "cli-slow": ["cli-slow"],
} as const;
