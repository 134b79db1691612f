/** How many events are shown, of how many, and what is not loaded. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { firstSeqOf } from "../../event-log.ts";
import { wordsOfError } from "../../kit/use-answer.ts";
import { type RoomView, usePage } from "../../page-context.ts";

interface LogReachProps {
  readonly room: RoomView;
  readonly found: { readonly events: readonly unknown[]; readonly left: number };
  readonly isFiltered: boolean;
  /** The event that the address names. */
  readonly wanted: number | null;
}

/** One press loads several pieces: a person who looks for something old needs not press a hundred times. */
const PIECES = 10;

export function LogReach({ room, found, isFiltered, wanted }: LogReachProps): ReactNode {
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
  const older = first === null ? 0 : first - 1;

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
        {isFiltered
          ? `${counted(found.events.length)} of ${counted(loaded)} loaded events`
          : `${counted(loaded)} events`}
        {found.left > 0 && `, ${counted(found.left)} left to search`}
        {older > 0 && `; ${counted(older)} older ones are not loaded`}.
        {wanted !== null && first !== null && wanted < first && ` Event ${wanted} is one of these.`}
      </span>
      {older > 0 && (
        <button type="button" className="link" disabled={isLoading} onClick={() => void loadOlder()}>
          {isLoading ? "Loading …" : "Load older"}
        </button>
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
