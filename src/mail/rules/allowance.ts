/** How fast an author may send: so many messages a minute on average, twice as many at once. */
import type { Allowance } from "../../core/mail-records.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { elapsedMs, type Instant } from "../../core/time.ts";

const MINUTE_MS = 60_000;

/** What is left after one more message, or how long to wait for it. */
export function spend(
  allowance: Allowance | null,
  now: Instant,
  perMinute: number,
): Allowance | Refusal<"rate_limited"> {
  const most = perMinute * 2;
  const regained = allowance === null ? most : (elapsedMs(allowance.at, now) * perMinute) / MINUTE_MS;
  const left = Math.min(most, (allowance?.left ?? most) + Math.max(0, regained));
  if (left >= 1) return { left: left - 1, at: now };
  const retryAfterMs = Math.ceil(((1 - left) * MINUTE_MS) / perMinute);
  return refuse(
    "rate_limited",
    `This room allows ${perMinute} messages a minute from one author.`,
    `Wait ${retryAfterMs} ms before you send again. Do not send thanks.`,
    { retry_after_ms: retryAfterMs, limit_per_min: perMinute },
  );
}
