/** Ways to spoil the files of a SQLite database, drawn from a seeded generator and told in words. */
import type { SeededRandom } from "./random.ts";

const DATABASE_FILES = ["tt.db", "tt.db-wal", "tt.db-shm"] as const;
type DatabaseFile = (typeof DATABASE_FILES)[number];

const PAGE_BYTES = 4096;
const FRAME_BYTES = 24 + PAGE_BYTES;
/** Where SQLite keeps what it steers by: the file's head, and the head of each page, frame or table of hashes. */
const HEADER_BYTES: Readonly<Record<DatabaseFile, number>> = { "tt.db": 100, "tt.db-wal": 56, "tt.db-shm": 136 };

interface Spot {
  /** Offsets of the file's last byte, of the end of its header, and of the start of one of its pages. */
  readonly last: number;
  readonly headerEnd: number;
  readonly page: number;
}

type Spoil = (content: Buffer, random: SeededRandom, spot: Spot) => Buffer;

/** In place: the length of the file stays, as when a disk or a cable goes bad. */
const FLIPS = {
  "a byte": (content, random, { last }) => flip(content, random, [random.between(0, last)]),
  "some bytes": (content, random, { last }) => {
    const offsets = Array.from({ length: random.between(2, 64) }, () => random.between(0, last));
    return flip(content, random, offsets);
  },
  "the header": (content, random, { headerEnd }) => flip(content, random, [random.between(0, headerEnd)]),
  "a page's head": (content, random, { page, last }) =>
    flip(content, random, [Math.min(last, page + random.between(0, 40))]),
  "a block of zeros": (content, random, { page }) => fillFrom(content, page, random.between(1, PAGE_BYTES), () => 0),
  "a block of noise": (content, random, { page }) =>
    fillFrom(content, page, random.between(1, PAGE_BYTES), () => random.between(0, 255)),
} satisfies Record<string, Spoil>;

const CUTS = {
  "cut at random": (content, random, { last }) => content.subarray(0, random.between(1, Math.max(1, last))),
  "cut at a page": (content, _random, { page }) => content.subarray(0, Math.max(1, page)),
  "cut in the header": (content, random, { headerEnd }) => content.subarray(0, random.between(1, headerEnd)),
  "cut to nothing": (content) => content.subarray(0, 0),
  "noise at the end": (content, random) => {
    const noise = fillFrom(Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, () => random.between(0, 255));
    return Buffer.concat([content, noise]);
  },
} satisfies Record<string, Spoil>;

const SPOILS: Readonly<Record<DamageKind, Spoil>> = { ...FLIPS, ...CUTS };
type DamageKind = keyof typeof FLIPS | keyof typeof CUTS;

export interface Damage {
  readonly file: DatabaseFile;
  readonly kind: DamageKind;
}

export function chooseDamage(random: SeededRandom, options: { readonly inPlace: boolean }): Damage {
  const file = random.pick(["tt.db", "tt.db", ...DATABASE_FILES] as const);
  const kinds = options.inPlace || random.chance(0.75) ? FLIPS : CUTS;
  return { file, kind: random.pick(Object.keys(kinds) as DamageKind[]) };
}

/** The content after the damage. */
export function damaged(content: Buffer, { file, kind }: Damage, random: SeededRandom): Buffer {
  const last = content.length - 1;
  if (last < 0) return content;
  const page = file === "tt.db-wal" ? 32 + FRAME_BYTES * random.between(0, last / FRAME_BYTES) : pageAt(random, last);
  const headerEnd = Math.min(last, HEADER_BYTES[file] - 1);
  return SPOILS[kind](Buffer.from(content), random, { last, headerEnd, page });
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
