/**
 * A registered receiver: while it is one, senders are told that their message is seen at once. It counts as one for a
 * day; one that lasts longer says so again, after half of that. A process is one receiver at a time. It is none once
 * the harness that it works for is gone.
 */

import { type AgentId, asAgentId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import type { Receiver } from "../core/mail-records.ts";
import { type ProcessRef, processKey } from "../core/process.ts";
import { after, elapsedMs, hasPassed, type Instant } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { ignoringFaults } from "../engine/ignoring-faults.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { changeHead } from "./change-mailbox.ts";
import { withoutReceiver, withReceiver } from "./rules/mailbox.ts";

/** How long a receiver may be busy with other things before it has to `stay`. */
export const STAY_WITHIN_MS = LIMITS.receiverMs / 2;

/** Called now and then, it keeps the receiver registered; most calls cost nothing. */
export type Stay = () => Promise<void>;

/** Runs `work` as a receiver of everybody's mail, or of one sender's. */
export async function asReceiver<Result>(
  deps: Deps,
  caller: Caller,
  { from }: { readonly from?: string },
  work: (stay: Stay) => Promise<Result>,
): Promise<Result> {
  const process = deps.probe.self();
  if (process === null) return work(async () => undefined);
  const register = async () => {
    const sender = from === undefined ? null : await deps.store.resolveAlias(asAgentId(from));
    return registerReceiver(deps, caller, process, sender);
  };
  let since = await register();
  try {
    return await work(async () => {
      if (elapsedMs(since, deps.clock.now().instant) < STAY_WITHIN_MS) return;
      since = (await ignoringFaults(register)) ?? since;
    });
  } finally {
    // What the work has brought is worth more than a tidy end; a process that is gone receives nothing anyway.
    await ignoringFaults(async () => {
      await changeHead(deps, caller, (box) => withoutReceiver(box, process));
      return null;
    });
  }
}

async function registerReceiver(
  deps: Deps,
  caller: Caller,
  process: ProcessRef,
  from: AgentId | null,
): Promise<Instant> {
  const since = deps.clock.now().instant;
  await changeHead(deps, caller, (box, now) => {
    const isItself = caller.process !== null && processKey(caller.process) === processKey(process);
    const receiver: Receiver = {
      process,
      ...(caller.process !== null && !isItself && { harness: caller.process }),
      until: after(now, LIMITS.receiverMs),
      ...(from !== null && { from }),
    };
    return withReceiver(box, receiver, ({ until }) => hasPassed(until, now));
  });
  return since;
}
