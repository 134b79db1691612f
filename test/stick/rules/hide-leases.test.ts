import { describe, expect, it } from "vitest";
import { leaseIdFrom } from "../../../src/core/ids.ts";
import { hideLeases } from "../../../src/stick/rules/hide-leases.ts";

const RANDOM = "0a1b2c3d4e5f6g7h8i9j0k1l2";
const LEASE = leaseIdFrom(RANDOM);
/** As leases were made before they had a mark. */
const UNMARKED = "9z8y7x6w5v4u3t2s1r0q9p8o7";

/** The length of the longest piece of the secret in a text, line breaks and borders aside. */
function longestRest(text: string, secret: string): number {
  const plain = text.replaceAll(/\\+n|[^0-9a-z]/g, "");
  for (let length = secret.length; length > 0; length -= 1) {
    for (let at = 0; at + length <= secret.length; at += 1)
      if (plain.includes(secret.slice(at, at + length))) return length;
  }
  return 0;
}

describe("leases in what others read", () => {
  it("are hidden by their mark, also when nobody knows them", () => {
    expect(hideLeases(`{"status":"your_turn","lease_id":"${LEASE}","turn_id":3}`, [])).toBe(
      '{"status":"your_turn","lease_id":"[lease]","turn_id":3}',
    );
  });

  it("are hidden without a mark when they are known", () => {
    expect(hideLeases(`lease_id: ${UNMARKED}.`, [UNMARKED])).toBe("lease_id: [lease].");
    expect(hideLeases(`lease_id: ${UNMARKED}.`, [])).toContain(UNMARKED);
  });

  it.each([
    ["escaped JSON", (lease: string) => JSON.stringify(JSON.stringify({ lease_id: lease, turn_id: 1 }))],
    ["other letters", (lease: string) => `x${lease}y`],
    ["two places", (lease: string) => `${lease} ${lease}`],
    ["a line that the terminal broke", (lease: string) => `"${lease.slice(0, 12)}\n${lease.slice(12)}"`],
    ["a box with borders", (lease: string) => `│ "${lease.slice(0, 17)} │\r\n│   ${lease.slice(17)}" │`],
    ["three narrow lines", (lease: string) => `${lease.slice(0, 9)}\n  ${lease.slice(9, 18)}\n  ${lease.slice(18)}`],
    ["lines of six characters", (lease: string) => (lease.match(/.{1,6}/g) ?? []).join(" │\n│ ")],
    ["escaped lines of six characters", (lease: string) => (lease.match(/.{1,6}/g) ?? []).join("\\\\n")],
    ["a broken line in escaped JSON", (lease: string) => `${lease.slice(0, 14)}\\n${lease.slice(14)}`],
    ["a broken line in JSON escaped twice", (lease: string) => `${lease.slice(0, 14)}\\\\n${lease.slice(14)}`],
  ])("are hidden in %s", (_, write) => {
    for (const lease of [LEASE, UNMARKED]) {
      const secret = lease.slice(-25);
      expect(longestRest(write(lease), secret)).toBe(25);
      expect(longestRest(hideLeases(write(lease), [lease]), secret)).toBeLessThan(8);
    }
  });

  it("are hidden when a limit cuts them anywhere, from either side", () => {
    for (const lease of [LEASE, UNMARKED]) {
      for (let at = 0; at <= lease.length; at += 1) {
        const [head, tail] = [`{"lease_id":"${lease.slice(0, at)}…`, `${lease.slice(at)}","turn_id":3}`];
        for (const text of [head, tail])
          expect(longestRest(hideLeases(text, [lease]), lease.slice(-25))).toBeLessThan(8);
      }
    }
  });

  it("leave every other text as it is", () => {
    const others = [
      "",
      "lease_id lease_expires_at lease_ttl_ms ttlease_",
      "line one\nline two │\n│ line three\\n\\nrest",
      `${"🪵".repeat(10)} \ud800 ${"a".repeat(40)} 0123456789012345678901234`,
    ];
    for (const text of others) expect(hideLeases(text, [LEASE, UNMARKED])).toBe(text);
  });

  it("never make a text longer", () => {
    for (let length = 0; length <= LEASE.length; length += 1) {
      for (const text of [LEASE.slice(0, length), LEASE.slice(length)])
        expect(hideLeases(text, [LEASE]).length).toBeLessThanOrEqual(text.length);
    }
  });

  it("take time in proportion to the text", () => {
    const texts = [" ".repeat(1_000_000), "\n".repeat(1_000_000), "\\".repeat(1_000_000), "a\n".repeat(500_000)];
    const began = performance.now();
    for (const text of texts) expect(hideLeases(text, [LEASE])).toBe(text);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
