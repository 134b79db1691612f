/** How many events are shown, of how many, and what is not loaded. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { firstSeqOf, olderThan } from "../../event-log.ts";
import { ActButton } from "../../kit/act-button.tsx";
import { wordsOfError } from "../../kit/use-answer.ts";
import { type RoomView, usePage } from "../../page-context.ts";

interface LogReachProps {
  readonly room: RoomView;
  readonly found: { readonly events: readonly unknown[]; readonly left: number };
  /** Shows all events again. Null: nothing is filtered. */
  readonly onClear: (() => void) | null;
  /** The event that the address names. */
  readonly wanted: number | null;
}

/** One press loads several pieces: a person who looks for something old needs not press a hundred times. */
const PIECES = 10;

export function LogReach({ room, found, onClear, wanted }: LogReachProps): ReactNode {
  const { source, tell } = usePage();
  const [isLoading, setLoading] = useState(false);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  const first = firstSeqOf(room.open.log);
  const loaded = room.open.log.events.length;
  const older = olderThan(room.open.log);

  const loadOlder = async () => {
    setLoading(true);
    try {
      for (let piece = 0; piece < PIECES && !isGone.current; piece += 1) {
        const before = loadedFrom(source.state().open);
        await source.loadOlder();
        if (loadedFrom(source.state().open) === before) break;
      }
    } catch (error) {
      tell(wordsOfError(error), "error");
    }
    setLoading(false);
  };
  return (
    <div className="row small">
      <span role="status" className="muted">
        {onClear !== null
          ? `${counted(found.events.length)} of ${counted(loaded)} loaded events`
          : `${counted(loaded)} events`}
        {found.left > 0 && `, ${counted(found.left)} left to search`}
        {older > 0 && `; ${counted(older)} older ones are not loaded`}
        {older === 0 &&
          first !== null &&
          first > 1 &&
          `; those before event ${counted(first)} are not in the recording`}
        .{older > 0 && wanted !== null && first !== null && wanted < first && ` Event ${wanted} is one of these.`}
      </span>
      {onClear !== null && (
        <button type="button" className="link" onClick={onClear}>
          Clear the filter
        </button>
      )}
      {older > 0 && (
        <ActButton className="link" isActing={isLoading} onAct={() => void loadOlder()}>
          {isLoading ? "Loading …" : "Load older"}
        </ActButton>
      )}
    </div>
  );
}

function loadedFrom(open: { readonly log: RoomView["open"]["log"] } | null): number | null {
  return open && firstSeqOf(open.log);
}

function counted(count: number): string {
  return count.toLocaleString("en");
}
