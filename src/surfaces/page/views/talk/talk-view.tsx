/** What was said in the room, and a composer to say something. */
import { type ReactNode, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import type { AgentId } from "../../../../core/ids.ts";
import { olderThan } from "../../event-log.ts";
import { Empty } from "../../kit/empty.tsx";
import { LongList } from "../../kit/long-list.tsx";
import { wordsOfError } from "../../kit/use-answer.ts";
import { MailStrip } from "../../mail/mail-strip.tsx";
import { type RoomView, usePage } from "../../page-context.ts";
import { Composer } from "./composer.tsx";
import { addressed, answering } from "./composer-state.ts";
import { TalkMessageRow } from "./message-row.tsx";
import "./talk.css";
import { useNewAfter } from "./new-in-talk.ts";
import { TalkOtherRow } from "./talk-row.tsx";
import {
  firstShown,
  foldOver,
  furtherBack,
  isNewTo,
  type MessageRow,
  rowNamed,
  shownFrom,
  type TalkRow,
  talkRows,
  withNewLine,
} from "./talk-rows.ts";
import { beginningOf, useComposer } from "./use-composer.ts";

export function TalkView({ room }: { readonly room: RoomView }): ReactNode {
  const { place, goTo } = usePage();
  const [, composer] = useComposer(room.picture.roomId);
  const field = useRef<HTMLTextAreaElement>(null);
  const { me } = room.picture;
  const newAfter = useNewAfter(room);
  const { rows, named, back, toggle } = useRows(room, place.item);
  const shown = useMemo(() => withNewLine(rows, newAfter, me), [rows, newAfter, me]);
  useRecipientNamed(room, place.item, field);

  const answer = useCallback(
    ({ message: { messageId, from, body } }: MessageRow) => {
      if (from === null) return;
      composer.change((state) => answering(state, { messageId, from, words: beginningOf(body) }));
      field.current?.focus();
    },
    [composer],
  );
  return (
    <div className="view talk">
      <Older room={room} back={back} />
      {place.item !== null && named === null && !place.item.startsWith("to:") && (
        <p className="notice talk-notice" role="status">
          What this address names is not loaded.{" "}
          <button type="button" className="link" onClick={() => goTo({ item: null })}>
            Show the newest
          </button>
        </p>
      )}
      {rows.length === 0 ? (
        <div className="view-body">
          <Empty>
            Nothing was said yet. Messages, handoffs and notes of the agents appear here, and what happens between.
          </Empty>
        </div>
      ) : (
        <LongList<TalkRow>
          label="Talk"
          items={shown}
          keyOf={keyOfRow}
          followsEnd
          onNearStart={back.load}
          shown={named?.key ?? null}
          itemSize={48}
        >
          {(row) =>
            row.kind === "message" ? (
              <TalkMessageRow
                room={room}
                row={row}
                isMarked={row.key === named?.key}
                isNew={newAfter !== null && row.depth > 0 && isNewTo(row.event, newAfter, me)}
                onAnswer={answer}
              />
            ) : (
              <TalkOtherRow room={room} row={row} isMarked={row.key === named?.key} onFold={toggle} />
            )
          }
        </LongList>
      )}
      <MailStrip room={room} />
      <Composer room={room} field={field} />
    </div>
  );
}

function keyOfRow({ key }: TalkRow): string {
  return key;
}

/** The ways back into the log. */
interface Back {
  readonly load: () => void;
  readonly isLoading: boolean;
  readonly fault: string | null;
  /** Whether all that the page has is shown. */
  readonly isAllShown: boolean;
}

function useRows(room: RoomView, item: string | null) {
  // While many events come, the page stays quick and the rows follow.
  const events = useDeferredValue(room.open.log.events);
  const [wanted, setWanted] = useState<number | null>(null);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const named = useMemo(() => rowNamed(item, events), [item, events]);
  const first = firstShown(events, wanted);
  if (first !== null && (wanted === null || wanted > (events.at(-1)?.seq ?? 0))) setWanted(first);
  const from = named !== null && first !== null ? Math.min(first, named.seq) : first;
  const rows = useMemo(() => talkRows(shownFrom(events, from), opened), [events, from, opened]);
  const fold = named === null ? null : foldOver(rows, named.seq);
  if (fold !== null && !opened.has(fold)) setOpened(new Set([...opened, fold]));
  const further = furtherBack(events, from);
  const showMore = () => setWanted(further ?? Math.max(1, (from ?? 1) - 1));
  const back = useBack(showMore, further === null);
  const toggle = useCallback(
    ({
      firstSeq,
      isOpen,
      lastSeq,
    }: {
      readonly firstSeq: number;
      readonly lastSeq: number;
      readonly isOpen: boolean;
    }) =>
      setOpened((before) => {
        const others = [...before].filter((seq) => seq < firstSeq || seq > lastSeq);
        return new Set(isOpen ? others : [...others, firstSeq]);
      }),
    [],
  );
  return { rows, named, back, toggle };
}

/** First what is loaded, then what the log has. */
function useBack(showMore: () => void, isAllShown: boolean): Back {
  const { source } = usePage();
  const [isLoading, setLoading] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const loadOlder = async () => {
    setLoading(true);
    try {
      await source.loadOlder();
      setFault(null);
      showMore();
    } catch (error) {
      setFault(wordsOfError(error));
    } finally {
      setLoading(false);
    }
  };
  const load = () => {
    if (isLoading) return;
    if (!isAllShown) {
      showMore();
      return;
    }
    void loadOlder();
  };
  return { load, isLoading, fault, isAllShown };
}

/** Says how far back the talk goes. */
function Older({ room, back }: { readonly room: RoomView; readonly back: Back }): ReactNode {
  if (olderThan(room.open.log) === 0 && back.isAllShown) return null;
  return (
    <p className="talk-older small muted row">
      {back.fault === null ? "Older events are not shown yet." : `Older events could not be loaded: ${back.fault}`}
      <button type="button" className="link small" disabled={back.isLoading} onClick={back.load}>
        {back.isLoading ? "Loading …" : "Show older"}
      </button>
    </p>
  );
}

/** `to:<agent id>` in the address chooses the recipient. */
function useRecipientNamed(
  room: RoomView,
  item: string | null,
  field: { readonly current: HTMLTextAreaElement | null },
): void {
  const [, composer] = useComposer(room.picture.roomId);
  const to = item?.startsWith("to:") ? (item.slice(3) as AgentId) : null;
  useEffect(() => {
    if (to === null) return;
    composer.change((state) => addressed(state, to));
    field.current?.focus();
  }, [composer, to, field]);
}
