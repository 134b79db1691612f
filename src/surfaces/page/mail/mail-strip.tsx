/**
 * Mail to the person that the talk of this room does not show by itself: from other rooms, or said so long ago that it is
 * out of sight. What the talk shows is given a moment to come into sight there.
 */
import { type ReactNode, useEffect, useState } from "react";
import type { EventId } from "../../../core/ids.ts";
import type { RoomView } from "../page-context.ts";
import { MailMessage } from "./mail-message.tsx";
import { useMailDesk } from "./use-mail-desk.ts";
import "./mail.css";

const UNTIL_OUT_OF_SIGHT_MS = 1500;

export function MailStrip({ room }: { readonly room: RoomView }): ReactNode {
  const { held, unseen } = useMailDesk();
  const [lifted, setLifted] = useState<ReadonlySet<EventId>>(new Set());
  const [closed, setClosed] = useState<ReadonlySet<EventId>>(new Set());
  const waiting = [...unseen].join(" ");
  useEffect(() => {
    if (waiting === "") return undefined;
    const lift = () => setLifted((before) => new Set([...before, ...(waiting.split(" ") as EventId[])]));
    const timer = setTimeout(lift, UNTIL_OUT_OF_SIGHT_MS);
    return () => clearTimeout(timer);
  }, [waiting]);
  const isShown = ({ messageId }: { readonly messageId: EventId }) => lifted.has(messageId) && !closed.has(messageId);
  const shown = held.filter(isShown);
  if (shown.length === 0) return null;
  return (
    <section className="mail-strip" aria-label="Mail for you">
      <header className="row spread">
        <h3>Mail for you that is not in sight above</h3>
        <button type="button" className="link small" onClick={() => setClosed(lifted)}>
          Close
        </button>
      </header>
      {shown.map((message) => (
        <MailMessage key={message.messageId} room={room} message={message} />
      ))}
    </section>
  );
}
