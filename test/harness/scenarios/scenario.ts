/** One thing that a harness can do with us, tried with the real program. A row of docs/harness-support.md. */
import type { PromiseId } from "../../promises/promises.ts";
import type { Driver } from "../support/drivers/driver.ts";
import type { HarnessWorld } from "../support/harness-world.ts";
import type { Peer } from "../support/peer.ts";
import type { HarnessName } from "../support/wires/index.ts";

export interface Stage {
  readonly world: HarnessWorld;
  readonly driver: Driver;
  /** It is in the room already. */
  readonly peer: Peer;
}

export interface SupportRow {
  readonly title: string;
  /** Harnesses in which there is no way to do it, and why. */
  readonly impossible?: Readonly<Partial<Record<HarnessName, string>>>;
}

export interface Scenario extends SupportRow {
  /** The promise that it can break. */
  readonly promise?: PromiseId;
  /** Rejects when the harness cannot do it. */
  readonly run: (stage: Stage) => Promise<void>;
}
