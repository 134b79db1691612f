/**
 * The servers that the address names, tried one after the other. The driver would try them by itself, without a pause and
 * until stopped, and would keep the reason to itself.
 */
import { Fault } from "../../core/fault.ts";
import { addressesOf, parsePostgresAddress } from "../../core/postgres-address.ts";
import type { SqlRow } from "../sql/statement.ts";
import { isFull, storeFault } from "./faults.ts";

/** The address of each server, beginning with the one that accepted an earlier connection. */
export function serversInTurn(address: string, first: string | undefined): readonly string[] {
  const all = addressesOf(address);
  return first !== undefined && all.includes(first) ? [first, ...all.filter((each) => each !== first)] : all;
}

/** Of several servers, the one that is not a standby is wanted, unless the address asks for another one. */
export function judgeKind(row: SqlRow | undefined, address: string): void {
  const isStandby = row?.["is_standby"] === true;
  const { hosts, kind } = parsePostgresAddress(address);
  const wanted = kind ?? (hosts.length > 1 ? "primary" : "any");
  // A standby may call its own settings writable, so whether it follows another server decides.
  if (isStandby && (wanted === "primary" || wanted === "read-write"))
    throw storeFault("store_unreachable", "The database server is a standby, and no primary answers.", {
      next: "Start the primary, or promote the standby. Then try again.",
      facts: { standby: true },
    });
  if (!isStandby && (wanted === "standby" || wanted === "read-only"))
    throw storeFault("store_unreachable", "The database server is not a standby.", {
      next: "Remove target_session_attrs from the address of the store: TT_STORE, or store in config.json.",
    });
}

/** Whether a pause may help: a connection becomes free, or a standby is promoted. */
export function mayPassSoon(error: unknown): boolean {
  return isFull(error) || (error instanceof Fault && error.facts["standby"] === true);
}

/** The one that tells most: what hinders the right server, then what does not pass by itself. */
export function reasonAmong(faults: readonly Error[]): Error | undefined {
  return faults.find(isFull) ?? faults.find(mayPassSoon) ?? faults.find(isLasting) ?? faults.at(-1);
}

function isLasting(fault: Error): boolean {
  return fault instanceof Fault && !fault.retry;
}
