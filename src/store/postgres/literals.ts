/**
 * Statements with their values written into the text. The server takes such a statement at once. For one with parameters the
 * driver first asks for their types: that is a round trip, and the statements behind it wait. So only a statement that its
 * connection runs again and again has parameters. Behind a pooler in transaction mode none has them, because the next
 * transaction may run on a connection of the server that knows no statement of ours.
 */
import type { SqlValue, Statement } from "../sql/statement.ts";

/** Null if a value cannot be written so: the text of a statement ends at its first NUL. */
export function withLiterals({ sql, params }: Statement): string | null {
  if (params.length === 0) return sql;
  if (params.some((value) => typeof value === "string" && value.includes("\0"))) return null;
  let next = 0;
  return sql.replace(/\?/g, () => literal(params[next++] ?? null));
}

/**
 * Of no type until the server has seen what it is for, as a parameter is. In this form a backslash is written twice,
 * whatever the server's settings say about backslashes.
 */
export function literal(value: SqlValue): string {
  if (value === null) return "NULL";
  return ` E'${String(value).replace(/[\\']/g, "$&$&")}'`;
}
