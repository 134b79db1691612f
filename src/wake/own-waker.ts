/**
 * A server inside a harness that can begin a turn of its own session. It sleeps on that session's bell. A ring costs
 * one read; only mail whose sender wants the session woken costs more. It polls only rarely: a sender has other ways,
 * and the mail waits in any case.
 */

import type { AgentId } from "../core/ids.ts";
import type { Deps } from "../engine/deps.ts";
import type { OwnInbox, Waking } from "../engine/ports/wake.ts";
import { SLOW_LOOK_MS, waitUntil } from "../engine/wait-until.ts";
import { beginWake, endWake, outcomeOf } from "../mail/claim-wake.ts";
import { wakeTextFor } from "../mail/rules/wake-status.ts";
import { awaitSignOfLife, pulseOf } from "../mail/sign-of-life.ts";
import type { Session } from "../session/rules/session.ts";
import { findWakeTarget } from "../session/wake-facts.ts";
import { claimOwnWake } from "./claim-own-wake.ts";

export interface OwnSession {
  readonly agentId: AgentId;
  readonly harness: string;
  readonly project: string;
}

export interface OwnWakerOptions {
  readonly deps: Deps;
  readonly waking: Waking;
  readonly inbox: OwnInbox;
  /** Who the session is now: it may become another one in the same process. Null when nobody can tell. */
  readonly whoAmI: () => Promise<OwnSession | null>;
  readonly signal: AbortSignal;
}

const RARELY_MS = 30_000;
const PUSH_MS = 1000;
/** How long a sign of life of the session is waited for. */
const SIGN_MS = 1500;

/** Resolves when it was told to end, and to false when the inbox is gone for good. Never rejects. */
export async function wakeOwnSession(options: OwnWakerOptions): Promise<boolean> {
  const { deps, signal, whoAmI } = options;
  try {
    const first = await whoAmI();
    if (!first) return true;
    let known: OwnSession | null = first;
    const self = { name: first.agentId, registered: false };
    const ended = await waitUntil<"over">(deps, {
      name: first.agentId,
      cancel: signal,
      everyMs: RARELY_MS,
      look: async () => {
        const me = known ?? (await whoAmI());
        known = null;
        if (me && me.agentId !== self.name) {
          Object.assign(self, { name: me.agentId, registered: false });
          return { name: me.agentId };
        }
        if (signal.aborted || me?.harness !== options.inbox.harness) return {};
        const seen = await lookOnce(options, me, self);
        if (seen === "over") return { found: seen };
        return seen === "busy" ? { changesInMs: SLOW_LOOK_MS } : {};
      },
    });
    return !("found" in ended);
  } catch {
    // A wake only speeds up what comes anyway; the next call of a tool starts again.
    return true;
  }
}

/** `over`: there is nothing to wake with any more. `busy`: it may have to be woken when its turn is over. */
type Sight = "quiet" | "busy" | "over";

async function lookOnce(options: OwnWakerOptions, me: OwnSession, self: { registered: boolean }): Promise<Sight> {
  self.registered ||= await register(options.deps, me, options.deps.probe.self());
  const seen = await wakeIfWanted(options, me);
  if (seen === "over") await register(options.deps, me, null);
  return seen;
}

/** Says in the session's row who can wake it. A session that has not joined yet has none. */
async function register({ store }: Deps, { agentId, project }: OwnSession, waker: Session["waker"]): Promise<boolean> {
  const known = (await store.readSessions(project)).find((row) => row.agentId === agentId);
  if (!known) return false;
  await store.changeSession({ agentId, project }, (row): Session => ({ ...(row ?? known), waker }));
  return true;
}

async function wakeIfWanted({ deps, waking, inbox, signal }: OwnWakerOptions, me: OwnSession): Promise<Sight> {
  const { agentId, project } = me;
  const claim = await claimOwnWake(deps, waking, { ...me, waker: deps.probe.self() });
  if (claim === null || claim === "busy") return claim ?? "quiet";
  const { target: place } = await findWakeTarget(deps, { mode: waking.mode, hasInbox: () => false }, project, agentId);
  const woken = { project, owner: agentId, place };
  const before = await pulseOf(deps, woken);
  if (!(await beginWake(deps, agentId, claim))) return "quiet";
  const done = await inbox.push(wakeTextFor(claim, deps.clock.now().wallMs), PUSH_MS);
  await endWake(deps, agentId, claim, outcomeOf(done));
  const watch = { ...woken, seq: claim.seq, before, bellOf: agentId, forMs: SIGN_MS, signal };
  const isSeen = done === "sent" && (await awaitSignOfLife(deps, watch));
  if (isSeen) await endWake(deps, agentId, claim, "fired");
  await deps.bell.ring(claim.senders);
  const status = isSeen ? "fired" : outcomeOf(done);
  deps.trace?.wake({ agentId, by: "waker", messageId: null, steps: [`own inbox: ${done}`], status });
  return done === "failed" ? "over" : "quiet";
}
