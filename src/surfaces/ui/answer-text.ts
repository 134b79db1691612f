/** What is sent to a page: JSON without what proves a turn. A page acts through its server, which knows the turns itself. */
export function withoutLeases(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => (PROOFS.has(key) ? undefined : part));
}

const PROOFS: ReadonlySet<string> = new Set(["leaseId", "lease_id"]);
