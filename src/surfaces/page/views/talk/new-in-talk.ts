/** Marks what came into the talk of a room while the person looked elsewhere. It is known as long as the page is open. */
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from "react";
import type { RoomId } from "../../../../core/ids.ts";
import { lastSeqOf } from "../../event-log.ts";
import { usePageVisible } from "../../kit/use-page-visible.ts";
import { type RoomView, usePage } from "../../page-context.ts";
import type { PageSource } from "../../source.ts";
import { countNew } from "./talk-rows.ts";

/** The newest event of each room when the person last left its talk. */
class LastLooks {
  readonly #rooms = new Map<RoomId, number>();
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (changed: () => void) => {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  };

  /** Null: the person has not left it yet. */
  of(roomId: RoomId): number | null {
    return this.#rooms.get(roomId) ?? null;
  }

  left(roomId: RoomId, lastSeq: number): void {
    this.#rooms.set(roomId, lastSeq);
    for (const listener of this.#listeners) listener();
  }
}

const looks = new WeakMap<PageSource, LastLooks>();

function looksOf(source: PageSource): LastLooks {
  const last = looks.get(source) ?? new LastLooks();
  looks.set(source, last);
  return last;
}

/** For the talk itself: what comes after this event is new. Null: nothing is. */
export function useNewAfter({ picture: { roomId }, open }: RoomView): number | null {
  const { source, state } = usePage();
  const isVisible = usePageVisible();
  const [newAfter, setNewAfter] = useState<number | null>(null);
  const arrive = useEffectEvent(() => setNewAfter(looksOf(source).of(roomId)));
  const leave = useEffectEvent(() => {
    const lastSeq = lastSeqOf(open.log);
    if (lastSeq !== null) looksOf(source).left(roomId, lastSeq);
  });
  useEffect(() => {
    if (!isVisible) return undefined;
    arrive();
    return () => leave();
  }, [isVisible]);
  return state.link.kind === "recorded" ? null : newAfter;
}

/** For the name of the view, while another one is shown: how many messages are new. */
export function useNewCount({ picture: { roomId, me }, open }: RoomView): number {
  const { source, state } = usePage();
  const last = looksOf(source);
  const after = useSyncExternalStore(last.subscribe, () => last.of(roomId));
  return after === null || state.link.kind === "recorded" ? 0 : countNew(open.log.events, after, me);
}
