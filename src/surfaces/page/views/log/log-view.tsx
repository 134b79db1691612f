/** Everything that happened in the room, one line each. A line opens to the whole event. */
import { type KeyboardEvent, type ReactNode, useDeferredValue, useEffect, useMemo, useState } from "react";
import type { RoomEvent } from "../../../../core/event.ts";
import { Empty } from "../../kit/empty.tsx";
import { LongList } from "../../kit/long-list.tsx";
import { useKeptFocus } from "../../kit/use-kept-focus.ts";
import { type RoomView, usePage } from "../../page-context.ts";
import { isFiltering, type LogFilter, NO_FILTER, namesOfAgent, testOf } from "./log-filter.ts";
import { LogFilters } from "./log-filters.tsx";
import { LogLine } from "./log-line.tsx";
import { logItemOf, logPlaceOf } from "./log-place.ts";
import { LogReach } from "./log-reach.tsx";
import { useFound } from "./use-found.ts";
import { useTyped } from "./use-typed.ts";
import "./log.css";

const keyOf = ({ seq }: RoomEvent) => seq;

export function LogView({ room }: { readonly room: RoomView }): ReactNode {
  const { place, goTo, source, tell } = usePage();
  const { events } = room.open.log;
  const { filter: placed, seq } = useMemo(() => logPlaceOf(place.item), [place.item]);
  const [text, setText] = useTyped(placed.text);
  const filter = useMemo(() => ({ ...placed, text }), [placed, text]);
  const found = useFiltered(room, useDeferredValue(filter));
  // An event that the person opened here is in sight already.
  const [openedHere, setOpenedHere] = useState<number | null>(null);

  const { box, onFocus } = useKeptFocus<HTMLElement>();
  const isOpenedHere = seq !== null && seq === openedHere;
  useEffect(() => {
    if (!isOpenedHere) return;
    // What opens below the edge comes into sight, as soon as the list has measured it.
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        box.current?.querySelector('.log-line[data-open="true"]')?.scrollIntoView({ block: "nearest" }),
      ),
    );
  }, [box, isOpenedHere, seq]);

  const show = (next: LogFilter) => {
    setText(next.text);
    const item = logItemOf({ filter: next, seq });
    if (item !== place.item) goTo({ item });
  };
  const open = (event: RoomEvent) => {
    const next = event.seq === seq ? null : event.seq;
    setOpenedHere(next);
    goTo({ item: logItemOf({ filter, seq: next }) });
  };
  const close = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || seq === null) return;
    goTo({ item: logItemOf({ filter, seq: null }) });
  };
  const loadOlder = () => {
    if (!isFiltering(filter)) source.loadOlder().catch((error: Error) => tell(error.message, "error"));
  };
  return (
    <section className="view log-view" aria-label="Log" ref={box} onFocus={onFocus} onKeyDown={close}>
      <div className="view-head log-head">
        <LogFilters room={room} filter={filter} onChange={show} onType={setText} />
        <LogReach room={room} found={found} onClear={isFiltering(filter) ? () => show(NO_FILTER) : null} wanted={seq} />
      </div>
      {found.events.length === 0 ? (
        <Empty>
          {found.left > 0
            ? "Searching …"
            : events.length === 0
              ? "What happens in this room stands here, one line each: turns, messages, notes, and who came and went."
              : "No event that is loaded matches."}
        </Empty>
      ) : (
        <LongList
          key={found.name}
          label="Events"
          items={found.events}
          keyOf={keyOf}
          followsEnd
          itemSize={30}
          shown={seq === openedHere ? null : seq}
          onOpen={open}
          onNearStart={loadOlder}
        >
          {(event) => <LogLine room={room} event={event} isOpen={event.seq === seq} onToggle={open} />}
        </LongList>
      )}
    </section>
  );
}

function useFiltered(room: RoomView, filter: LogFilter) {
  const { picture, open, nameOf } = room;
  const { events } = open.log;
  const { me, roomId, names: called } = picture;
  const names = useMemo(() => namesOfAgent(events, filter.agent), [events, filter.agent]);
  const namesText = [...names].toSorted().join(" ");
  const calledText = useMemo(() => JSON.stringify(called), [called]);
  // Another set of names or of handles finds other events.
  const name = JSON.stringify([roomId, filter, namesText, filter.text === NO_FILTER.text ? "" : calledText]);
  const test = useMemo(
    () => (isFiltering(filter) ? testOf(filter, names, { me, nameOf }) : null),
    [filter, names, me, nameOf],
  );
  return { ...useFound(events, name, test), name };
}
