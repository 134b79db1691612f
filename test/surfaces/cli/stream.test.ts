/** How a stream ends: with a last look when its time is up, and without one when it was stopped. */
import { expect, it } from "vitest";
import { type Refusal, refuse } from "../../../src/core/refusal.ts";
import type { CliContext } from "../../../src/surfaces/cli/context.ts";
import { printStream } from "../../../src/surfaces/cli/stream.ts";

async function printed({ interrupted, next = [] }: { interrupted: boolean; next?: readonly string[] | Refusal }) {
  const lines: string[] = [];
  const over = new AbortController();
  const context = {
    ports: {
      interrupted: interrupted ? AbortSignal.abort() : new AbortController().signal,
      writeOut: async (text: string) => void lines.push(text.trim()),
    },
    refuse: async () => 1,
  } as unknown as CliContext;
  const code = await printStream<string>(context, {
    until: over.signal,
    around: async (stream) => {
      lines.push("receiving");
      const refused = await stream();
      lines.push("not receiving");
      return refused;
    },
    next: async () => {
      over.abort();
      return next;
    },
    line: (item) => item,
    onShown: (item) => lines.push(`shown ${item}`),
    last: async () => ["last"],
    lastLine: () => "cursor",
  });
  return { code, lines };
}

it("given its time is up, a last look follows when it receives no more, and then the cursor", async () => {
  const { code, lines } = await printed({ interrupted: false, next: ["one"] });
  expect(lines).toEqual(["receiving", "one", "shown one", "not receiving", "last", "shown last", "cursor"]);
  expect(code).toBe(0);
});

it("given it was stopped, it takes nothing more", async () => {
  const { lines } = await printed({ interrupted: true });
  expect(lines).toEqual(["receiving", "not receiving", "cursor"]);
});

it("given a refusal, there is neither a last look nor a cursor", async () => {
  const { code, lines } = await printed({ interrupted: false, next: refuse("session_ended", "over", "start again") });
  expect(lines).toEqual(["receiving", "not receiving"]);
  expect(code).toBe(1);
});
