/** The program as it may be tomorrow: it knows one more step of the schema, on both databases, and its reads need it. */
import { NEWEST_VERSION } from "../../src/store/sql/schema-steps.ts";

export interface FutureStep {
  /** Whether builds of today would damage what it stores. */
  readonly damaging: boolean;
}

type Edit = (text: string, step: FutureStep) => string;

const NEXT = NEWEST_VERSION + 1;

const EDITS: Readonly<Record<string, Edit>> = {
  "src/store/sqlite/migrations.ts": (text) => withStep(text, "TEXT"),
  "src/store/postgres/migrate.ts": (text) => withStep(text, "text"),
  "src/store/sql/schema-steps.ts": (text, { damaging }) => {
    const before = "{ notes: (older) => `SELECT *, 'calm' AS mood FROM ${older(\"notes\")}` }";
    const step = `${NEXT}: { ${damaging ? "damaging: true, " : ""}tablesBefore: ${before} },`;
    return replaced(
      replaced(text, /(NEWEST_VERSION = )\d+/, `$1${NEXT}`),
      /(STEPS: Steps = \{[^]*?)\n\};/,
      (_, steps) => `${steps}\n  ${step}\n};`,
    );
  },
  "src/store/sql/load.ts": (text) => replaced(text, /(SELECT )(\$\{notes\.columns\(\)\})/, "$1mood, $2"),
};

/** The files that differ, by their paths in the project. */
export const FUTURE_FILES: readonly string[] = Object.keys(EDITS);

export function futureText(path: string, text: string, step: FutureStep): string {
  const edit = EDITS[path];
  if (edit === undefined) throw new Error(`${path} is as it was`);
  return edit(text, step);
}

function withStep(text: string, type: string): string {
  const sql = `ALTER TABLE notes ADD COLUMN mood ${type} NOT NULL DEFAULT 'calm'`;
  return replaced(text, /( = \[\s*rooms[^\]]*?),?\s*\]/, `$1, "${sql}"]`);
}

function replaced(text: string, from: RegExp, to: string | ((...found: string[]) => string)): string {
  const after = typeof to === "string" ? text.replace(from, to) : text.replace(from, to);
  if (after === text) throw new Error(`nothing to replace for ${from}`);
  return after;
}
