/** The turns of the room, the newest first; one of them opens with its handoff, its checks and its changes. */
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { oneLine } from "../../../../core/visible.ts";
import { olderThan } from "../../event-log.ts";
import { AgentName } from "../../kit/agent-name.tsx";
import { AskingState, Empty } from "../../kit/empty.tsx";
import { LongList } from "../../kit/long-list.tsx";
import { useAnswer, wordsOfError } from "../../kit/use-answer.ts";
import { type RoomView, usePage } from "../../page-context.ts";
import { TurnEnding, TurnTimes } from "./turn-facts.tsx";
import { TurnPage } from "./turn-page.tsx";
import { type TurnRow, turnRows, turnsVersion } from "./turn-rows.ts";
import "./turns.css";

/** For so many the changes are looked up at first: each takes git a moment. */
const LISTED = 20;
const MORE = 3;
const MOST_LISTED = 200;

export function TurnsView({ room }: { readonly room: RoomView }): ReactNode {
  const { place, goTo } = usePage();
  const [limit, setLimit] = useState(LISTED);
  const { events } = room.open.log;
  const { picture } = room;
  const input = useMemo(() => ({ room_id: picture.roomId, limit }), [picture.roomId, limit]);
  const listing = useAnswer("list_turns", input, turnsVersion(events));
  const listed = listing.answer?.turns ?? null;
  const { turnId: lastTurnId } = picture.now;
  const rows = useMemo(() => turnRows(events, listed, lastTurnId), [events, listed, lastTurnId]);
  const opened = place.item === null ? null : Number(place.item);
  const open = opened === null ? null : rows.find(({ turnId }) => turnId === opened);
  const body = useRef<HTMLDivElement>(null);
  useFollowingFocus(body, open?.turnId ?? null);
  if (rows.length === 0 && listing.kind !== "failed") {
    if (lastTurnId > 0) return <Empty>Loading the turns …</Empty>;
    return (
      <Empty>No turn yet. A turn begins when an agent takes the stick, and ends when it hands the stick on.</Empty>
    );
  }
  const more = limit < MOST_LISTED && rows.length > limit ? () => setLimit(Math.min(MOST_LISTED, limit * MORE)) : null;
  return (
    <div ref={body} className={`view turns ${opened === null ? "" : "turns-has-open"}`}>
      <div className="turns-list">
        {listing.kind === "failed" && <AskingState asking={listing} what="the turns" />}
        {listing.answer?.record === "off" && (
          <p className="notice">Files are not kept, so no turn has a diff: the policy of this room says record=off.</p>
        )}
        <LongList
          label="Turns, the newest first"
          items={rows}
          keyOf={({ turnId }) => turnId}
          onOpen={({ turnId }) => goTo({ item: String(turnId) })}
          shown={open?.turnId ?? null}
          itemSize={76}
        >
          {(turn) => <TurnItem room={room} turn={turn} isOpen={turn === open} />}
        </LongList>
        <MoreTurns room={room} onMore={more} />
      </div>
      {open ? (
        <TurnPage key={open.turnId} room={room} turn={open} />
      ) : (
        <div className="turns-page">
          <Empty>
            {place.item === null ? (
              "Choose a turn to see what it changed."
            ) : (
              <NoSuchTurn item={place.item} isKnown={listing.kind !== "asking"} />
            )}
          </Empty>
        </div>
      )}
    </div>
  );
}

/** A person who opens or closes a turn by keys goes on where they are: in the turn, or at its row. */
function useFollowingFocus(body: RefObject<HTMLElement | null>, openId: number | null): void {
  const before = useRef<number | null>(null);
  useEffect(() => {
    const closedId = before.current;
    before.current = openId;
    const { activeElement: active } = document;
    const isLost = active === null || active === document.body || !active.checkVisibility();
    if (closedId === openId || !isLost) return;
    const row = `[role=listitem]:has([data-turn="${closedId}"])`;
    const places = openId === null ? [row, ".turns-list [role=list]"] : [".turns-table"];
    const found = places.map((place) => body.current?.querySelector<HTMLElement>(place)).find(Boolean);
    found?.focus({ preventScroll: true });
  }, [body, openId]);
}

interface NoSuchTurnProps {
  readonly item: string;
  /** Whether the list of turns is known, which reaches further back than the log does at first. */
  readonly isKnown: boolean;
}

function NoSuchTurn({ item, isKnown }: NoSuchTurnProps): ReactNode {
  const { state, goTo } = usePage();
  const isRecorded = state.link.kind === "recorded";
  if (!isKnown) return <>Loading turn {oneLine(item)} …</>;
  return (
    <>
      <p>
        {isRecorded
          ? `At this moment of the recording there is no turn ${oneLine(item)}.`
          : `There is no turn ${oneLine(item)} in what is loaded of the log. Load older turns to look further back.`}
      </p>
      <button type="button" className="link" onClick={() => goTo({ item: null })}>
        All turns
      </button>
    </>
  );
}

interface TurnItemProps {
  readonly room: RoomView;
  readonly turn: TurnRow;
  readonly isOpen: boolean;
}

function TurnItem({ room, turn, isOpen }: TurnItemProps): ReactNode {
  const { goTo } = usePage();
  const failed = turn.checks.filter(({ exitCode }) => exitCode !== 0).length;
  const passed = turn.checks.length - failed;
  return (
    <button
      type="button"
      className="list-choice turns-row"
      // Keys move among the items of the list, so that Tab goes on to the turn that is open.
      tabIndex={-1}
      data-turn={turn.turnId}
      aria-current={isOpen}
      onClick={() => goTo({ item: String(turn.turnId) })}
    >
      <span className="row">
        <span className="turns-turn">{turn.turnId}</span>
        <AgentName room={room} agentId={turn.agentId} />
        <TurnEnding room={room} turn={turn} />
      </span>
      <span className="row small">
        <TurnTimes turn={turn} />
        <span>{turn.changes ?? (turn.endedAt === null && !isOpen ? "open it to see its changes so far" : "")}</span>
        {passed > 0 && (
          <span className="turns-passed">✓ {passed === 1 ? "a check passed" : `${passed} checks passed`}</span>
        )}
        {failed > 0 && (
          <span className="turns-failed">✗ {failed === 1 ? "a check failed" : `${failed} checks failed`}</span>
        )}
      </span>
    </button>
  );
}

interface MoreTurnsProps {
  readonly room: RoomView;
  readonly onMore: (() => void) | null;
}

function MoreTurns({ room, onMore }: MoreTurnsProps): ReactNode {
  const { source, tell } = usePage();
  const [isLoading, setLoading] = useState(false);
  const hasOlder = olderThan(room.open.log) > 0;
  if (onMore === null && !hasOlder) return null;
  const load = () => {
    setLoading(true);
    void source
      .loadOlder()
      .catch((error: unknown) => tell(wordsOfError(error), "error"))
      .finally(() => setLoading(false));
  };
  return (
    <p className="row turns-more">
      {onMore !== null && (
        <button type="button" className="button" onClick={onMore}>
          Look up the changes of more turns
        </button>
      )}
      {hasOlder && (
        <button type="button" className="button" disabled={isLoading} onClick={load}>
          {isLoading ? "Loading …" : "Load older turns"}
        </button>
      )}
    </p>
  );
}
