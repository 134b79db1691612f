/** Standard input and output, with an end to every wait. */
import { type Refusal, refuse } from "../domain/refusal.ts";

/** Resolves once the text has left the process, so that a slow reader slows the writer and not the store. */
export function writeTo(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** A reader that has gone away is no error: whoever closed the pipe has seen enough. */
export function endQuietlyOnClosedPipe(streams: readonly NodeJS.WriteStream[], end: () => void): void {
  for (const stream of streams) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
      end();
    });
  }
}

/** The whole of standard input as text; refused when it is too long or no UTF-8. */
export async function readStandardInput(maxBytes: number): Promise<string | Refusal> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      return refuse("invalid_input", `Standard input has more than ${maxBytes} bytes.`, "Give less.", {
        field: "stdin",
      });
    }
    chunks.push(chunk);
  }
  try {
    // A byte order mark is a part of the text, too.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    return refuse("invalid_input", "Standard input is not UTF-8 text.", "Give text in UTF-8.", { field: "stdin" });
  }
}

/** Aborted by the first SIGINT, SIGTERM or SIGHUP; a second one ends the process as usual. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}
