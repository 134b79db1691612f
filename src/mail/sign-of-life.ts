/**
 * Whether a session that was woken shows it: its mail is read, its hooks or its harness say that something has begun, or
 * ended. That an inbox took a wake shows nothing, because the inbox may drop it.
 */
import type { AgentId } from "../core/ids.ts";
import { after, elapsedMs, type Instant, type Moment, wallMsOf } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import type { Whereabouts } from "../engine/ports/peer-sights.ts";
import { NOTHING_YET, waitUntil } from "../engine/wait-until.ts";
import { activityNow } from "../session/activity-now.ts";
import { type Session, UNKNOWN_ACTIVITY } from "../session/rules/session.ts";
import { batchNow } from "./claim-wake.ts";
import { standingOf } from "./rules/batch.ts";

/** How often the recipient is looked at, for as long as its sign is waited for. */
export const LOOK_EVERY_MS = 50;

/** Instants are counted in hundredths of a second. What happened within the same one may have been before the wake. */
const TICK_MS = 10;

/** The one that is woken. */
export interface Woken {
  readonly project: string;
  readonly owner: AgentId;
  readonly place: Whereabouts;
}

/** What it has shown of itself so far. When this differs later, it has shown a sign of life. */
export async function pulseOf(deps: Deps, { project, owner, place }: Woken): Promise<string> {
  const { activity = UNKNOWN_ACTIVITY, turn = null } = (await sessionOf(deps, project, owner)) ?? {};
  const sign = place.sessionId === null ? null : deps.activity.lastSign(place.sessionId);
  // That a record has caught up with the end of the turn before is no sign.
  return JSON.stringify([sign, activity, turn, activityNow(deps, { ...place, activity }).state]);
}

export interface Watch extends Woken {
  /** The delivery that it was woken for. */
  readonly seq: number;
  /** Its pulse before the wake. */
  readonly before: string;
  /** Whose bell may ring meanwhile. */
  readonly bellOf: AgentId;
  readonly forMs: number;
  readonly signal?: AbortSignal;
}

/** Resolves to true with the first sign, and to false when the time is over. */
export async function awaitSignOfLife(deps: Deps, watch: Watch): Promise<boolean> {
  const { owner, seq, before, bellOf, forMs, signal } = watch;
  const ended = await waitUntil<true>(deps, {
    name: bellOf,
    until: after(deps.clock.now().instant, forMs),
    cancel: signal,
    everyMs: LOOK_EVERY_MS,
    look: async () => {
      const isRead = standingOf(await batchNow(deps, owner), seq) === "read";
      return isRead || (await pulseOf(deps, watch)) !== before ? { found: true } : NOTHING_YET;
    },
  });
  return "found" in ended;
}

/** Whether hooks tell of something that the session did after that instant, which is one of the store's clock. */
export async function showedLifeSince(
  deps: Deps,
  { project, owner }: Pick<Woken, "project" | "owner">,
  since: Instant,
  now: Moment,
): Promise<boolean> {
  const agoMs = elapsedMs(since, now.instant);
  const session = await sessionOf(deps, project, owner);
  const sessionId = session?.sessionId ?? null;
  const sign = sessionId === null ? null : deps.activity.lastSign(sessionId);
  if (sign && elapsedMs(sign, deps.clock.now().instant) < agoMs) return true;
  const at = session?.activity.since ?? null;
  return at !== null && now.wallMs - wallMsOf(at) < agoMs - TICK_MS;
}

async function sessionOf({ store }: Deps, project: string, owner: AgentId): Promise<Session | null> {
  return (await store.readSessions(project)).find(({ agentId }) => agentId === owner) ?? null;
}
