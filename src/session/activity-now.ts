/** What a session of this machine does now, from what its hooks told and what its harness shows. */
import { elapsedMs } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import type { Whereabouts } from "../engine/ports/peer-sights.ts";
import { type HarnessLook, type NewestActivity, newestActivity } from "./rules/newest-activity.ts";
import { UNKNOWN_ACTIVITY } from "./rules/session.ts";

export function activityNow(deps: Deps, peer: Whereabouts): NewestActivity {
  return newestActivity(peer.activity ?? UNKNOWN_ACTIVITY, lookAtHarness(deps, peer));
}

function lookAtHarness({ sights, activity, clock }: Deps, peer: Whereabouts): HarnessLook | null {
  const record = sights?.activity(peer) ?? null;
  if (record === null) return null;
  const toolMs = () => {
    const { wallMs, instant } = clock.now();
    const sign = peer.sessionId === null ? null : activity.lastSign(peer.sessionId);
    return sign && wallMs - elapsedMs(sign, instant);
  };
  return { record, nowMs: () => clock.now().wallMs, toolMs };
}
