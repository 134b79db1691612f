/**
 * What all streams of one server have in common: the pictures of all rooms, how much mail waits for the person, and
 * whether the store can be read. One follower serves them all, and none runs while no page is open.
 */
import { Fault } from "../../core/fault.ts";
import type { RoomId } from "../../core/ids.ts";
import type { Deps } from "../../engine/deps.ts";
import { waitUntil } from "../../engine/wait-until.ts";
import { MailWatch } from "../../mail/mail-watch.ts";
import type { RoomPicture } from "../../peers/rules/picture.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import type { CliContext } from "../cli/context.ts";
import { protectionSight } from "../cli/protection-of.ts";
import { followBoard, pause } from "../follow/follow-board.ts";
import { drawnOf } from "../follow/follow-room.ts";
import { TRY_AGAIN_MS } from "../follow/while-away.ts";
import { linkedAbort } from "./linked-abort.ts";
import type { OpenStore, PageStore } from "./page-store.ts";
import { patientProbe } from "./patient-probe.ts";

export interface KeyedPicture {
  readonly picture: RoomPicture;
  /** Differs if something differs that a page shows. */
  readonly key: string;
}

export interface FeedState {
  /** Those that changed last first; null before the first look. */
  readonly pictures: ReadonlyMap<RoomId, KeyedPicture> | null;
  /** Null while it is not known. */
  readonly unread: number | null;
  /** Why the store cannot be read at the moment. */
  readonly trouble: string | null;
}

interface FeedOptions {
  readonly context: CliContext;
  readonly store: PageStore;
  readonly person: Caller | null;
  /** Called with a bug: the server cannot go on. */
  readonly broken: (error: unknown) => void;
}

export class BoardFeed {
  readonly #options: FeedOptions;
  readonly #listeners = new Set<() => void>();
  #run: AbortController | null = null;
  #state: FeedState = { pictures: null, unread: null, trouble: null };

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  get state(): FeedState {
    return this.#state;
  }

  /** Calls back after each change, until the function that it returns is called. */
  join(changed: () => void): () => void {
    this.#listeners.add(changed);
    if (this.#run === null) {
      const run = (this.#run = new AbortController());
      // What was known when the last page left may be long out of date.
      this.#state = { pictures: null, unread: null, trouble: null };
      this.#follow(run.signal).catch(this.#options.broken);
    }
    return () => {
      this.#listeners.delete(changed);
      if (this.#listeners.size > 0) return;
      this.#run?.abort();
      this.#run = null;
    };
  }

  #set(cancel: AbortSignal, change: Partial<FeedState>): void {
    // Another run may have begun meanwhile.
    if (cancel.aborted) return;
    this.#state = { ...this.#state, ...change };
    for (const changed of this.#listeners) changed();
  }

  async #follow(cancel: AbortSignal): Promise<void> {
    const { store } = this.#options;
    while (!cancel.aborted) {
      let open: OpenStore | null = null;
      try {
        open = await store.open();
        await this.#followWith(open, cancel);
      } catch (error) {
        const isFault = error instanceof Fault;
        if (!isFault && open?.closed.aborted !== true) throw error;
        if (isFault && open) await store.failed(open, error);
        if (isFault) this.#set(cancel, { trouble: `${error.message} Trying again.` });
      }
      if (open?.closed.aborted === true) continue;
      await pause(TRY_AGAIN_MS, cancel);
    }
  }

  /** Until cancelled, or until the store is closed. A fault of one ends both. */
  async #followWith({ deps, closed }: OpenStore, cancel: AbortSignal): Promise<void> {
    const { context, person } = this.#options;
    const { signal: until, abort, release } = linkedAbort(cancel, closed);
    const seen = { ...deps, probe: patientProbe(deps.probe) };
    const show = (pictures: readonly RoomPicture[]) => {
      const shown = pictures.map((picture) => [picture.roomId, keyed(picture)] as const);
      // That a store can be opened does not say that it can be read.
      this.#set(cancel, { pictures: new Map(shown), trouble: null });
    };
    const board = { deps: seen, roomId: null, person, cancel: until, ids: context.args.isSet("ids"), show };
    const followers = [
      followBoard({ ...board, protectionOf: protectionSight(context, deps.clock) }),
      person ? followMail(seen, person, until, (unread) => this.#set(cancel, { unread })) : Promise.resolve(),
    ];
    try {
      await Promise.all(followers);
    } finally {
      abort();
      release();
      await Promise.allSettled(followers);
    }
  }
}

/** A sign of life is news once a minute: pages show ages. */
function keyed(picture: RoomPicture): KeyedPicture {
  const seen = picture.agents.map(({ lastSeenAt }) => lastSeenAt?.slice(0, "2026-01-01T00:00".length) ?? null);
  return { picture, key: JSON.stringify([drawnOf(picture, 0), seen]) };
}

async function followMail(
  deps: Deps,
  person: Caller,
  cancel: AbortSignal,
  tell: (unread: number) => void,
): Promise<void> {
  const watch = new MailWatch(deps, person);
  let told: number | null = null;
  while (!cancel.aborted) {
    const ended = await waitUntil<number>(deps, {
      name: "all",
      cancel,
      look: async () => {
        const { unread, changesInMs } = await watch.look();
        return unread === told ? { changesInMs } : { found: unread };
      },
    });
    if (!("found" in ended)) return;
    told = ended.found;
    tell(told);
  }
}
