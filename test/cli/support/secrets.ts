/**
 * Watches everything that the commands of a test print. A lease is a secret of its holder: it may be in the answer
 * that grants the holder its turn, and nowhere else.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The agent that the random words of a line name. */
export const ANYBODY = "anybody";

interface Printed {
  readonly who: string;
  readonly line: string;
  readonly text: string;
}

export class SecretWatch {
  readonly #agents: string;
  readonly #printed: Printed[] = [];
  readonly #holders = new Map<string, string>();

  constructor(agents: string) {
    this.#agents = agents;
  }

  keep(printed: Printed): void {
    this.#printed.push(printed);
    // What was granted, in words or as JSON, is in the holder's own file until it is given back.
    for (const [lease, holder] of rememberedIn(this.#agents)) this.#learn(lease, holder);
    for (const lease of leasesIn(printed.text)) this.#learn(lease, printed.who);
  }

  get leases(): readonly string[] {
    return [...this.#holders.keys()];
  }

  check(): void {
    const leaks = this.#printed.flatMap(({ who, line, text }) =>
      this.leases
        .filter((lease) => text.includes(lease))
        .filter((lease) => !this.#mayRead(lease, who) || !text.includes('"status":"your_turn"'))
        .map(() => `${who}: tt ${line}`),
    );
    if (leaks.length > 0) throw new Error(`a lease was shown to an agent that does not hold it: ${leaks.join("; ")}`);
  }

  #mayRead(lease: string, who: string): boolean {
    return who === ANYBODY || this.#holders.get(lease) === who;
  }

  #learn(lease: string, holder: string): void {
    if (!this.#holders.has(lease)) this.#holders.set(lease, holder);
  }
}

/** Leases and whose they are. A file is named after its agent and room. */
function rememberedIn(agents: string): readonly (readonly [lease: string, holder: string])[] {
  return namesIn(agents)
    .filter((name) => name.startsWith("turn."))
    .flatMap((name) => {
      const [holder = ""] = decodeURIComponent(name.slice("turn.".length)).split(" ");
      return leasesIn(textOf(join(agents, name))).map((lease) => [lease, holder] as const);
    });
}

/** A hidden one is none. */
function leasesIn(text: string): readonly string[] {
  return [...text.matchAll(/"lease_id": ?"([^"[]+)"/g)].map((match) => match[1] ?? "");
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Nothing was opened yet, or the test made it unreadable.
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Another command has removed it meanwhile.
    return "";
  }
}
