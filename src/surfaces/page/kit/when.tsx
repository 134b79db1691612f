/** A moment: its time of day, or its age. Both say the whole when a person points at them. */
import type { ReactNode } from "react";
import { clockOf, wallMsOf } from "../../../core/time.ts";
import { agoOrJustNow } from "../../picture/stick-words.ts";
import { usePage } from "../page-context.ts";

/** The time of day, with the day if that is not today's. */
export function ClockTime({ at }: { readonly at: string }): ReactNode {
  const { nowMs } = usePage();
  const { time, day } = clockOf(wallMsOf(at));
  const isToday = day === clockOf(nowMs).day;
  return (
    <time dateTime={at} title={`${day}, ${time}`} className="when">
      {isToday ? time : `${time.slice(0, 5)}, ${day}`}
    </time>
  );
}

/** Its age, such as `5m ago`. It changes at minute boundaries alone. */
export function Age({ at }: { readonly at: string }): ReactNode {
  const { nowMs } = usePage();
  const { time, day } = clockOf(wallMsOf(at));
  return (
    <time dateTime={at} title={`${day}, ${time}`} className="when">
      {agoOrJustNow(at, nowMs)}
    </time>
  );
}
