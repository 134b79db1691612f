/**
 * SHA-256 as hexadecimal text. Node's module for it takes longer to load than a short command takes to run, and what is
 * digested here is short: names of sessions above all. So it is computed here, and only long texts are given to Node.
 */
const LONG_TEXT = 16_384;

export function sha256Hex(text: string): string {
  if (text.length > LONG_TEXT) {
    return process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest("hex");
  }
  const state = firstState();
  const words = new Uint32Array(64);
  const message = padded(Buffer.from(text, "utf8"));
  for (let at = 0; at < message.length; at += 64) digestBlock(state, words, message, at);
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("");
}

/** The first bits of the fractional parts of roots of the first primes, as the standard has it. */
function fraction(root: number): number {
  return Math.floor((root % 1) * 2 ** 32);
}

function primes(count: number): readonly number[] {
  const found: number[] = [];
  for (let number = 2; found.length < count; number += 1) {
    if (found.every((prime) => number % prime !== 0)) found.push(number);
  }
  return found;
}

let constants: Uint32Array | null = null;

/** Few commands digest anything. */
function roundConstants(): Uint32Array {
  constants ??= Uint32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
  return constants;
}

function firstState(): Uint32Array {
  return Uint32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));
}

/** One bit, zeros, and the length in bits: whole blocks of 64 bytes. */
function padded(bytes: Uint8Array): Uint8Array {
  const message = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  message.set(bytes);
  message[bytes.length] = 0x80;
  const bits = bytes.length * 8;
  for (let place = 0; place < 4; place += 1) message[message.length - 1 - place] = bits >>> (8 * place);
  return message;
}

/** Four bytes, the highest first. */
function wordAt(message: Uint8Array, at: number): number {
  let word = 0;
  for (let place = 0; place < 4; place += 1) word = (word << 8) | (message[at + place] ?? 0);
  return word;
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** Written without arrays that come and go: it mostly runs once in the life of a process, before V8 knows it. */
function digestBlock(state: Uint32Array, words: Uint32Array, message: Uint8Array, at: number): void {
  for (let index = 0; index < 64; index += 1)
    words[index] = index < 16 ? wordAt(message, at + 4 * index) : grown(words, index);
  const added = roundConstants();
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index += 1) {
    const choice = (e & f) ^ (~e & g);
    const first =
      h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + choice + (added[index] ?? 0) + (words[index] ?? 0);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + word;
}

function grown(words: Uint32Array, index: number): number {
  const near = words[index - 2] ?? 0;
  const far = words[index - 15] ?? 0;
  const small = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
  const large = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
  return (words[index - 16] ?? 0) + small + (words[index - 7] ?? 0) + large;
}
