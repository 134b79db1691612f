/**
 * A lease is a secret of its holder, but the holder's transcript and terminal show the answer that granted it. Before
 * others read these, leases are hidden: each that has our mark, and each current one, or a piece of it, by its content.
 *
 * A terminal breaks long lines and draws borders, and limits cut texts anywhere. So the search runs on the words of the
 * text, joined where only a line break and its borders stand between them.
 */
import { LEASE_MARK } from "../../core/ids.ts";

const MARKED = new RegExp(`${LEASE_MARK}[0-9a-z]{1,25}`, "g");
/** Shorter pieces of a lease are useless, and could be parts of other words. */
const PIECE = 8;
const HIDDEN = "[lease]";

export function hideLeases(text: string, current: readonly string[]): string {
  const words = joinedWords(text);
  const secret = new Uint8Array(words.text.length);
  for (const { index, 0: found } of words.text.matchAll(MARKED)) secret.fill(1, index, index + found.length);
  markPieces(words.text, piecesOf(current), secret);
  return without(text, words.positions, secret);
}

interface JoinedWords {
  readonly text: string;
  /** Where each character stands in the original. */
  readonly positions: readonly number[];
}

/** The words of a text. A space stands for whatever else is between two of them, and nothing for a line break. */
function joinedWords(text: string): JoinedWords {
  const parts: string[] = [];
  const positions: number[] = [];
  let end = 0;
  for (const { index, 0: found } of text.matchAll(/[0-9A-Za-z_]+/g)) {
    const between = text.slice(end, index);
    // The letter of an escaped line break belongs to the break.
    const isEscaped = between.endsWith("\\") && /^[nr]/.test(found);
    if (!isEscaped && !between.includes("\n")) {
      parts.push(" ");
      positions.push(index);
    }
    const from = isEscaped ? 1 : 0;
    parts.push(found.slice(from));
    for (let at = from; at < found.length; at += 1) positions.push(index + at);
    end = index + found.length;
  }
  return { text: parts.join(""), positions };
}

function piecesOf(leases: readonly string[]): ReadonlySet<string> {
  const pieces = new Set<string>();
  for (const lease of leases) {
    const own = lease.startsWith(LEASE_MARK) ? lease.slice(LEASE_MARK.length) : lease;
    for (let at = 0; at + PIECE <= own.length; at += 1) pieces.add(own.slice(at, at + PIECE));
  }
  return pieces;
}

function markPieces(words: string, pieces: ReadonlySet<string>, secret: Uint8Array): void {
  if (pieces.size === 0) return;
  for (let at = 0; at + PIECE <= words.length; at += 1)
    if (pieces.has(words.slice(at, at + PIECE))) secret.fill(1, at, at + PIECE);
}

/** Line breaks inside of a hidden lease stay. */
function without(text: string, positions: readonly number[], secret: Uint8Array): string {
  let shown = "";
  let end = 0;
  for (let at = 0; at < secret.length; at += 1) {
    if (secret[at] === 0) continue;
    const position = positions[at] ?? 0;
    shown += text.slice(end, position);
    if (at === 0 || secret[at - 1] === 0) shown += HIDDEN;
    end = position + 1;
  }
  return shown + text.slice(end);
}
