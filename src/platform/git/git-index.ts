/**
 * Reads git's index as data, and writes a copy for a git that must not enter other repositories: without the entries of
 * submodules ("gitlinks"), in which git would start itself under the submodule's own configuration.
 *
 * header     "DIRC", version, number of entries
 * entries    what lstat said, object id, flags, name; in version 4 a name continues the one before it
 * extensions signature, length, content; one whose signature begins with a small letter changes what the entries mean
 * checksum   of all of it
 */

export interface Gitlink {
  /** Relative to the top of the working tree. */
  readonly path: string;
  /** The commit that is recorded for the submodule. */
  readonly commit: string;
  /** 0, or the side of a merge that is not resolved. */
  readonly stage: number;
}

export interface IndexCopy {
  /** The bytes of the copy. Most of them are parts of the given buffer. */
  readonly parts: readonly Buffer[];
  readonly gitlinks: readonly Gitlink[];
  /** The tracked `.gitattributes` files. */
  readonly attributeFiles: readonly string[];
}

const HEADER_BYTES = 12;
const STAT_BYTES = 40;
const MODE_AT = 24;
const EXTENDED = 0x4000;
const KIND = 0o170000;
const GITLINK = 0o160000;
const SPARSE_DIRECTORY = 0o040000;
const EXTENSION_HEADER_BYTES = 8;
const NAME_LENGTH = 0x0fff;
const FIRST_NAME_BYTES = 4096;
const ATTRIBUTES = ".gitattributes";
const SLASH = 0x2f;
const DOT = 0x2e;

