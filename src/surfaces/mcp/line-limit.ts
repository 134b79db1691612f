/**
 * Leaves lines out that are too long to be held whole. A reader of JSON lines would have to keep such a line until its end
 * comes; here only its first and last bytes are kept, in which its id may stand.
 */
import { Transform } from "node:stream";

export interface LongLine {
  /** The id of the request in the line; null if it cannot be found. */
  readonly id: string | number | null;
  readonly bytes: number;
}

const NEW_LINE = 10;
const KEPT_BYTES = 1024;
/** Ends the part of a long line that was passed on already, so that it can never be taken for a message. */
const NOT_JSON = Buffer.from("\0\n");

export class LineLimit {
  readonly #maxBytes: number;
  readonly #tooLong: (line: LongLine) => void;
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #bytes = 0;
  #skips = false;

  constructor(maxBytes: number, tooLong: (line: LongLine) => void) {
    this.#maxBytes = maxBytes;
    this.#tooLong = tooLong;
  }

  get heldBytes(): number {
    return this.#head.length + this.#tail.length;
  }

  /** What is left of a piece of the input. */
  pass(chunk: Buffer): readonly Buffer[] {
    const passed: Buffer[] = [];
    let at = 0;
    while (at < chunk.length) {
      const end = chunk.indexOf(NEW_LINE, at);
      const part = chunk.subarray(at, end === -1 ? chunk.length : end);
      if (!this.#skips && this.#bytes + part.length > this.#maxBytes) {
        this.#skips = true;
        passed.push(NOT_JSON);
      } else if (!this.#skips) {
        passed.push(end === -1 ? part : chunk.subarray(at, end + 1));
      }
      this.#keep(part);
      at += part.length + 1;
      if (end !== -1) this.#endLine();
    }
    return passed;
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#head.length < KEPT_BYTES)
      this.#head = Buffer.concat([this.#head, part.subarray(0, KEPT_BYTES - this.#head.length)]);
    this.#tail = Buffer.concat([this.#tail, part.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES);
  }

  #endLine(): void {
    if (this.#skips) this.#tooLong({ id: idIn(this.#head.toString(), this.#tail.toString()), bytes: this.#bytes });
    this.#head = Buffer.alloc(0);
    this.#tail = Buffer.alloc(0);
    this.#bytes = 0;
    this.#skips = false;
  }
}

/** The input without its long lines. */
export function lineGate(maxBytes: number, tooLong: (line: LongLine) => void): Transform {
  const limit = new LineLimit(maxBytes, tooLong);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const piece of limit.pass(chunk)) this.push(piece);
      done();
    },
  });
}

const TEXT = String.raw`"(?:[^"\\]|\\.)*"`;
const ID = String.raw`"id"\s*:\s*(${TEXT}|-?\d+)`;
const PLAIN_FIELD = String.raw`"(?:jsonrpc|method)"\s*:\s*${TEXT}`;
/** Clients write the id among the first or the last fields; the parameters in between have ids of their own. */
const AT_BEGIN = new RegExp(String.raw`^\s*\{\s*(?:${PLAIN_FIELD}\s*,\s*)*${ID}\s*[,}]`);
const AT_END = new RegExp(String.raw`,\s*${ID}\s*(?:,\s*${PLAIN_FIELD}\s*)*\}\s*$`);

function idIn(head: string, tail: string): string | number | null {
  const found = (AT_BEGIN.exec(head) ?? AT_END.exec(tail))?.[1];
  try {
    return found === undefined ? null : (JSON.parse(found) as string | number);
  } catch {
    // A text with an escape that is none.
    return null;
  }
}
