/**
 * The store under test, behind gates. A call parks before and after every use of the store, so other calls can
 * commit between its evidence and its transaction, and it can die with its commit done and its answer not given.
 */
import type { RoomId } from "../../src/domain/ids.ts";
import type { Decision } from "../../src/domain/room/change.ts";
import { Fault, type FaultCode } from "../../src/ports/fault.ts";
import type { Changed, ChangeTarget, Loaded, RoomQuery, Store } from "../../src/ports/store.ts";
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
  /** Sees every committed change before anything else happens. */
  readonly onCommit: (call: Call, changed: Changed<unknown>) => Promise<void>;
}

export class FaultyStore implements Store {
  readonly kind: Store["kind"];
  readonly #options: FaultyStoreOptions;

  constructor(options: FaultyStoreOptions) {
    this.#options = options;
    this.kind = options.inner.kind;
  }

  async change<Answer>(
    target: ChangeTarget,
    decide: (loaded: Loaded) => Decision<Answer>,
  ): Promise<Changed<Answer> | null> {
    const { inner, scheduler, faults, onCommit } = this.#options;
    await scheduler.gate();
    const refused = faults.beforeChange();
    if (refused) throw refused;
    const changed = await inner.change(target, decide);
    if (changed) await onCommit(scheduler.running, changed);
    await scheduler.gate();
    const lost = faults.afterChange();
    if (lost) throw lost;
    return changed;
  }

  readRoom(roomId: RoomId) {
    return this.#read((store) => store.readRoom(roomId));
  }

  readRooms(query: RoomQuery) {
    return this.#read((store) => store.readRooms(query));
  }

  readEvents(roomId: RoomId, afterSeq: number, limit: number) {
    return this.#read((store) => store.readEvents(roomId, afterSeq, limit));
  }

  readNotes(roomId: RoomId, limit: number, options: { readonly unresolvedOnly: boolean }) {
    return this.#read((store) => store.readNotes(roomId, limit, options));
  }

  changeMark() {
    return this.#read((store) => store.changeMark());
  }

  async close(): Promise<void> {}

  async #read<T>(read: (store: Store) => Promise<T>): Promise<T> {
    const { inner, scheduler, faults } = this.#options;
    await scheduler.gate();
    const fault = faults.onRead();
    if (fault) throw fault;
    const value = await read(inner);
    scheduler.running.readAtMs = scheduler.nowMs;
    return value;
  }
}

export function storeFault(code: FaultCode, details: { readonly retry: boolean; readonly outcomeUnknown?: boolean }) {
  return new Fault(code, `simulated ${code}`, { next: "Try again.", ...details });
}
