/** The stream as it arrives: in pieces that know nothing of lines or of characters. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { linesOf } from "../../../src/surfaces/page/live/lines.ts";

test("lines come whole and in order, however their bytes are cut", async () => {
  const texts = fc.array(fc.string({ unit: "grapheme" }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 1, max: 7 }), async (bodies, size) => {
      const sent = bodies.map((words) => ({ line: "trouble" as const, words }));
      const bytes = new TextEncoder().encode(sent.map((line) => `${JSON.stringify(line)}\n`).join(""));
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
          controller.close();
        },
      });
      const received = [];
      for await (const lines of linesOf(body)) received.push(...lines);
      expect(received).toEqual(sent);
    }),
  );
});

test("the rest of a line that was cut off is no line", async () => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"line":"beat"}\n{"line":"be'));
      controller.close();
    },
  });
  const received = [];
  for await (const lines of linesOf(body)) received.push(...lines);
  expect(received).toEqual([{ line: "beat" }]);
});
