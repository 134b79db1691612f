/** What a sed program does besides printing. Only `w`, `W`, `e` and two flags of `s` do more. */
import { type ShellFinding, unknown, writes } from "./finding.ts";
import { readFlags } from "./flags.ts";
import { isSink, type ShellPlace, targetsAt } from "./place.ts";
import { type Argument, literal } from "./words.ts";

const FLAGS =
  "nErsuz e: l: i? f: --quiet --silent --regexp-extended --separate --unbuffered --null-data --debug --posix --sandbox --follow-symlinks --expression: --line-length: --in-place? --file: --help --version";

export function judgeSed(words: readonly Argument[], place: ShellPlace): readonly ShellFinding[] {
  const given = readFlags(words, FLAGS);
  const inPlace = given.flags.find(({ name }) => name === "-i" || name === "--in-place");
  const scripts = given.flags.filter(({ name }) => name === "-e" || name === "--expression").map(({ value }) => value);
  const isInFile = given.flags.some(({ name }) => name === "-f" || name === "--file");
  const hasScript = scripts.length > 0 || isInFile;
  const programs = hasScript ? scripts : given.operands.slice(0, 1);
  if (inPlace) {
    const files = given.operands.slice(hasScript ? 0 : 1);
    // In BSD's sed an empty word follows -i, and the script after that.
    const isPlain = given.unclear === null && !isInFile && (inPlace.value?.text ?? "") === "" && files.length > 0;
    const scripted = programs.flatMap((program) => (program ? judgeProgram(program, place) : []));
    const targets = isPlain && programs[0]?.text !== "" && scripted.length === 0 ? targetsAt(place, files) : null;
    return writes("sed -i", targets);
  }
  if (given.unclear !== null) return unknown(`sed ${given.unclear}`);
  if (isInFile) return unknown("sed -f");
  return programs.flatMap((program) => (program ? judgeProgram(program, place) : []));
}

function judgeProgram(program: Argument, place: ShellPlace): readonly ShellFinding[] {
  if (!program.isLiteral) return isAddressOnly(program.text) ? [] : unknown("sed");
  const findings = new SedReader(program.text, place).read();
  return findings ?? unknown("sed");
}

/** Such as "${from},${to}p": whatever the numbers are, it prints. */
function isAddressOnly(text: string): boolean {
  return /^"(?:\$\(\([^()`]*\)\)|\d+|\$),(?:\$\(\([^()`]*\)\)|\d+|\$)p"$/.test(text);
}

/** Reads a program from left to right. It gives up at the first thing that it does not know. */
class SedReader {
  readonly #text: string;
  readonly #place: ShellPlace;
  readonly #findings: ShellFinding[] = [];
  #at = 0;

  constructor(text: string, place: ShellPlace) {
    this.#text = text;
    this.#place = place;
  }

  /** Null if the program is not understood. */
  read(): readonly ShellFinding[] | null {
    while (this.#at < this.#text.length) {
      this.#skip(/[\s;{}]*/y);
      if (this.#at >= this.#text.length) break;
      if (!this.#address() || !this.#command()) return null;
    }
    return this.#findings;
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #address(): boolean {
    for (;;) {
      this.#skip(/\s*/y);
      const next = this.#text[this.#at] ?? "";
      if (next === "/" || next === "\\") {
        if (next === "\\") this.#at += 1;
        const delimiter = this.#text[this.#at] ?? "";
        this.#at += 1;
        if (!this.#upTo(delimiter, true)) return false;
        this.#skip(/[IM]*/y);
      } else {
        this.#skip(/\$|[+~]?\d+(?:~\d+)?/y);
      }
      this.#skip(/\s*/y);
      if (this.#text[this.#at] !== ",") break;
      this.#at += 1;
    }
    this.#skip(/[\s!]*/y);
    return true;
  }

  /** Moves behind the next such delimiter that is not escaped. Gives up if it stands in brackets: programs differ there. */
  #upTo(delimiter: string, isPattern: boolean): boolean {
    if (delimiter === "" || delimiter === "\n" || delimiter === "\\") return false;
    let isInBrackets = false;
    while (this.#at < this.#text.length) {
      const next = this.#text[this.#at] ?? "";
      this.#at += 1;
      if (next === "\\") this.#at += 1;
      else if (next === delimiter) return !isInBrackets;
      else if (isPattern && next === "[" && !isInBrackets) {
        isInBrackets = true;
        this.#skip(/\^?\]?/y);
      } else if (next === "]") isInBrackets = false;
    }
    return false;
  }

  #command(): boolean {
    const command = this.#text[this.#at] ?? "";
    this.#at += 1;
    if (command === "s") return this.#substitute();
    if (command === "y") return this.#pair() && this.#ends();
    if (/^[aic]$/.test(command)) return this.#skip(/(?:[^\\\n]|\\[^])*/y) !== null;
    if (/^[rR:btT]$/.test(command)) return this.#skip(/[^;\n}]*/y) !== null;
    if (/^[wW]$/.test(command)) return this.#write();
    if (/^[qQlL]$/.test(command)) {
      this.#skip(/\s*\d*/y);
      return this.#ends();
    }
    if (/^[{}]$/.test(command)) return true;
    return /^[=dDgGhHnNpPxzF]$/.test(command) && this.#ends();
  }

  #pair(): boolean {
    const delimiter = this.#text[this.#at] ?? "";
    this.#at += 1;
    return this.#upTo(delimiter, true) && this.#upTo(delimiter, false);
  }

  #substitute(): boolean {
    if (!this.#pair()) return false;
    const flags = this.#skip(/[gpiImM0-9]*/y);
    if (flags.length > 20) return false;
    if (this.#text[this.#at] !== "w") return this.#ends();
    this.#at += 1;
    return this.#write();
  }

  #write(): boolean {
    const path = this.#skip(/[^\n]*/y).trim();
    if (path === "") return false;
    const target = literal(path);
    if (!isSink(target)) this.#findings.push(...writes("sed w", targetsAt(this.#place, [target])));
    return true;
  }

  #ends(): boolean {
    this.#skip(/[ \t]*/y);
    const next = this.#text[this.#at];
    return next === undefined || /[;\n}#]/.test(next) ? this.#skip(/#[^\n]*/y) !== null : false;
  }
}
