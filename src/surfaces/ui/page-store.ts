/**
 * The store of the page's server, which is open for as long as the server runs. A store may go away meanwhile, and come
 * back. Until it is back it is only read: a change would create an empty one in its place.
 *
 *   in use ──fault──▶ away ──rooms are there again──▶ in use
 */
import { Fault } from "../../core/fault.ts";
import type { Deps } from "../../engine/deps.ts";
import { ignoringFaults } from "../../engine/ignoring-faults.ts";
import type { CliContext, Purpose } from "../cli/context.ts";
import { granted } from "../cli/granted.ts";
import { isThere, TRY_AGAIN_MS } from "../follow/while-away.ts";

export interface OpenStore {
  readonly deps: Deps;
  /** Aborted when this store is closed. Work that goes on with it then fails in any way. */
  readonly closed: AbortSignal;
}

export class PageStore {
  readonly #context: CliContext;
  readonly #purpose: Purpose;
  #opening: Promise<OpenStore> | null = null;
  #open: (OpenStore & { readonly close: AbortController }) | null = null;
  #isAway = false;

  constructor(context: CliContext, purpose: Purpose) {
    this.#context = context;
    this.#purpose = purpose;
  }

  /** Requests come side by side, and the store is opened once. */
  open(): Promise<OpenStore> {
    if (this.#open !== null) return Promise.resolve(this.#open);
    this.#opening ??= this.#openAgain().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #openAgain(): Promise<OpenStore> {
    if (this.#isAway && !(await this.#isBack())) {
      await ignoringFaults(() => this.#context.close());
      throw new Fault("store_unsafe", "The store is gone, or another one is in its place.", {
        next: "Put it back, or start tt ui again.",
        retry: true,
      });
    }
    const deps = granted(await this.#context.deps(this.#purpose));
    this.#isAway = false;
    const close = new AbortController();
    this.#open = { deps, closed: close.signal, close };
    if (deps.store.kind === "memory") this.#leaveOnceThere(this.#open);
    return this.#open;
  }

  /** Before the first room is made there is no store, and an empty one in memory stands for it. */
  #leaveOnceThere({ deps, closed }: OpenStore): void {
    const look = async () => {
      if (!deps.store.isInPlace()) await this.#leave();
    };
    const timer = setInterval(() => void ignoringFaults(look), TRY_AGAIN_MS).unref();
    closed.addEventListener("abort", () => clearInterval(timer));
  }

  async #leave(): Promise<void> {
    this.#open?.close.abort();
    this.#open = null;
    await ignoringFaults(() => this.#context.close());
  }

  async #isBack(): Promise<boolean> {
    try {
      return await isThere({ context: this.#context, roomId: null });
    } catch (error) {
      await ignoringFaults(() => this.#context.close());
      throw error;
    }
  }

  /** After a fault of what was opened. A store that is only busy stays open. */
  async failed({ deps, closed }: OpenStore, fault: Fault): Promise<void> {
    if (closed.aborted || (fault.retry && deps.store.isInPlace())) return;
    this.#isAway = true;
    await this.#leave();
  }
}
