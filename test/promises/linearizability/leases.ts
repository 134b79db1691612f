/** The secret of each turn, as the agents that were granted it were told. No two turns share one. */
import type { Finding } from "./finding.ts";
import { describe, type Operation } from "./operation.ts";

export class Leases {
  readonly findings: Finding[] = [];
  readonly #byTurn = new Map<number, string>();
  readonly #turnOf = new Map<string, number>();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      const { answer } = operation;
      if (answer?.is === "your_turn" || answer?.is === "taken") this.#learn(answer.turnId, answer.leaseId, operation);
    }
  }

  /** Whether this is the turn's lease; a lease that nobody was told of is not known to be wrong. */
  fits(turnId: number, leaseId: string): boolean {
    const lease = this.#byTurn.get(turnId);
    return lease === undefined ? !this.#turnOf.has(leaseId) : lease === leaseId;
  }

  #learn(turnId: number, leaseId: string, operation: Operation): void {
    const turn = this.#turnOf.get(leaseId);
    const lease = this.#byTurn.get(turnId);
    const wrong = (turn !== undefined && turn !== turnId) || (lease !== undefined && lease !== leaseId);
    if (wrong) this.findings.push({ rule: "secret", text: `lease of turn ${turn ?? turnId}: ${describe(operation)}` });
    this.#turnOf.set(leaseId, turnId);
    this.#byTurn.set(turnId, leaseId);
  }
}
