/** What a user sees, as a text that is the same on every run: times, ids, paths and versions become their names. */
import { expect } from "vitest";
import { asPerson, type CliWorld, PERSON, type RunOptions } from "./cli-world.ts";

const COLUMNS = 80;
/** Longer words, such as paths and ids, cannot be broken. */
const UNBREAKABLE = 40;

export class Transcript {
  readonly #world: CliWorld;
  #text = "";

  constructor(world: CliWorld) {
    this.#world = world;
  }

  /** Types the line, checks what comes for width and colour, and writes it down. */
  async type(words: string | readonly string[], options: RunOptions = {}): Promise<void> {
    const { code, stdout, stderr } = await this.#world.tt(words, options);
    this.#write(words, options.as, code, `${stdout}${stderr}`);
  }

  async typeAsPerson(words: string | readonly string[]): Promise<void> {
    const { code, stdout } = await asPerson(this.#world, words, { env: { NO_COLOR: "1" } });
    this.#write(words, "a person", code, stdout);
  }

  get text(): string {
    return this.#text;
  }

  #write(words: string | readonly string[], who: string | undefined, code: number | null, shown: string): void {
    expectPlain(shown);
    const line =
      typeof words === "string" ? words : words.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(" ");
    const prompt = `${who === undefined ? "" : `${who} `}$ tt ${line}`.trimEnd();
    const ended = shown === "" || shown.endsWith("\n") ? shown : `${shown}\n`;
    this.#text += withoutAccidents(`${prompt}\n${ended}${code === 0 ? "" : `[exit ${code}]\n`}\n`, this.#world.root);
  }
}

/** Off a terminal there is no colour, and nothing is wider than 80 columns that could be broken. */
export function expectPlain(shown: string): void {
  expect(shown).not.toContain("\u001b");
  expect(shown.split("\n").filter(isTooWide)).toEqual([]);
}

function isTooWide(line: string): boolean {
  return Array.from(line).length > COLUMNS && !line.split(" ").some((word) => word.length > UNBREAKABLE);
}

/** How a turn ended. Where its lines end depends on how long the name of the person is. */
const TURN_END =
  /(?<=\n|tt: [^\n]*\. )[^\n.]*\b(?:took the|removed|closed the)\s[\s\S]*?\sUTC[\s\S]*?(?:given|")\.(?:\s+During that turn[\s\S]*?=\d+\.)*/g;

/** By where it stands: a short id may look like a word. */
const SHORT_ID =
  /(?<=\b(?:trace|reply|resolve|requeue|show|question|answers|note|before) |^[○✓] |^)[0-9a-z]{8}(?=$| {2}\S| from |, too| "…"|\)| --limit)/gm;

/** Times, ids, paths, names and versions differ from run to run. */
export function withoutAccidents(text: string, root: string): string {
  return text
    .replaceAll(root, "/R")
    .replace(/\b[0-9a-z]{25}(?:-\d+)?\b/g, "ID")
    .replace(SHORT_ID, "ID")
    .replace(/\b[0-9a-f]{10}\b(?= on )/g, "COMMIT")
    .replace(/^\d\d:\d\d:\d\d(?= {2})/gm, "HH:MM:SS")
    .replace(/(?<=taken )(?:just now|\d+[smhd] ago)/gm, "AGO")
    .replace(/(?<=seen |changed +|, |resolved by \S+ )(?:just now|now|\d+[smhd] ago)(?=$|,| ←)/gm, "AGO")
    .replace(/\b(?:in \d+[smhd]|within a minute)\b/g, "in TIME")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "INSTANT")
    .replace(TURN_END, (words) => words.replace(/\s+/g, " ").replace(/[\d-]{10} [\d:]{8} UTC/g, "INSTANT"))
    .replaceAll(new RegExp(`${PERSON} +(?=seen|waiting)`, "g"), "human:USER         ")
    .replaceAll(PERSON, "human:USER")
    .replace(/\btt \d+\.\d+\.\d+\b/g, "tt VERSION")
    .replace(/\bNode \d+\.\d+\.\d+, \w+/g, "Node VERSION, SYSTEM");
}
