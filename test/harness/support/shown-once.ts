import { expect } from "vitest";

const BEFORE_CHARACTERS = 120;

/**
 * Messages were shown in their frame, the only one or one of several, from the first of some requests on, and once in
 * each: what stands before their words names them.
 */
export function expectShownOnce(requests: readonly string[], messages: Readonly<Record<string, string>>): void {
  expect(requests.length).toBeGreaterThan(0);
  for (const [messageId, body] of Object.entries(messages)) {
    for (const request of requests) {
      const before = request.split(`\\n  ${body}\\n[`).slice(0, -1);
      expect(before.map((text) => text.slice(-BEFORE_CHARACTERS))).toEqual([expect.stringContaining(messageId)]);
      expect(request.split(body)).toHaveLength(2);
    }
  }
}
