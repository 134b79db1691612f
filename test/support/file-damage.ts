/** Ways to spoil the files of a SQLite database, drawn from a seeded generator and told in words. */
import type { SeededRandom } from "./random.ts";

export const DATABASE_FILES = ["tt.db", "tt.db-wal", "tt.db-shm"] as const;
export type DatabaseFile = (typeof DATABASE_FILES)[number];

const PAGE_BYTES = 4096;
const FRAME_BYTES = 24 + PAGE_BYTES;
/** Where SQLite keeps what it steers by: the file's head, and the head of each page, frame or table of hashes. */
const HEADER_BYTES: Readonly<Record<DatabaseFile, number>> = { "tt.db": 100, "tt.db-wal": 56, "tt.db-shm": 136 };

/** In place: the length of the file stays, as when a disk or a cable goes bad. */
const FLIPS = ["a byte", "some bytes", "the header", "a page's head", "a block of zeros", "a block of noise"] as const;
const CUTS = ["cut at random", "cut at a page", "cut in the header", "cut to nothing", "noise at the end"] as const;

export interface Damage {
  readonly file: DatabaseFile;
  readonly kind: (typeof FLIPS)[number] | (typeof CUTS)[number];
}

export function chooseDamage(random: SeededRandom, options: { readonly inPlace: boolean }): Damage {
  const file = random.pick(["tt.db", "tt.db", ...DATABASE_FILES] as const);
  const kind = options.inPlace || random.chance(0.75) ? random.pick(FLIPS) : random.pick(CUTS);
  return { file, kind };
}

/** The content after the damage. */
export function damaged(content: Buffer, { file, kind }: Damage, random: SeededRandom): Buffer {
  const copy = Buffer.from(content);
  const last = copy.length - 1;
  if (last < 0) return copy;
  const pageStart =
    file === "tt.db-wal" ? 32 + FRAME_BYTES * random.between(0, last / FRAME_BYTES) : pageAt(random, last);
  switch (kind) {
    case "a byte":
      return flip(copy, random, [random.between(0, last)]);
    case "some bytes":
      return flip(
        copy,
        random,
        Array.from({ length: random.between(2, 64) }, () => random.between(0, last)),
      );
    case "the header":
      return flip(copy, random, [random.between(0, Math.min(last, HEADER_BYTES[file] - 1))]);
    case "a page's head":
      return flip(copy, random, [Math.min(last, pageStart + random.between(0, 40))]);
    case "a block of zeros":
      return fillFrom(copy, pageStart, random.between(1, PAGE_BYTES), () => 0);
    case "a block of noise":
      return fillFrom(copy, pageStart, random.between(1, PAGE_BYTES), () => random.between(0, 255));
    case "cut at random":
      return copy.subarray(0, random.between(1, last));
    case "cut at a page":
      return copy.subarray(0, Math.max(1, pageAt(random, last)));
    case "cut in the header":
      return copy.subarray(0, random.between(1, Math.min(last, HEADER_BYTES[file])));
    case "cut to nothing":
      return copy.subarray(0, 0);
    case "noise at the end":
      return Buffer.concat([copy, fillFrom(Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, () => random.between(0, 255))]);
  }
}

function pageAt(random: SeededRandom, last: number): number {
  return PAGE_BYTES * random.between(0, last / PAGE_BYTES);
}

function flip(content: Buffer, random: SeededRandom, offsets: readonly number[]): Buffer {
  for (const offset of offsets) content[offset] = (content[offset] ?? 0) ^ random.between(1, 255);
  return content;
}

function fillFrom(content: Buffer, start: number, length: number, byte: () => number): Buffer {
  const end = Math.min(content.length, start + length);
  for (let offset = start; offset < end; offset += 1) content[offset] = byte();
  return content;
}
