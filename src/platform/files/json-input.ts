/**
 * Reads one JSON document from standard input, or all of its text. It does not use Node's streams, which take long to load. It never blocks
 * in a read, because a process that is blocked there cannot end at its deadline. The document is complete as soon as it
 * can be parsed, so the writer need not close its end.
 */
import { closeSync, constants, fstatSync, openSync, read, readSync } from "node:fs";
import { errorCode } from "./system-error.ts";

const CHUNK_BYTES = 65_536;
const PAUSE_MS = 1;
/** The last byte of an object, and the bytes that may follow it. */
const AT_END = new Set<number | undefined>(Buffer.from("} \t\r\n"));

/** Reads these descriptors one after the other. Null if there is no document; throws if it is too long. */
export async function readJsonInput(descriptors: readonly number[], maxBytes: number): Promise<unknown> {
  const input = new Input(maxBytes);
  for (const descriptor of descriptors) {
    const document = await readFrom(descriptor, input);
    if (document !== undefined) return document;
  }
  return input.parsed() ?? null;
}

/** Standard input up to its end as text, or the beginning of it: then `isCut`. */
export async function readTextInput(maxBytes: number): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const file = openAgain(0);
  try {
    while (bytes <= maxBytes) {
      const chunk = file === null ? await readInThread(0) : readNow(file);
      if (chunk?.length === 0) break;
      if (chunk) chunks.push(chunk);
      else await pause();
      bytes += chunk?.length ?? 0;
    }
  } finally {
    if (file !== null) closeSync(file);
  }
  return { text: Buffer.concat(chunks).subarray(0, maxBytes).toString("utf8"), isCut: bytes > maxBytes };
}

class Input {
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #triedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) throw new RangeError(`standard input has more than ${this.#maxBytes} bytes`);
    this.#chunks.push(chunk);
  }

  /**
   * Undefined while it is not complete. A long document comes in many parts, so it is parsed only after a part that may
   * end an object.
   */
  document(): unknown {
    const isNew = this.#bytes > this.#triedBytes;
    this.#triedBytes = this.#bytes;
    return isNew && AT_END.has(this.#chunks.at(-1)?.at(-1)) ? this.parsed() : undefined;
  }

  /** The document, if no more bytes come. */
  parsed(): unknown {
    try {
      return JSON.parse(Buffer.concat(this.#chunks).toString("utf8"));
    } catch {
      // More bytes may come. If none do, the input is no JSON document.
      return undefined;
    }
  }
}

/** Opens the same input again so that a read returns at once; null if the system cannot do that. */
function openAgain(descriptor: number): number | null {
  try {
    // A file that is opened again would start from its beginning, and reading a file never blocks.
    if (fstatSync(descriptor).isFile()) return descriptor;
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    // A socket, or a system without /proc.
    return null;
  }
}

/** Undefined when the input ends before there is a document. */
async function readFrom(descriptor: number, input: Input): Promise<unknown> {
  const file = openAgain(descriptor);
  try {
    for (;;) {
      const chunk = file === null ? await readInThread(descriptor) : readNow(file);
      if (chunk?.length === 0) return undefined;
      if (chunk) input.add(chunk);
      // Where a read returns at once, the rest of what is there comes first.
      const document = chunk && file !== null ? undefined : input.document();
      if (document !== undefined) return document;
      if (!chunk) await pause();
    }
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** Empty at the end; null when there is nothing to read yet. */
function readNow(file: number): Buffer | null {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    return buffer.subarray(0, readSync(file, buffer));
  } catch (error) {
    if (errorCode(error) === "EAGAIN") return null;
    throw error;
  }
}

let waits = false;

/** Whether a thread waits for input now. */
export function waitsForInput(): boolean {
  return waits;
}

/**
 * As readNow, but a thread waits in the read, as Node's own streams are slow to load. The read cannot be cancelled: code
 * that ends the process meanwhile has to check `waitsForInput`.
 */
function readInThread(descriptor: number): Promise<Buffer | null> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  waits = true;
  return new Promise((resolve, reject) => {
    read(descriptor, buffer, 0, buffer.length, null, (error, length) => {
      waits = false;
      if (!error) resolve(buffer.subarray(0, length));
      else if (error.code === "EAGAIN") resolve(null);
      else reject(error);
    });
  });
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PAUSE_MS);
  });
}
