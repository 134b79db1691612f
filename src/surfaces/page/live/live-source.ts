/**
 * The data of a page whose server runs: one stream, which is opened again after each cut, and operations.
 *
 *   opening ──first line──▶ live ──cut, or silent for two beats──▶ behind ──first line of the next stream──▶ live
 *                            └──────────── the server refuses the secret ────────────▶ ended
 *
 * The next stream goes on after the last event that the page has, so that each comes once.
 */
import type { RoomId } from "../../../core/ids.ts";
import { clockOf } from "../../../core/time.ts";
import { BEAT_MS, type StreamRequest } from "../../wire/stream-line.ts";
import { nowMs } from "../browser.ts";
import { firstSeqOf, lastSeqOf, withOlder } from "../event-log.ts";
import { EMPTY_STATE, type Link, opened, type PageState, received } from "../page-state.ts";
import type { PageSource } from "../source.ts";
import { linesOf } from "./lines.ts";
import { callOperation, OldSecretError, post } from "./server-call.ts";
import { type ShownTab, watchShownTab } from "./shown-tab.ts";

const ENDED =
  "This page belongs to a tt ui that has ended. What you see is how it last was. Start another in a terminal: tt ui";
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5000;
/** After this long without an answer, it has probably ended. */
const LONG_MS = 15_000;
const OLDER_EVENTS = 500;

export class LiveSource implements PageSource {
  readonly #secret: string;
  readonly #tab: ShownTab;
  readonly #listeners = new Set<() => void>();
  #state: PageState = EMPTY_STATE;
  #stream: AbortController | null = null;
  #goOn: (() => void) | null = null;
  #behindSinceMs: number | null = null;
  #older: Promise<void> | null = null;

  constructor(secret: string) {
    this.#secret = secret;
    this.#tab = watchShownTab();
    this.#tab.onChange(() => this.#again());
    // The network may be back before the pause is over.
    addEventListener("online", () => this.#goOn?.());
  }

  readonly state = () => this.#state;

  readonly subscribe = (changed: () => void) => {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  };

  readonly ask: PageSource["ask"] = async (name, input) => {
    try {
      return await callOperation(name, input, this.#secret);
    } catch (error) {
      if (error instanceof OldSecretError) this.#linkIs({ kind: "ended", words: ENDED });
      throw error;
    }
  };

  readonly open = (roomId: string | null) => {
    const next = opened(this.#state, roomId as RoomId | null);
    if (next === this.#state) return;
    this.#change(next);
    this.#again();
  };

  /** One at a time. */
  readonly loadOlder = () => {
    this.#older ??= this.#loadOlder().finally(() => {
      this.#older = null;
    });
    return this.#older;
  };

  async #loadOlder(): Promise<void> {
    const { open } = this.#state;
    const first = open && firstSeqOf(open.log);
    if (open === null || first === null || first <= 1) return;
    const after = Math.max(0, first - 1 - OLDER_EVENTS);
    const input = { room_id: open.roomId, after_event_seq: after, limit: first - 1 - after };
    const { events } = await this.ask("get_room_events", input);
    const { open: now } = this.#state;
    if (now?.roomId !== open.roomId) return;
    this.#change({ ...this.#state, open: { ...now, log: withOlder(now.log, events) } });
  }

  /** Never ends, unless the server refuses the secret. */
  async run(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (this.#state.link.kind !== "ended") {
      if (this.#tab.isResting()) {
        await this.#pause(null);
        continue;
      }
      const stream = new AbortController();
      this.#stream = stream;
      const ended = await this.#follow(stream);
      if (ended === "again") continue;
      if (ended === "heard") pauseMs = FIRST_PAUSE_MS;
      this.#behind();
      await this.#pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  /** `again`: the page itself ended it. `heard`: it was cut after lines had come; `cut`: before. */
  async #follow(stream: AbortController): Promise<"again" | "heard" | "cut"> {
    let silence: ReturnType<typeof setTimeout> | undefined;
    let hasHeard = false;
    let isSilent = false;
    const listen = () => {
      clearTimeout(silence);
      silence = setTimeout(() => {
        isSilent = true;
        stream.abort();
      }, 2 * BEAT_MS);
    };
    try {
      listen();
      const response = await post("/api/stream", this.#secret, this.#request(), stream.signal);
      if (response.status === 403) {
        this.#linkIs({ kind: "ended", words: ENDED });
        return "again";
      }
      if (!response.ok || response.body === null) return "cut";
      for await (const lines of linesOf(response.body)) {
        listen();
        hasHeard = true;
        this.#behindSinceMs = null;
        this.#change({ ...lines.reduce(received, this.#state), link: { kind: "live" } });
      }
      return hasHeard ? "heard" : "cut";
    } catch {
      if (stream.signal.aborted && !isSilent) return "again";
      return hasHeard ? "heard" : "cut";
    } finally {
      clearTimeout(silence);
      stream.abort();
    }
  }

  #request(): StreamRequest {
    const { open } = this.#state;
    return { room: open?.roomId ?? null, afterSeq: open && lastSeqOf(open.log) };
  }

  /** Opens the stream again as the page needs it now. */
  #again(): void {
    this.#stream?.abort();
    this.#goOn?.();
  }

  /** Null: until something calls it back. */
  #pause(ms: number | null): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === null ? undefined : setTimeout(resolve, ms);
      this.#goOn = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #behind(): void {
    this.#behindSinceMs ??= nowMs();
    const since = `Behind since ${clockOf(this.#behindSinceMs).time}: tt ui does not answer. The page tries again by itself.`;
    const isLong = nowMs() - this.#behindSinceMs > LONG_MS;
    const words = isLong ? `${since} If tt ui has ended, start it again in a terminal: tt ui` : since;
    this.#linkIs({ kind: "behind", words });
  }

  #linkIs(link: Link): void {
    this.#change({ ...this.#state, link });
  }

  #change(state: PageState): void {
    this.#state = state;
    for (const changed of this.#listeners) changed();
  }
}
