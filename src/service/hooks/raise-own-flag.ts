/**
 * Where several machines use one store, a sender elsewhere cannot raise a flag here. But it rings, and a server of the
 * recipient's session hears that: it raises the flag in the sender's place, so that the session's hooks find the mail.
 * A look costs one read, and nothing is looked at while nobody rings.
 */
import type { AgentId } from "../../domain/ids.ts";
import { unread } from "../../domain/mail/mailbox.ts";
import { Fault } from "../../ports/fault.ts";
import type { Deps } from "../deps.ts";

export interface HookedSession {
  readonly agentId: AgentId;
  readonly sessionId: string;
}

/** A ring may be lost; what it would have told is found out this much later, or at the session's next prompt. */
const LOOK_EVERY_MS = 30_000;

/** Resolves when it was told to end. Never rejects. */
export async function raiseOwnFlag(deps: Deps, session: HookedSession, signal: AbortSignal): Promise<void> {
  const { bell, flags, store } = deps;
  if (!flags) return;
  try {
    const rings = await bell.subscribe(session.agentId);
    try {
      while (!signal.aborted) {
        const { window } = await store.readMailbox(session.agentId, { kind: "messages", ids: [] });
        if (unread(window.box) > 0) flags.raise([session.sessionId]);
        await rings.next(LOOK_EVERY_MS, signal);
      }
    } finally {
      rings.close();
    }
  } catch (error) {
    // Only time is lost by it: the next call of a tool begins anew, and prompts look for mail in any case.
    if (!(error instanceof Fault)) throw error;
  }
}
