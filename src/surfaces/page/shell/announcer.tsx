/** Tells a screen reader of new messages, in whichever view the person is. Several that come together are told as one. */
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { lastSeqOf } from "../event-log.ts";
import { type RoomView, usePage } from "../page-context.ts";
import { announcementOf } from "./announcement.ts";

const GATHERED_MS = 2000;

export function Announcer({ room }: { readonly room: RoomView }): ReactNode {
  const { state } = usePage();
  const { log } = room.open;
  const lastSeq = lastSeqOf(log);
  const [words, setWords] = useState("");
  // What is there when the room is opened is not new.
  const [told, setTold] = useState(lastSeq);
  if (told === null && lastSeq !== null) setTold(lastSeq);
  const isNew = state.link.kind === "live" && told !== null && lastSeq !== null && lastSeq > told;
  const tell = useEffectEvent(() => {
    const newer = log.events.slice(log.events.findLastIndex(({ seq }) => seq <= (told ?? 0)) + 1);
    const said = announcementOf(newer, { me: room.picture.me, nameOf: room.nameOf });
    if (said !== "") setWords(said);
    setTold(lastSeq);
  });
  useEffect(() => {
    if (!isNew) return undefined;
    const timer = setTimeout(() => tell(), GATHERED_MS);
    return () => clearTimeout(timer);
  }, [isNew]);
  return (
    <p className="visually-hidden" role="status">
      {words}
    </p>
  );
}