/** Null for a damaged index, and for a split or sparse one, which has only a part of the entries. */
export function copyIndexWithoutGitlinks(index: Buffer, idBytes: 20 | 32): IndexCopy | null {
  if (index.length < HEADER_BYTES + idBytes) return null;
  const version = wordAt(index, 4);
  if (index.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return null;
  const reader = new EntryReader(index, idBytes, version);
  const gitlinks: Gitlink[] = [];
  const attributeFiles: string[] = [];
  const entries = wordAt(index, 8);
  for (let count = 0; count < entries; count += 1) {
    if (!reader.next()) return null;
    if (reader.kind === SPARSE_DIRECTORY) return null;
    if (reader.kind === GITLINK) gitlinks.push(reader.gitlink());
    else if (reader.isAttributesFile()) attributeFiles.push(reader.name());
  }
  const extensions = extensionsIn(index, reader.end, index.length - idBytes);
  if (extensions === null) return null;
  const content =
    gitlinks.length === 0
      ? [index.subarray(0, reader.end), ...extensions]
      : // Leave out the cached trees, because they count the gitlinks, too.
        withoutGitlinks(index, idBytes, version, gitlinks.length);
  // Git verifies the checksum only when it looks for damage, and zeros say that there is none.
  return { parts: [...content, Buffer.alloc(idBytes)], gitlinks, attributeFiles };
}

/** Goes from entry to entry. There are many, so it allocates nothing for each of them. */
class EntryReader {
  start = 0;
  /** Where the fixed fields end. */
  fixedEnd = 0;
  end = HEADER_BYTES;
  kind = 0;
  readonly #index: Buffer;
  readonly #idBytes: number;
  readonly #continuesNames: boolean;
  /** No entry reaches into the checksum. */
  readonly #limit: number;
  /** The buffer with the name: the index itself or, if the name continues another, a buffer of its own. */
  #nameIn: Buffer;
  #nameStart = 0;
  #nameEnd = 0;

  constructor(index: Buffer, idBytes: number, version: number) {
    this.#index = index;
    this.#idBytes = idBytes;
    this.#continuesNames = version === 4;
    this.#limit = index.length - idBytes;
    this.#nameIn = this.#continuesNames ? Buffer.alloc(FIRST_NAME_BYTES) : index;
  }

  /** False when there is no whole entry. */
  next(): boolean {
    const index = this.#index;
    this.start = this.end;
    const flagsAt = this.start + STAT_BYTES + this.#idBytes;
    const flags = ((index[flagsAt] ?? 0) << 8) | (index[flagsAt + 1] ?? 0);
    this.fixedEnd = flagsAt + ((flags & EXTENDED) === 0 ? 2 : 4);
    if (this.fixedEnd >= this.#limit) return false;
    this.kind = wordAt(index, this.start + MODE_AT) & KIND;
    const isWhole = this.#continuesNames ? this.#continueName() : this.#findName(flags & NAME_LENGTH);
    return isWhole && this.end <= this.#limit;
  }

  name(): string {
    return this.#nameIn.toString("utf8", this.#nameStart, this.#nameEnd);
  }

  /** The name's bytes, valid until the next entry. */
  nameBytes(): Buffer {
    return this.#nameIn.subarray(this.#nameStart, this.#nameEnd);
  }

  isAttributesFile(): boolean {
    const start = this.#nameEnd - ATTRIBUTES.length;
    if (start < this.#nameStart || this.#nameIn[start] !== DOT) return false;
    return (start === this.#nameStart || this.#nameIn[start - 1] === SLASH) && this.name().endsWith(ATTRIBUTES);
  }

  gitlink(): Gitlink {
    const idAt = this.start + STAT_BYTES;
    const flagsAt = idAt + this.#idBytes;
    const commit = this.#index.toString("hex", idAt, flagsAt);
    return { path: this.name(), commit, stage: ((this.#index[flagsAt] ?? 0) >> 4) & 3 };
  }

  /** Up to eight zeros end a name, so that the next entry begins at a multiple of eight. */
  #findName(length: number): boolean {
    const nul = length < NAME_LENGTH ? this.fixedEnd + length : this.#index.indexOf(0, this.fixedEnd);
    if (nul < 0 || this.#index[nul] !== 0) return false;
    this.#nameStart = this.fixedEnd;
    this.#nameEnd = nul;
    this.end = this.start + padded(nul - this.start);
    return true;
  }

  /** The entry says how many bytes to cut from the previous name, and which bytes to add. */
  #continueName(): boolean {
    const index = this.#index;
    let at = this.fixedEnd;
    let left = (index[at] ?? 0) & 0x7f;
    while (((index[at] ?? 0) & 0x80) !== 0) {
      at += 1;
      left = (left + 1) * 128 + ((index[at] ?? 0) & 0x7f);
    }
    const nul = index.indexOf(0, at + 1);
    if (nul < 0 || left > this.#nameEnd) return false;
    const kept = this.#nameEnd - left;
    this.#nameEnd = kept + nul - (at + 1);
    if (this.#nameEnd > this.#nameIn.length) {
      this.#nameIn = Buffer.concat([this.#nameIn.subarray(0, kept)], 2 * this.#nameEnd);
    }
    index.copy(this.#nameIn, kept, at + 1, nul);
    this.end = nul + 1;
    return true;
  }
}

function wordAt(bytes: Buffer, at: number): number {
  const low = ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
  return (bytes[at] ?? 0) * 0x1000000 + low;
}

function padded(length: number): number {
  return (length + 8) & ~7;
}

/**
 * The cached trees, so that git need not read those of the last commit. No other extension is kept: we would have to
 * believe what a file monitor or an earlier search for new files has written there. Null if the index has an extension
 * that a reader must understand.
 */
function extensionsIn(index: Buffer, start: number, end: number): Buffer[] | null {
  const kept: Buffer[] = [];
  let at = start;
  while (at < end) {
    const signature = index.toString("latin1", at, at + 4);
    const next = at + EXTENSION_HEADER_BYTES + wordAt(index, at + 4);
    if (next > end || !/^[A-Z]/.test(signature)) return null;
    if (signature === "TREE") kept.push(index.subarray(at, next));
    at = next;
  }
  return kept;
}

/** The header and all other entries, with their names written out. */
function withoutGitlinks(index: Buffer, idBytes: number, version: number, gitlinks: number): Buffer[] {
  const reader = new EntryReader(index, idBytes, version);
  const entries = wordAt(index, 8);
  const header = Buffer.from(index.subarray(0, HEADER_BYTES));
  // Only version 4 continues names, and only from version 3 on there are further flags.
  header.writeUInt32BE(version === 2 ? 2 : 3, 4);
  header.writeUInt32BE(entries - gitlinks, 8);
  const parts: Buffer[] = [header];
  for (let count = 0; count < entries; count += 1) {
    reader.next();
    if (reader.kind === GITLINK) continue;
    const fixed = index.subarray(reader.start, reader.fixedEnd);
    const name = reader.nameBytes();
    const length = fixed.length + name.length;
    parts.push(fixed, Buffer.from(name), Buffer.alloc(padded(length) - length));
  }
  return [Buffer.concat(parts)];
}
