/** What a filter finds in the log, piece by piece: no piece takes longer than a part of a frame. */
import { useEffect, useState } from "react";
import type { RoomEvent } from "../../../../core/event.ts";
import { elapsedSinceLoad } from "../../browser.ts";
import type { EventTest } from "./log-filter.ts";
import { type LogSearch, leftToLook, NEW_SEARCH, searchedOn, within } from "./log-search.ts";

interface Found {
  readonly events: readonly RoomEvent[];
  /** How many were not looked at yet. */
  readonly left: number;
}

const PIECE_MS = 8;

/** `name`: what the search is for. Under another name it begins again. `test` null: every event is found. */
export function useFound(events: readonly RoomEvent[], name: string, test: EventTest | null): Found {
  const [last, setLast] = useState<{ readonly name: string; readonly search: LogSearch }>({ name, search: NEW_SEARCH });
  const search = within(last.name === name ? last.search : NEW_SEARCH, events);
  const left = test === null ? 0 : leftToLook(search, events);
  useEffect(() => {
    if (test === null || left === 0) return undefined;
    const timer = setTimeout(() => {
      const startedMs = elapsedSinceLoad();
      const isEnough = () => elapsedSinceLoad() - startedMs > PIECE_MS;
      setLast({ name, search: searchedOn(search, events, test, isEnough) });
    }, 0);
    return () => clearTimeout(timer);
  }, [name, test, search, events, left]);
  return test === null ? { events, left: 0 } : { events: search.found, left };
}
