/** What differs between harnesses when a session is woken through the inbox that its harness keeps for it. */
import type { Variables } from "../core/harness.ts";
import type { ProcessProbe } from "../engine/ports/process-probe.ts";
import type { WakeTarget } from "../engine/ports/wake.ts";
import type { WakeTry } from "../mail/rules/wake-status.ts";

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
