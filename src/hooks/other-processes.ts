import type { ProcessRef } from "../core/process.ts";
import { processKey } from "../core/process.ts";
import type { SessionCard } from "../session/rules/evidence.ts";
import type { HookDeps } from "./hook-deps.ts";

/** A process besides this one that is proven to live and has the session, as when it was resumed in a second terminal. */
export function otherProcessOf(
  { cards, probe }: HookDeps,
  session: Pick<SessionCard, "harness" | "sessionId">,
  own: ProcessRef | null,
): ProcessRef | null {
  const ownKey = own && processKey(own);
  const others = cards.processesOf(session).filter((process) => processKey(process) !== ownKey);
  return others.find((process) => probe.verdict(process) === "alive") ?? null;
}
