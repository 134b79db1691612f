/** The composer of each room, as long as the page is open: also while the person looks at another view or room. */
import { useMemo, useSyncExternalStore } from "react";
import type { RoomId } from "../../../../core/ids.ts";
import { clockOf } from "../../../../core/time.ts";
import { freshName, nowMs } from "../../browser.ts";
import { wordsOfError } from "../../kit/use-answer.ts";
import { usePage } from "../../page-context.ts";
import { type PageSource, RefusedError } from "../../source.ts";
import {
  arrived,
  askEnded,
  asking,
  awaitedIn,
  EMPTY_COMPOSER,
  failed,
  type LetterState,
  letterOf,
  type SentLetter,
  sending,
  whyNotSent,
} from "./composer-state.ts";

/** The longest that a question may wait. */
const ASK_MS = 300_000;

export class RoomComposer {
  readonly #source: PageSource;
  readonly #roomId: RoomId;
  readonly #listeners = new Set<() => void>();
  #state = EMPTY_COMPOSER;

  constructor(source: PageSource, roomId: RoomId) {
    this.#source = source;
    this.#roomId = roomId;
  }

  readonly state = () => this.#state;

  readonly subscribe = (changed: () => void) => {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  };

  change(to: (state: LetterState) => LetterState): void {
    this.#state = to(this.#state);
    for (const listener of this.#listeners) listener();
  }

  async send(): Promise<void> {
    const why = whyNotSent(this.#state, awaitedOn(this.#source));
    if (why !== null) {
      if (why !== "") this.change((state) => failed(state, why));
      return;
    }
    const letter = letterOf(this.#state, this.#roomId, freshName());
    if (letter.operation === "ask_peer") return this.#ask(letter);
    const sent = this.#state;
    this.change((state) => sending(state, letter));
    try {
      await this.#source.ask(letter.operation, letter.input);
      this.change((state) => arrived(state, sent));
    } catch (error) {
      this.change((state) => failed(state, wordsOfError(error)));
    }
  }

  async #ask(letter: SentLetter): Promise<void> {
    const { msgId, input } = letter;
    this.change((state) => asking(state, letter));
    try {
      const { reply } = await this.#source.ask("ask_peer", { ...input, timeout_ms: ASK_MS });
      const end = reply
        ? ({ state: "answered", words: reply.body } as const)
        : ({ state: "late", words: `Until ${clockOf(nowMs()).time.slice(0, 5)} no answer came.` } as const);
      this.change((state) => askEnded(state, msgId, end));
    } catch (error) {
      const isRefused = error instanceof RefusedError;
      const end = { state: isRefused ? "refused" : "unknown", words: wordsOfError(error) } as const;
      this.change((state) => askEnded(state, msgId, end));
    }
  }
}

const composers = new WeakMap<PageSource, Map<RoomId, RoomComposer>>();

/** How many answers the page awaits, in all rooms. */
function awaitedOn(source: PageSource): number {
  return [...(composers.get(source)?.values() ?? [])].reduce((sum, composer) => sum + awaitedIn(composer.state()), 0);
}

export function composerOf(source: PageSource, roomId: RoomId): RoomComposer {
  const rooms = composers.get(source) ?? new Map<RoomId, RoomComposer>();
  composers.set(source, rooms);
  const composer = rooms.get(roomId) ?? new RoomComposer(source, roomId);
  rooms.set(roomId, composer);
  return composer;
}

export function useComposer(roomId: RoomId): readonly [state: LetterState, composer: RoomComposer] {
  const { source } = usePage();
  const composer = useMemo(() => composerOf(source, roomId), [source, roomId]);
  return [useSyncExternalStore(composer.subscribe, composer.state), composer];
}

/** The beginning of a message, to know it again by. */
export function beginningOf(body: string): string {
  const [line = ""] = body.trim().split("\n");
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}
