/** What the server of a run says of itself. */
import postgres from "postgres";
import { nowUs } from "../marks.ts";
import type { Reading } from "./phase.ts";
import { ownBytes, ProcessTable } from "./processor-time.ts";

export class ServerGauge {
  readonly #sql: postgres.Sql;
  /** The server's first process. */
  readonly #postmaster: number;
  #connections: number[] = [];
  readonly #watch: NodeJS.Timeout;

  private constructor(sql: postgres.Sql, postmaster: number) {
    this.#sql = sql;
    this.#postmaster = postmaster;
    // A look that fails is one look less; what reads the figures of a phase tells of a server that is away.
    this.#watch = setInterval(() => void this.#count().catch(() => undefined), 1000);
  }

  static async open(url: string): Promise<ServerGauge> {
    const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined });
    const [row] = await sql<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
    return new ServerGauge(sql, ProcessTable.read().parentOf(row?.pid ?? 0));
  }

  async read(): Promise<Reading> {
    const [row] = await this.#sql<Record<"commits" | "wal" | "size", string>[]>`
      SELECT xact_commit AS commits, pg_current_wal_lsn() - '0/0' AS wal, pg_database_size(datname) AS size
      FROM pg_stat_database WHERE datname = current_database()`;
    const table = ProcessTable.read();
    return {
      atUs: nowUs(),
      serverCpu: table.familySeconds(this.#postmaster),
      // Below this process, and not the server, whose host is below it, too.
      agentsCpu: table.endedSeconds(process.pid) + this.#livingAgents(table),
      commits: Number(row?.commits),
      walBytes: Number(row?.wal),
      databaseBytes: Number(row?.size),
    };
  }

  /** The connections since the last call, looked at once a second. */
  connections(): readonly number[] {
    const seen = this.#connections;
    this.#connections = [];
    return seen;
  }

  async version(): Promise<string> {
    const [row] = await this.#sql<{ version: string }[]>`SELECT current_setting('server_version') AS version`;
    return row?.version ?? "";
  }

  memoryBytes(): number {
    return ProcessTable.read()
      .membersOf(this.#postmaster)
      .reduce((sum, pid) => sum + ownBytes(pid), 0);
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    await this.#sql.end({ timeout: 1 });
  }

  #livingAgents(table: ProcessTable): number {
    const startedServer = table.parentOf(this.#postmaster);
    const agents = table.childrenOf(process.pid);
    return agents.reduce((sum, pid) => sum + table.familySeconds(pid, [startedServer]), 0);
  }

  async #count(): Promise<void> {
    const [row] = await this.#sql<{ count: string }[]>`
      SELECT count(*) FROM pg_stat_activity WHERE application_name = 'talking-stick'`;
    this.#connections.push(Number(row?.count));
  }
}
