/** Commands of the shell itself that set variables. What they set may change what the rest of the line does. */
import { type ShellFinding, unknown } from "./finding.ts";
import { isPowerful } from "./variables.ts";
import type { Argument } from "./words.ts";

/** The words of these are names of variables, with or without a value. */
const NAMING = new Set([
  "export",
  "declare",
  "typeset",
  "local",
  "readonly",
  "unset",
  "read",
  "mapfile",
  "readarray",
  "getopts",
  "let",
]);
const OTHERS = new Set(["set", "printf", "unalias", "test", "[", "cd", "pushd", "popd"]);

export function setsVariables(name: string): boolean {
  return NAMING.has(name) || name === "printf";
}

/** Null if it is no such command. */
export function judgeBuiltin(name: string, words: readonly Argument[]): readonly ShellFinding[] | null {
  if (name === "alias") return words.length === 0 ? [] : unknown("alias");
  if (!NAMING.has(name) && !OTHERS.has(name)) return null;
  if (name === "printf" && !words[0]?.text.startsWith("-v")) return [];
  // The shell runs a substitution in an index such as a[$(…)], even if the word is quoted.
  if (words.some(({ text, isLiteral }) => isLiteral && /\[[^]*(?:\$\(|`)/.test(text))) return unknown(name);
  if (!setsVariables(name)) return [];
  if (/^(mapfile|readarray)$/.test(name) && words.some(({ text }) => /^-[a-zA-Z]*C/.test(text))) return unknown(name);
  const powerful = words.find(({ text, isLiteral, mayBeFlags }) => {
    const [variable = "", value] = text.split(/\+?=(.*)/s);
    if (name === "export" && value === undefined) return false;
    if (!isLiteral && value === undefined) return mayBeFlags && name !== "let";
    return isPowerful(
      variable,
      value === undefined || !isLiteral ? null : { text: value, isLiteral, mayBeFlags: false },
    );
  });
  return powerful ? unknown(`${name} ${powerful.text}`) : [];
}

/** The names that the words of such a command may set. */
export function namesIn(words: readonly Argument[]): readonly string[] {
  return words.map(({ text }) => /^(?:-v)?(\w*)/.exec(text)?.[1] ?? "");
}
