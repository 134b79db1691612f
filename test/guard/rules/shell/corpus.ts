import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Effect } from "../../../../src/guard/rules/shell/finding.ts";

export interface Sample {
  readonly command: string;
  /** `unknown` is a command whose effect its text does not tell. */
  readonly effect: Effect;
  /** One third of the samples, by a hash of the text. Nothing was tuned to them. */
  readonly isHeldOut: boolean;
}

const EFFECTS: Readonly<Record<string, Effect>> = { R: "reads", W: "writes", U: "unknown" };

export function readCorpus(): readonly Sample[] {
  const samples: { effect: Effect; lines: string[] }[] = [];
  for (const line of readFileSync(join(import.meta.dirname, "corpus.txt"), "utf8").split("\n")) {
    const effect = EFFECTS[line[0] ?? ""];
    if (line.startsWith("| ")) samples.at(-1)?.lines.push(line.slice(2));
    else if (effect !== undefined && line[1] === " ") samples.push({ effect, lines: [line.slice(2)] });
  }
  return samples.map(({ effect, lines }) => {
    const command = lines.join("\n");
    return { command, effect, isHeldOut: hash(command) % 3 === 0 };
  });
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const unit of Buffer.from(text)) value = Math.imul(value ^ unit, 0x01000193) >>> 0;
  return value;
}
