/** What a person can do to the stick of a room at any time. */
import { type ReactNode, useEffect, useRef } from "react";
import { pauseOrResume, take } from "../../picture/step-in.ts";
import { type RoomView, usePage } from "../page-context.ts";

interface RoomActsProps {
  readonly room: RoomView;
  readonly isGiving: boolean;
  readonly onGive: (isGiving: boolean) => void;
}

export function RoomActs({ room, isGiving, onGive }: RoomActsProps): ReactNode {
  const { stepIn, run, tell } = usePage();
  const { picture } = room;
  const { now, me } = picture;
  const giveButton = useRef<HTMLButtonElement>(null);
  useReturn(giveButton, isGiving);
  if (now.state === "closed") {
    return (
      // With a key: it must not become the button that takes the stick, which a second press would reach.
      <button
        key="reopen"
        type="button"
        className="button"
        onClick={() => void run("join_path", { context_path: picture.path })}
      >
        Reopen the room
      </button>
    );
  }
  const isMine = now.holder !== null && now.holder.agentId === me;
  const takeIt = async () => {
    if (await stepIn(room, take(picture, "")))
      tell("The stick is yours. Hand it over with Give, or in a terminal: tt release");
  };
  return (
    <>
      {!isMine && (
        <button type="button" className="button" aria-label="Take the stick" onClick={() => void takeIt()}>
          Take<span className="in-full"> the stick</span>
        </button>
      )}
      <button
        ref={giveButton}
        type="button"
        className="button"
        aria-label="Give the stick"
        aria-expanded={isGiving}
        onClick={() => onGive(!isGiving)}
      >
        Give<span className="in-full"> the stick</span> …
      </button>
      <button type="button" className="button" onClick={() => void stepIn(room, pauseOrResume(picture, ""))}>
        {now.paused === null ? "Pause" : "Resume"}
      </button>
    </>
  );
}

/** When the form is closed from within, the focus goes back to the button that opened it. */
function useReturn(button: { readonly current: HTMLButtonElement | null }, isOpen: boolean): void {
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (wasOpen.current && !isOpen && isLost) button.current?.focus();
    wasOpen.current = isOpen;
  }, [button, isOpen]);
}
