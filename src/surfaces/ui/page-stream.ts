/** One stream to one page: what all pages are told, and the log of the room that this page shows. */
import { Fault } from "../../core/fault.ts";
import { asRoomId, isId, type RoomId } from "../../core/ids.ts";
import { viewOf } from "../../room/rules/event-view.ts";
import { pause } from "../follow/follow-board.ts";
import { LogFollower, type LogNews, type MessageMarks } from "../follow/follow-log.ts";
import { TRY_AGAIN_MS } from "../follow/while-away.ts";
import type { HelloLine, StreamRequest } from "../wire/stream-line.ts";
import type { BoardFeed } from "./board-feed.ts";
import type { LineWriter } from "./line-writer.ts";
import { linkedAbort } from "./linked-abort.ts";
import type { OpenStore, PageStore } from "./page-store.ts";

/** A line has no more, so that a slow page holds little of it in this process. */
const EVENTS_PER_LINE = 100;
const MARKS_PER_LINE = 500;
/** In a flood, many events come with one look. */
const BETWEEN_LOOKS_MS = 25;

export interface StreamOptions {
  readonly request: StreamRequest;
  readonly hello: HelloLine;
  readonly feed: BoardFeed;
  readonly store: PageStore;
  readonly writer: LineWriter;
  /** Aborted when the page has gone, or the server ends. */
  readonly cancel: AbortSignal;
}

/** Null if it is no request for a stream. */
export function streamRequestIn(body: Readonly<Record<string, unknown>>): StreamRequest | null {
  const { room = null, afterSeq = null } = body;
  if (room !== null && !isId(room)) return null;
  if (afterSeq !== null && !(Number.isSafeInteger(afterSeq) && (afterSeq as number) >= 0)) return null;
  return { room: room === null ? null : asRoomId(room), afterSeq: afterSeq as number | null };
}

export class PageStream {
  readonly #options: StreamOptions;
  readonly #keys = new Map<RoomId, string>();
  #order = "";
  #trouble: string | null = null;
  /** Why the log cannot be read, where the pictures perhaps can. */
  #logTrouble: string | null = null;
  #unread: number | null = null;
  #lastSeq: number | null;
  /** Called when the feed has changed. */
  #wake: () => void = () => undefined;
  #isOutdated = true;
  readonly #changed = () => {
    this.#isOutdated = true;
    this.#wake();
  };

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#lastSeq = options.request.afterSeq;
  }

  /** Until the page has gone, or the server ends. */
  async run(): Promise<void> {
    const { hello, feed, writer, cancel, request } = this.#options;
    const leave = feed.join(this.#changed);
    cancel.addEventListener("abort", this.#changed);
    try {
      await writer.send(hello);
      await this.#tellFirst();
      await Promise.all([this.#tellChanges(), request.room !== null && this.#tellLog(request.room)]);
    } finally {
      leave();
      cancel.removeEventListener("abort", this.#changed);
    }
  }

  /** The rooms come before the log, unless the store cannot be read. */
  async #tellFirst(): Promise<void> {
    const { feed, cancel } = this.#options;
    while (!cancel.aborted && feed.state.pictures === null && feed.state.trouble === null) await this.#nextChange();
    await this.#tellState();
  }

  async #tellChanges(): Promise<void> {
    while (!this.#options.cancel.aborted) {
      await this.#nextChange();
      await this.#tellState();
    }
  }

  /** Resolves at once if something has changed since the last call. */
  async #nextChange(): Promise<void> {
    if (!this.#isOutdated) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#isOutdated = false;
  }

  async #tellState(): Promise<void> {
    const { feed, writer } = this.#options;
    const { pictures, unread } = feed.state;
    const trouble = feed.state.trouble ?? this.#logTrouble;
    if (trouble !== this.#trouble) {
      this.#trouble = trouble;
      await writer.send({ line: "trouble", words: trouble });
    }
    if (pictures !== null) {
      const order = [...pictures.keys()];
      const changed = [...pictures.values()].filter(({ picture, key }) => this.#keys.get(picture.roomId) !== key);
      const isNew = changed.length > 0 || JSON.stringify(order) !== this.#order;
      this.#order = JSON.stringify(order);
      this.#keys.clear();
      for (const [roomId, { key }] of pictures) this.#keys.set(roomId, key);
      if (isNew) await writer.send({ line: "rooms", order, changed: changed.map(({ picture }) => picture) });
    }
    if (unread !== null && unread !== this.#unread) {
      this.#unread = unread;
      await writer.send({ line: "mail", unread });
    }
  }

  /** A store that goes away ends only this look at it: the page is told so, and the log goes on afterwards. */
  async #tellLog(roomId: RoomId): Promise<void> {
    const { store, cancel } = this.#options;
    while (!cancel.aborted) {
      let closed: AbortSignal | null = null;
      try {
        const open = await store.open();
        closed = open.closed;
        await this.#followIn(open, roomId);
      } catch (error) {
        if (error instanceof Fault) this.#setLogTrouble(`${error.message} Trying again.`);
        else if (closed?.aborted !== true) throw error;
      }
      await pause(TRY_AGAIN_MS, cancel);
    }
  }

  #setLogTrouble(trouble: string | null): void {
    this.#logTrouble = trouble;
    this.#changed();
  }

  /** Ends if the room is not there, or when the store is closed. */
  async #followIn({ deps, closed }: OpenStore, roomId: RoomId): Promise<void> {
    const { signal: cancel, release } = linkedAbort(this.#options.cancel, closed);
    try {
      const follower = new LogFollower({ deps, roomId, cancel });
      const first = await follower.begin(this.#lastSeq);
      if (this.#logTrouble !== null) this.#setLogTrouble(null);
      for (let news = first; news !== null; news = await follower.next()) {
        await this.#tellNews(roomId, news);
        await pause(BETWEEN_LOOKS_MS, cancel);
      }
    } finally {
      release();
    }
  }

  async #tellNews(roomId: RoomId, { events, marks, isNewest }: LogNews): Promise<void> {
    const { writer } = this.#options;
    // An empty log is news, too: it may replace another one.
    const parts = isNewest && events.length === 0 ? [[]] : inParts(events, EVENTS_PER_LINE);
    for (const [index, part] of parts.entries()) {
      await writer.send({ line: "log", roomId, events: part.map(viewOf), isNewest: isNewest && index === 0 });
      this.#lastSeq = part.at(-1)?.seq ?? this.#lastSeq;
    }
    await this.#tellMarks(roomId, marks);
  }

  async #tellMarks(roomId: RoomId, marks: MessageMarks): Promise<void> {
    const told = [...marks].map(([messageId, of]) => ({ messageId, marks: of }));
    for (const part of inParts(told, MARKS_PER_LINE))
      await this.#options.writer.send({ line: "marks", roomId, marks: part });
  }
}

function inParts<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
