/**
 * Mail to the person that is not in sight: from other rooms, or from where the person has scrolled away in the talk. What the
 * talk shows is given a moment to come into sight there. Open questions of this room stand in its header.
 */
import { type ReactNode, useEffect, useState } from "react";
import type { EventId } from "../../../core/ids.ts";
import { questionsIn } from "../../picture/step-in.ts";
import { useKeptFocus } from "../kit/use-kept-focus.ts";
import type { RoomView } from "../page-context.ts";
import { MailMessage } from "./mail-message.tsx";
import { useMailDesk } from "./use-mail-desk.ts";
import "./mail.css";

const UNTIL_OUT_OF_SIGHT_MS = 1500;

export function MailStrip({ room }: { readonly room: RoomView }): ReactNode {
  const { held, unseen } = useMailDesk();
  const [lifted, setLifted] = useState<ReadonlySet<EventId>>(new Set());
  const { box, onFocus } = useKeptFocus<HTMLDivElement>();
  const [closed, setClosed] = useState<ReadonlySet<EventId>>(new Set());
  const inHeader = new Set(questionsIn(room.picture).map(({ messageId }) => messageId));
  const waiting = [...unseen].filter((messageId) => !inHeader.has(messageId)).join(" ");
  useEffect(() => {
    if (waiting === "") return undefined;
    const lift = () => setLifted((before) => new Set([...before, ...(waiting.split(" ") as EventId[])]));
    const timer = setTimeout(lift, UNTIL_OUT_OF_SIGHT_MS);
    return () => clearTimeout(timer);
  }, [waiting]);
  const shown = held.filter(
    ({ messageId }) => lifted.has(messageId) && !closed.has(messageId) && !inHeader.has(messageId),
  );
  return (
    <div ref={box} tabIndex={-1} onFocus={onFocus} className="mail-strip-place">
      {shown.length > 0 && (
        <section className="mail-strip" aria-label="Mail for you">
          <header className="row spread">
            <h2>Other mail for you</h2>
            <button type="button" className="link small" onClick={() => setClosed(lifted)}>
              Close
            </button>
          </header>
          {shown.map((message) => (
            <MailMessage key={message.messageId} room={room} message={message} />
          ))}
        </section>
      )}
    </div>
  );
}
