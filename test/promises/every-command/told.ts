/** What a story was told, so that it can be compared with what it is told on another store. */

export interface Told {
  readonly step: string;
  readonly answer: unknown;
}

/** Ids, times and places become names that are the same on every store. */
export class Teller {
  readonly told: Told[] = [];
  readonly #root: string;
  readonly #ids = new Map<string, string>();
  readonly #ranks = new Map<number, number>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Keeps the place of a step whose answer comes later than those of steps after it. */
  begin(step: string): (answer: unknown) => void {
    const place = this.told.length;
    this.told.push({ step, answer: "none yet" });
    return (answer) => {
      this.told[place] = { step, answer };
    };
  }

  /** To be called at the end, when every answer is there: ids are named in the order of the steps. */
  all(): readonly Told[] {
    // A store may leave numbers out; only their order means something.
    const numbers = new Set(this.told.flatMap(({ answer }) => numbersIn(answer)));
    [...numbers].toSorted((one, other) => one - other).forEach((seq, index) => this.#ranks.set(seq, index + 1));
    return this.told.map(({ step, answer }) => ({ step: this.#plain(step) as string, answer: this.#plain(answer) }));
  }

  #plain(value: unknown, key = ""): unknown {
    if (typeof value === "string") return this.#plainText(value);
    if (typeof value === "number" && NUMBERED.test(key)) return `delivery ${this.#ranks.get(value)}`;
    if (typeof value === "number") return PASSING.test(key) ? "some time" : value;
    if (Array.isArray(value)) return value.map((item) => this.#plain(item, key));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.#plain(item, name)]));
  }

  #plainText(text: string): string {
    return text
      .replaceAll(this.#root, "ROOT")
      .replaceAll(TIME, "TIME")
      .replaceAll(ID, (id) => {
        const known = this.#ids.get(id) ?? `#${this.#ids.size + 1}`;
        this.#ids.set(id, known);
        return known;
      });
  }
}

const TIME = /\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?Z| \d\d:\d\d:\d\d UTC)/g;
/** As the ports of the story give them out. */
const ID = /\b(?:ttlease_)?id\d+\b/g;
/** What is left of a deadline, or how long something lasted. */
const PASSING = /(_at|_at_secs|^silent_ms|^waited_ms|^locked_ms)$/;
/** The numbers of deliveries. */
const NUMBERED = /delivery_seq$|^requeued_(as|from)$/;

function numbersIn(value: unknown, key = ""): readonly number[] {
  if (typeof value === "number") return NUMBERED.test(key) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => numbersIn(item, Array.isArray(value) ? key : name));
}
