import { SeededRandom } from "../../../test/support/random.ts";

/** How much faster than in life everything goes. When it changes, a pause that is under way goes on at the new pace. */
export class Pace {
  readonly #random: SeededRandom;
  readonly #wakers = new Set<() => void>();
  #factor: number;
  #isOver = false;

  constructor(factor: number, seed: number) {
    this.#factor = factor;
    this.#random = new SeededRandom(seed);
  }

  get random(): SeededRandom {
    return this.#random;
  }

  change(factor: number): void {
    this.#factor = factor;
    this.#wake();
  }

  /** Every pause ends now, and none begins. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Some time, as life has it: often less than the mean, now and then much more. */
  around(meanMs: number): Promise<void> {
    return this.#pass(Math.min(4, -Math.log(1 - this.#random.next())) * meanMs);
  }

  /** In real time, at any pace. */
  async inRealTime(ms: number): Promise<void> {
    const until = performance.now() + ms;
    for (let left = ms; left > 0 && !this.#isOver; left = until - performance.now()) await this.#sleep(left);
  }

  async #pass(lifeMs: number): Promise<void> {
    for (let left = lifeMs; left > 0 && !this.#isOver; ) {
      const [since, factor] = [performance.now(), this.#factor];
      await this.#sleep(left / factor);
      left -= (performance.now() - since) * factor;
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#wakers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#wakers.add(wake);
    });
  }

  #wake(): void {
    for (const wake of this.#wakers) wake();
  }
}
