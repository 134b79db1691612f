/** What differs between harnesses when a session is woken through the inbox that its harness keeps for it. */
import type { Variables } from "../domain/session/harness.ts";
import type { WakeTry } from "../domain/wake/wake-status.ts";
import type { ProcessProbe } from "../ports/process-probe.ts";
import type { WakeTarget } from "../ports/wake.ts";

export interface InboxWorld {
  readonly env: Variables;
  readonly home: string | null;
  readonly probe: ProcessProbe;
}

/** Puts a text into the inbox of one session, within a time. */
export type Push = (text: string, forMs: number) => Promise<WakeTry>;

export interface HarnessInbox {
  /** Null when there is none that this process may use. Looks, and does nothing. */
  find(target: WakeTarget, world: InboxWorld): Push | null;
}
