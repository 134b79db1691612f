/**
 * How long a process waits for the lock of the store, and how often it looks.
 *
 * A writer that is frozen with the lock must cost the others no more than one budget. A lock that changes hands is
 * another matter: many processes want it, and each gets it in the end. So the budget begins again with each commit of
 * another process, up to a limit.
 */
import { Fault } from "../../core/fault.ts";
import type { SqliteConnection } from "./connection.ts";

export interface Patience {
  /** How long to try while nobody commits. */
  readonly budgetMs: number;
  /** How long to try at most. */
  readonly limitMs: number;
  /** Random numbers from 0 to 1, so that waiting processes do not retry in step. */
  readonly jitter: () => number;
  /** The processes that hold the file's lock, for the fault's facts. */
  readonly lockHolders?: ((file: string) => readonly number[]) | undefined;
}

/**
 * Pauses are short at first, because most locks are held for less than a millisecond. Then they are long, so that many
 * waiting processes leave the processor to the writer. Then they shrink with the time waited: the process that waits
 * longest tries most often, and none starves. They shrink slowly. If all of many waiting processes tried often, their
 * attempts would take the processor from the one that holds the lock.
 */
const EAGER_TRIES = 5;
const EAGER_GROWTH = 1.5;
const LONGEST_PAUSE_MS = 40;
const SHORTEST_PAUSE_MS = 5;
/** The pauses are shortest from this share of the budget on. */
const IMPATIENT_AFTER = 0.5;

export function pauseMs({ budgetMs, jitter }: Patience, tries: number, waitedMs: number): number {
  const aging = LONGEST_PAUSE_MS * (1 - waitedMs / (IMPATIENT_AFTER * budgetMs));
  const longestMs = tries < EAGER_TRIES ? EAGER_GROWTH ** tries : Math.max(SHORTEST_PAUSE_MS, aging);
  return (0.1 + 0.9 * jitter()) * longestMs;
}

/** What a call has done so far to get the lock. */
interface Tried {
  /** The attempts before this one. */
  readonly tries: number;
  readonly waitedMs: number;
}

/** The time that one call still has. It begins with the first pause; most calls never need it. */
export class TimeForLock {
  readonly #connection: SqliteConnection;
  readonly #patience: Patience;
  readonly #limit: NodeJS.Timeout;
  #limitIsOver = false;
  #budget: NodeJS.Timeout | undefined;
  #budgetIsOver = false;
  /** Null while unknown. */
  #commits: unknown;
  /** How long the call had waited when it last saw a commit. */
  #seenAfterMs = 0;

  constructor(connection: SqliteConnection, patience: Patience) {
    this.#connection = connection;
    this.#patience = patience;
    this.#commits = this.#commitsOfOthers();
    this.#limit = setTimeout(() => {
      this.#limitIsOver = true;
    }, patience.limitMs);
    this.#beginBudget();
  }

  /** How much of it is over at the end. */
  get spentMs(): number {
    const { budgetMs, limitMs } = this.#patience;
    return this.#limitIsOver ? limitMs : Math.min(Math.round(this.#seenAfterMs) + budgetMs, limitMs);
  }

  /** Must be called right after an attempt, which has checked the files. */
  isOver({ tries, waitedMs }: Tried): boolean {
    // After a short pause the question would cost as much as the attempt.
    if ((tries >= EAGER_TRIES || this.#budgetIsOver) && this.#othersHaveCommitted()) {
      this.#seenAfterMs = waitedMs;
      this.#beginBudget();
    }
    return this.#budgetIsOver || this.#limitIsOver;
  }

  end(): void {
    clearTimeout(this.#budget);
    clearTimeout(this.#limit);
  }

  #beginBudget(): void {
    clearTimeout(this.#budget);
    this.#budgetIsOver = false;
    this.#budget = setTimeout(() => {
      this.#budgetIsOver = true;
    }, this.#patience.budgetMs);
  }

  /** Since they were last looked at. */
  #othersHaveCommitted(): boolean {
    const before = this.#commits;
    const now = this.#commitsOfOthers();
    if (now === null) return false;
    this.#commits = now;
    return before !== null && now !== before;
  }

  /** Differs when another process has committed; null if even that cannot be read now. */
  #commitsOfOthers(): unknown {
    try {
      return this.#connection.value("PRAGMA data_version");
    } catch (error) {
      if (error instanceof Fault && error.code === "store_busy") return null;
      throw error;
    }
  }
}
