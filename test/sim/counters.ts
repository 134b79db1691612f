/** Counts what really happened, so that a run which tests nothing cannot pass. */
export class Counters {
  readonly #counts = new Map<string, number>();

  add(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }

  addAll(other: Counters): void {
    for (const [name, count] of other.#counts) this.add(name, count);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  missing(names: readonly string[]): string[] {
    return names.filter((name) => this.of(name) === 0);
  }

  toString(): string {
    return [...this.#counts]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => `${name} ${count}`)
      .join(", ");
  }
}
