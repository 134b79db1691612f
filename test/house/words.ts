import type { Breach } from "./rules.ts";

/** Words that make a reader stop, and the usual ones. They count inside names, too: `WHOEVER_ASKS`, `whoeverAsks`. */
const riddles: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\b(?:whoever|whomever|whosoever|somebodys?|those who|whom)\b/, "name the actor: holder, sender, member, person …"],
  [/\bshow(?:s|ed|n|ing)? (?:one|your|it)self\b|\boneself\b/, "say what it does"],
  [/\ball the same\b/, "anyway"],
  [/\b(?:lies|lay|lying) idle\b/, "is free"],
  [/\bfor want of\b/, "without"],
  [/\bfor ever\b/, "until stopped, or never ends"],
  [/\b(?:ran|runs?|running) out\b(?! of\b)/, "expires"],
  [/\bnot proven gone\b/, "may still be active"],
  [/\banew\b/, "again"],
  [/\bin vain\b/, "without success, or finds nothing"],
  [/\bat leisure\b/, "say what may wait"],
  [/\bbears\b/, "has"],
  [/\bnot certain who\b/, "cannot tell who"],
  [/\b(?:hence|thence|whence|thereof|therein|thereby|whereby|wherein|hitherto|henceforth|forthwith)\b/, "plain words"],
  [/\b(?:lest|albeit|nought|naught|betwixt|shall)\b/, "plain words"],
];

/** The rule for texts and names: the usual word. Breaks within a name, and at the end of a line, count as spaces. */
export function checkWords(path: string, text: string): Breach[] {
  const lines = text.split("\n").map(asWords);
  return lines.flatMap((line, index) =>
    riddles.flatMap(([word, instead]) => {
      const found = word.exec(line) ?? acrossEnd(word, line, lines[index + 1]);
      return found ? [`${path}:${index + 1} "${found[0].trim()}": ${instead}`] : [];
    }),
  );
}

/** A phrase that begins at the end of one line and ends in the next one. */
function acrossEnd(word: RegExp, line: string, next: string | undefined): RegExpExecArray | null {
  if (next === undefined || word.test(next)) return null;
  return word.exec(`${line.trimEnd()} ${next.replace(/^\s*(?:\*|\/\/|--|#)?\s*/, "")}`);
}

function asWords(line: string): string {
  return line
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
}
