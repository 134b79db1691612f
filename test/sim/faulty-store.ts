/**
 * The store under test, behind gates. A call parks before and after every use of the store, so other calls can
 * commit between its evidence and its transaction, and it can die with its commit done and its answer not given.
 */

import { Fault, type FaultCode } from "../../src/core/fault.ts";
import type { Clock } from "../../src/engine/ports/clock.ts";
import type { Changed, ChangeOptions, ChangeTarget, Loaded, Store } from "../../src/engine/ports/store.ts";
import type { Decision } from "../../src/room/rules/change.ts";
import type { Call, Scheduler } from "./scheduler.ts";

export interface StoreFaults {
  /** Thrown instead of the transaction, which leaves no trace. */
  beforeChange(): Fault | null;
  /** Thrown although the transaction is committed. */
  afterChange(): Fault | null;
  onRead(): Fault | null;
}

export interface FaultyStoreOptions {
  readonly inner: Store;
  readonly scheduler: Scheduler;
  readonly faults: StoreFaults;
  readonly clock: Clock;
  /** Sees every committed change before anything else happens. */
  readonly onCommit: (call: Call, changed: Changed<unknown>) => Promise<void>;
}

export function behindGates(options: FaultyStoreOptions): Store {
  const { inner } = options;
  const change: Store["change"] = (target, decide, changeOptions) =>
    changeBehindGates(options, target, decide, changeOptions);
  return new Proxy(inner, {
    get(_, name) {
      if (name === "change") return change;
      const member = Reflect.get(inner, name) as unknown;
      if (typeof member !== "function") return member;
      return (...given: unknown[]) => readBehindGate(options, name, () => member.apply(inner, given));
    },
  });
}

async function changeBehindGates<Answer>(
  { inner, scheduler, faults, onCommit }: FaultyStoreOptions,
  target: ChangeTarget,
  decide: (loaded: Loaded) => Decision<Answer> | null,
  changeOptions: ChangeOptions | undefined,
): Promise<Changed<Answer> | null> {
  await scheduler.gate();
  const refused = faults.beforeChange();
  if (refused) throw refused;
  const changed = await inner.change(target, decide, changeOptions);
  if (changed) await onCommit(scheduler.running, changed);
  await scheduler.gate();
  const lost = faults.afterChange();
  if (lost) throw lost;
  return changed;
}

async function readBehindGate<T>(
  { scheduler, faults, clock }: FaultyStoreOptions,
  name: string | symbol,
  read: () => Promise<T>,
): Promise<T> {
  await scheduler.gate();
  const fault = faults.onRead();
  if (fault) throw fault;
  const value = await read();
  const call = scheduler.running;
  // Which agents to look at comes from rooms, and not from other reads between that and the transaction.
  if (name === "readRoom" || name === "readRooms") {
    call.readAtMs = scheduler.nowMs;
    call.readAt = clock.now().instant;
  }
  if (name === "readRoom") call.lookedIn = scheduler.resumptions;
  return value;
}

export function storeFault(code: FaultCode, details: { readonly retry: boolean; readonly outcomeUnknown?: boolean }) {
  return new Fault(code, `simulated ${code}`, { next: "Try again.", ...details });
}
