/**
 * Goal: on a shared database, too, a command that is cut off leaves all of its change or nothing.
 * Method: the line to the server is cut at each piece that a changing call sends, once before the piece arrives and
 * once after it did.
 */
import postgres from "postgres";
import { expect, inject, onTestFinished } from "vitest";
import { Fault } from "../../src/core/fault.ts";
import type { Deps } from "../../src/engine/deps.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { CALL_SETTINGS, CHANGING_CALLS, changingCall, type Told } from "../support/changing-calls.ts";
import { type Cut, type CutLine, cutLine } from "../support/cut-line.ts";
import { comparable, type Tables } from "../support/database-dump.ts";
import { accepted, type Ground, groundAt, openWorld } from "../support/sqlite-world.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { figure, verifies } from "./verifies.ts";

const server = inject("postgresUrl");
if (server === null) console.error("\nSKIPPED: D2 on PostgreSQL: there is no server\n");

let schemas = 0;

/** A schema of its own on the server, a store that reaches it through a line that can be cut, and a look past it. */
class Stage {
  readonly deps: Deps;
  readonly line: CutLine;
  readonly told: Told;
  readonly #sql: postgres.Sql;
  readonly #schema: string;

  private constructor(parts: { deps: Deps; line: CutLine; told: Told; sql: postgres.Sql; schema: string }) {
    this.deps = parts.deps;
    this.line = parts.line;
    this.told = parts.told;
    this.#sql = parts.sql;
    this.#schema = parts.schema;
  }

  static async set(name: string, url: string, ground: Ground): Promise<Stage> {
    schemas += 1;
    const schema = `cut_${process.pid}_${schemas}`;
    const line = await cutLine(url);
    const sql = postgres(url, { max: 1, onnotice: () => undefined });
    const local = await openWorld(ground);
    const deps = { ...local, store: await openPostgresStore({ url: line.url, schema }) };
    onTestFinished(async () => {
      await deps.store.close();
      await local.store.close();
      line.close();
      await sql`DROP SCHEMA ${sql(schema)} CASCADE`;
      await sql.end();
    });
    return new Stage({ deps, line, sql, schema, told: await changingCall(name).prepare(deps, ground) });
  }

  async tables(): Promise<Tables> {
    const names = await this.#sql`SELECT tablename FROM pg_tables WHERE schemaname = ${this.#schema} ORDER BY 1`;
    const tables = names.map(async ({ tablename }) => {
      const rows = await this.#sql`SELECT * FROM ${this.#sql(`${this.#schema}.${tablename}`)} AS r ORDER BY r::text`;
      return [tablename, rows.map((row) => ({ ...row })).toSorted((a, b) => a["event_seq"] - b["event_seq"])];
    });
    return Object.fromEntries(await Promise.all(tables));
  }

  /** Resolves when the server has done, or undone, all that it was sent. */
  async settled(): Promise<void> {
    for (;;) {
      const [busy] = await this.#sql`SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE client_port = ANY(${[...this.line.ports]}) AND state <> 'idle'`;
      if (busy?.["count"] === 0) return;
    }
  }
}

interface Left {
  /** False when the call was over before the line could be cut. */
  readonly cut: boolean;
  readonly changed: boolean;
}

/** Makes the call, cuts the line on the way, and finds all of the change or nothing. */
async function callAndCut(name: string, stage: Stage, cut: Cut, after: Tables): Promise<Left> {
  const before = await stage.tables();
  stage.line.arm(cut);
  const outcome: unknown = await changingCall(name)
    .run(stage.deps, stage.told)
    .catch((error: unknown) => error);
  const { hit } = stage.line;
  stage.line.arm(null);
  await stage.settled();
  const left = await stage.tables();
  const changed = JSON.stringify(left) !== JSON.stringify(before);
  if (changed) expect([cut, comparable(left)]).toEqual([cut, after]);
  if (outcome instanceof Fault) {
    expect([cut, outcome.code]).toEqual([cut, "store_unreachable"]);
    // Without a warning nothing may have happened.
    if (!outcome.outcomeUnknown) expect([cut, changed]).toEqual([cut, false]);
  } else {
    accepted(outcome);
    expect([cut, changed]).toEqual([cut, true]);
  }
  return { cut: hit, changed };
}

/** One call of each kind; the long campaign takes them all. */
const EVERY_RUN = ["join that makes a room", "wait that claims a reserved turn", "release to a waiter", "add a note"];
const names = [...new Set([...EVERY_RUN, ...Object.keys(CHANGING_CALLS)])];

for (const name of names.slice(0, figure(EVERY_RUN.length, names.length))) {
  verifies("D2", `${name}, when the line to PostgreSQL is cut at each piece in turn`, async () => {
    if (server === null) return;
    const ground = groundAt(quickDirectory(), CALL_SETTINGS);
    const model = await Stage.set(name, server, ground);
    accepted(await changingCall(name).run(model.deps, model.told));
    const after = comparable(await model.tables());
    for (const arrives of [false, true]) {
      let stage = await Stage.set(name, server, ground);
      for (let piece = 1; ; piece += 1) {
        const left = await callAndCut(name, stage, { piece, arrives }, after);
        if (!left.cut) break;
        if (left.changed) stage = await Stage.set(name, server, ground);
      }
    }
  });
}
