/** The time by the server's clock, which is the same for everybody who uses the store. */
import type { Moment } from "../../core/time.ts";
import { finite } from "../sql/decode.ts";
import type { SqlRow, Statement } from "../sql/statement.ts";

export const NOW: Statement = {
  sql: "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now_ms",
  params: [],
};

export function momentOf(rows: readonly SqlRow[] | undefined): Moment {
  const ms = finite(rows?.[0]?.["now_ms"], "clock_timestamp");
  return { instant: { epoch: "postgres", ms }, suspendedMs: 0, wallMs: ms };
}
