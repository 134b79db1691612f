/**
 * Several statements as one. On PostgreSQL the number of statements costs more time than their work, and a statement that
 * is new to a connection costs a round trip of its own.
 */
import type { Moment } from "../../core/time.ts";
import { finite } from "../sql/codec.ts";
import { raw, type SqlRow, type Statement } from "../sql/statement.ts";

/** The time by the server's clock, which is the same for all who use the store. */
export const NOW = raw("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now_ms");

export function momentOf(rows: readonly SqlRow[] | undefined): Moment {
  const ms = finite(rows?.[0]?.["now_ms"], "clock_timestamp");
  return { instant: { epoch: "postgres", ms }, suspendedMs: 0, wallMs: ms };
}

/** One select whose columns `rows_0`, `rows_1`, … each hold all rows of one of the selects, as JSON. */
export function readTogether(selects: readonly Statement[]): Statement {
  const columns = selects.map(
    ({ sql }, index) => `(SELECT coalesce(json_agg(q), '[]'::json) FROM (${sql}) AS q) AS rows_${index}`,
  );
  return { sql: `SELECT ${columns.join(", ")}`, params: selects.flatMap(({ params }) => params) };
}

/** The rows of each select, from the answer to `readTogether`. */
export function rowsOfEach(answer: readonly SqlRow[], count: number): readonly (readonly SqlRow[])[] {
  return Array.from({ length: count }, (_, index) => answer[0]?.[`rows_${index}`] as readonly SqlRow[]);
}

/**
 * The writes of one change as one statement, or two: deletions go first, because a statement does not see its own
 * deletions everywhere. Statements that must see the effect of others follow one by one. The other writes of a change do
 * not depend on each other, and no two of them touch the same row.
 */
export function writeTogether(writes: readonly Statement[]): readonly Statement[] {
  const inOrder = writes.filter((write) => write.inOrder);
  const deletions = writes.filter(({ sql, inOrder: apart }) => !apart && sql.startsWith("DELETE"));
  const others = writes.filter((write) => !write.inOrder && !deletions.includes(write));
  return [...[deletions, others].filter((group) => group.length > 0).map(asOne), ...inOrder];
}

/**
 * A guard that touched no row divides by zero. The commit is sent before any answer comes back, so the check must be part
 * of the statement.
 */
function asOne(writes: readonly Statement[]): Statement {
  const parts = writes.map(
    ({ sql, mustTouchOne }, index) => `w${index} AS (${sql}${mustTouchOne ? " RETURNING 1" : ""})`,
  );
  const checks = writes.flatMap(({ mustTouchOne }, index) =>
    mustTouchOne ? [`1 / (SELECT count(*) FROM w${index}) AS guard_${index}`] : [],
  );
  return {
    sql: `WITH ${parts.join(", ")} SELECT ${checks.length > 0 ? checks.join(", ") : "1"}`,
    params: writes.flatMap(({ params }) => params),
  };
}
