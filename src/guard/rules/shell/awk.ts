/** What an awk program does besides printing: it may print into files, start programs and read from them. */
import { type ShellFinding, unknown, writes } from "./finding.ts";
import { readFlags } from "./flags.ts";
import type { ShellPlace } from "./place.ts";
import { targetsAt } from "./place.ts";
import { type Argument, literal } from "./words.ts";

export function judgeAwk(words: readonly Argument[], place: ShellPlace): readonly ShellFinding[] {
  const isInPlace = words.some(
    ({ text }, index) => text === "inplace" && /^(-i|--include)$/.test(words[index - 1]?.text ?? ""),
  );
  if (isInPlace) return writes("awk -i inplace", null);
  const given = readFlags(words, "F: v: --field-separator: --assign: --version --help --re-interval --csv", true);
  const [program] = given.operands;
  if (given.unclear !== null) return unknown(`awk ${given.unclear}`);
  if (program === undefined) return [];
  if (!program.isLiteral) return unknown("awk");
  return judgeProgram(program.text, place);
}

/** A piece of an awk program. What a `/` means depends on what stands before it. */
const TOKEN = /\s+|#[^\n]*|"(?:[^"\\\n]|\\[^])*"|[A-Za-z_]\w*|\d[\w.]*|\|\||&&|>>|>=|<=|==|!=|\+\+|--|[^]/y;
const REGEX = /\/(?:[^/\\\n[]|\\.|\[\^?\]?(?:[^\]\\\n]|\\.)*\])*\//y;
/** After these a `/` divides. */
const OPERAND_END = /^(?:[\w)\]$"]|\+\+|--)/;
const KEYWORD = /^(?:print|printf|return|if|while|in|else|do|delete|case)$/;

function judgeProgram(program: string, place: ShellPlace): readonly ShellFinding[] {
  const tokens = tokensOf(program);
  if (tokens === null) return unknown("awk");
  const findings: ShellFinding[] = [];
  /** The depth of parentheses inside a print statement; null outside of one. */
  let printing: number | null = null;
  for (const [index, token] of tokens.entries()) {
    if (/^(?:system|getline|@|\||ENVIRON|ARGV|ARGC|close)$/.test(token)) return unknown(`awk ${token}`);
    if (/^printf?$/.test(token)) printing = 0;
    else if (printing !== null && /^[;}\n]$/.test(token)) printing = null;
    else if (printing !== null && /^[([]$/.test(token)) printing += 1;
    else if (printing !== null && /^[)\]]$/.test(token)) printing -= 1;
    else if (printing !== null && printing <= 0 && /^>>?$/.test(token)) {
      const [target = "", after = "}"] = tokens.slice(index + 1);
      const path = /^"[^"\\]*"$/.test(target) && /^[;}\n]$/.test(after) ? target.slice(1, -1) : null;
      if (path === null) findings.push(...writes("awk >", null));
      else if (!/^(?:\/dev\/(?:null|stdout|stderr)|-)$/.test(path)) {
        findings.push(...writes("awk >", targetsAt(place, [literal(path)])));
      }
    }
  }
  return findings;
}

/** Without blanks and comments; line ends stay, because they end statements. Null if it is not understood. */
function tokensOf(program: string): readonly string[] | null {
  const tokens: string[] = [];
  let at = 0;
  while (at < program.length) {
    const previous = tokens.findLast((token) => token !== "\n") ?? "";
    const pattern = program[at] === "/" && !(OPERAND_END.test(previous) && !KEYWORD.test(previous)) ? REGEX : TOKEN;
    pattern.lastIndex = at;
    const token = pattern.exec(program)?.[0];
    // A quote or a slash that nothing closes.
    if (token === undefined || token === '"') return null;
    at += token.length;
    if (/^\s/.test(token)) {
      if (token.includes("\n")) tokens.push("\n");
    } else if (!token.startsWith("#")) tokens.push(token);
  }
  return tokens;
}
