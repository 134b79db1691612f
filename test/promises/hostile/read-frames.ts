/**
 * Reads frames as a sceptic: whatever any terminal, editor or model could take for a line end is one, whatever
 * stands at the margin must be a line of ours, and nothing may act, hide or look like a tag anywhere.
 */
export interface Frame {
  readonly bodies: readonly string[];
}

const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/u;
const WHAT = String.raw`(urgent )?message`;
const TO_FROM = String.raw`to (you|the room) from [^\s[\](),<>]+ \([^\s[\](),<>]+\)`;
const MORE = String.raw`(, asks you|, request [^\s[\](),<>]+)?(, shown before)?`;
const ONE = new RegExp(String.raw`^\[${WHAT} ${TO_FROM}${MORE}\]$`, "u");
const SEVERAL = /^\[(\d+) messages\]$/;
const EACH = new RegExp(String.raw`^\[(\d+) of (\d+): ${WHAT} \S+ ${TO_FROM}${MORE}(, a person)?\]$`, "u");
const MEANING = /^[^\s<>[\]][^<>[\]]* Taken from your mailbox; answer with [^<>[\]]+$/;
const HIDDEN =
  /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u2800]|\u034f|[\u{e0100}-\u{e01ef}]/u;
const TAG = /<[\p{L}_:/!?|]/u;
const INDENT = "  ";

export function readFrames(text: string): readonly Frame[] {
  if (HIDDEN.test(text)) throw new Error(`something hides in ${JSON.stringify(text)}`);
  if (TAG.test(text)) throw new Error(`there is a tag in ${JSON.stringify(text)}`);
  const lines = text.split(LINE_END);
  const frames: Frame[] = [];
  while (lines.length > 0) frames.push(readFrame(lines));
  return frames;
}

function readFrame(lines: string[]): Frame {
  const head = expectLine(lines, (line) => ONE.test(line) || SEVERAL.test(line));
  expectLine(lines, (line) => MEANING.test(line));
  const count = Number(SEVERAL.exec(head)?.[1] ?? 0);
  const bodies = ONE.test(head) ? [readBody(lines)] : readEach(lines, count);
  expectLine(lines, (line) => line === "[end]");
  return { bodies };
}

function readEach(lines: string[], count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    expectLine(lines, (line) => {
      const [, number, total] = EACH.exec(line) ?? [];
      return Number(number) === index + 1 && Number(total) === count;
    });
    return readBody(lines);
  });
}

function readBody(lines: string[]): string {
  const end = lines.findIndex((line) => !line.startsWith(INDENT));
  const body = lines.splice(0, end).map((line) => line.slice(INDENT.length));
  if (body.length === 0) throw new Error("a frame without a body");
  return body.join("\n");
}

function expectLine(lines: string[], isRight: (line: string) => boolean): string {
  const line = lines.shift();
  if (line === undefined || !isRight(line)) throw new Error(`no line of a frame: ${JSON.stringify(line)}`);
  return line;
}
