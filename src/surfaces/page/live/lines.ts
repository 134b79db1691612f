/** The stream as the page reads it: one JSON document a line. A line may come in pieces. */
import type { StreamLine } from "../../wire/stream-line.ts";

/** All lines of one piece that are whole, so that the page draws once for them. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly StreamLine[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      const lines = parts.filter((part) => part !== "").map((part) => JSON.parse(part) as StreamLine);
      if (lines.length > 0) yield lines;
    }
  } finally {
    // A stream that was cut has nothing left to cancel.
    await reader.cancel().catch(() => undefined);
  }
}
