/**
 * The lines of a file, last one first. However long the file is, only what the caller goes through is read, a piece at
 * a time. A line that is too long to be kept is passed over as null.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { codedError, errorCode } from "./system-error.ts";

const PIECE_BYTES = 65_536;
const NEWLINE = 0x0a;

export interface LinesOptions {
  /** A longer line is null. */
  readonly maxLineBytes: number;
  /** How far back to look; Infinity for the whole file. */
  readonly maxBytes: number;
}

export class LinesFromEnd {
  readonly ageMs: number;
  readonly #file: number;
  readonly #size: number;
  readonly #options: LinesOptions;
  #reachedStart = false;

  /** Throws the operating system's error, or one with the code ENOTREG. */
  constructor(path: string, options: LinesOptions) {
    this.#options = options;
    this.#file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(this.#file);
    if (!stats.isFile()) {
      this.close();
      throw codedError("ENOTREG", "it is not a regular file");
    }
    this.#size = stats.size;
    this.ageMs = Math.max(0, Math.round(Date.now() - stats.mtimeMs));
  }

  /** Whether every line was gone through. */
  get reachedStart(): boolean {
    return this.#reachedStart;
  }

  /** Throws an error with the code ESHRUNK if the file became shorter. A line is valid until the next one is read. */
  *lines(): Generator<Buffer | null> {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    const line = new LineInPieces(this.#options.maxLineBytes);
    let position = this.#size;
    while (position > 0) {
      if (this.#size - position >= this.#options.maxBytes) return;
      const length = Math.min(PIECE_BYTES, position);
      position -= length;
      if (readSync(this.#file, piece, 0, length, position) < length) throw codedError("ESHRUNK", "it became shorter");
      let end = length;
      for (
        let at = piece.lastIndexOf(NEWLINE, end - 1);
        at >= 0;
        at = at > 0 ? piece.lastIndexOf(NEWLINE, at - 1) : -1
      ) {
        if (!line.isEmpty || end - at > 1) yield line.completedBy(piece.subarray(at + 1, end));
        end = at;
      }
      line.add(piece.subarray(0, end));
    }
    if (!line.isEmpty) yield line.completedBy(Buffer.alloc(0));
    this.#reachedStart = true;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** What `look` makes of the lines; null when the file is missing, cannot be read, or became shorter meanwhile. */
export function searchFromEnd<Found>(
  path: string,
  options: LinesOptions,
  look: (lines: Iterable<Buffer | null>) => Found | null,
): Found | null {
  try {
    const file = new LinesFromEnd(path, options);
    try {
      return look(file.lines());
    } finally {
      file.close();
    }
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return null;
  }
}

/** A line that is found from its end, piece by piece. */
class LineInPieces {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(Buffer.from(piece));
  }

  completedBy(start: Buffer): Buffer | null {
    const bytes = this.#bytes + start.length;
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#bytes = 0;
    if (bytes > this.#maxBytes) return null;
    return pieces.length === 0 ? start : Buffer.concat([start, ...pieces.toReversed()]);
  }
}
