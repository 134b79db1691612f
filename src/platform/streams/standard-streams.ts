/** Standard input and output, such that no wait for them lasts without end. */
import { writeSync } from "node:fs";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { errorCode } from "../files/system-error.ts";

export interface OutputOptions {
  readonly descriptor: 1 | 2;
  /** False while the process listens for signals: a blocked write would keep it from handling them. */
  readonly mayBlock: () => boolean;
}

/** The reader has closed the pipe. That is no failure: it has seen enough. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

/** The answer could not be written. What the command changed stays changed. */
export class OutputError extends Error {
  override readonly name = "OutputError";
  readonly code: string;

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.code = errorCode(cause);
  }
}

/**
 * Writes text and resolves once it has left the process, so that a slow reader slows the writer and not the store.
 * Rejects if the text cannot leave, so that the caller can put back the mail that it was about to show.
 * Node's streams take longer to load than most commands take to run, so they are left out where they can be.
 */
export function createOutput({ descriptor, mayBlock }: OutputOptions): (text: string) => Promise<void> {
  let stream: NodeJS.WriteStream | null = null;
  const openStream = () => {
    const opened = descriptor === 1 ? process.stdout : process.stderr;
    // The writer gets the error by its callback.
    opened.on("error", () => undefined);
    return opened;
  };
  return async (text) => {
    const rest = stream === null && mayBlock() ? writeNow(descriptor, text) : Buffer.from(text);
    if (rest.length === 0) return;
    const opened = (stream ??= openStream());
    await new Promise<void>((resolve, reject) => {
      opened.write(rest, (error) => {
        if (error) reject(failure(error));
        else resolve();
      });
    });
  };
}

/**
 * Writes to standard output and returns when the text is out. Throws if nobody reads it, or if the reader is not ready.
 */
export function writeAtOnce(text: string, descriptor = 1): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
}

/** The rest of the text, if the reader takes no more for now and the descriptor does not block. */
function writeNow(descriptor: number, text: string): Buffer {
  let rest = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
  } catch (error) {
    if (errorCode(error) !== "EAGAIN") throw failure(error);
  }
  return rest;
}

function failure(error: unknown): OutputClosed | OutputError {
  const isClosed = errorCode(error) === "EPIPE" || errorCode(error) === "EIO";
  return isClosed ? new OutputClosed() : new OutputError(error);
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
        supplied: bytes,
        limit: maxBytes,
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

/** To standard error, when the program is about to end. */
export function sayLastWords(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // If not even this can be written, the exit code must be enough.
  }
}
