/** What `tt doctor` says about a database server that agents of several machines share. */

import type { Finding } from "../../../../core/finding.ts";
import { span } from "../../../../core/time.ts";
import type { ServerSight } from "../../../../engine/ports/store.ts";

export interface SeenServer {
  readonly server: ServerSight;
  /** How long one question and its answer took. */
  readonly roundTripMs: number;
  /** How far the clock of this machine is ahead of the server's. */
  readonly aheadMs: number;
}

/** Agents on several machines notice a slower server as slow commands. */
const SLOW_ROUND_TRIP_MS = 100;
const CLOCK_TOLERANCE_MS = 30_000;
/** Below this share of free connections the next few agents may find none. */
const FEW_FREE = 0.2;
const LONG_TRANSACTION_MS = 60_000;
/** Fewer dead rows cost nothing that is noticed. */
const MANY_DEAD_ROWS = 50_000;

export function serverFindings({ server, roundTripMs, aheadMs }: SeenServer): readonly Finding[] {
  const { version, size, isEncrypted } = server;
  const about = [
    `PostgreSQL ${version}`,
    `answers within ${Math.max(1, roundTripMs)} ms`,
    `${(size.bytes / 1e6).toFixed(1)} MB`,
    ...(isEncrypted === null ? [] : [isEncrypted ? "encrypted" : "not encrypted"]),
  ].join(", ");
  return [
    roundTripMs > SLOW_ROUND_TRIP_MS
      ? warning("server", `${about}: each command waits for several answers`, "use a server that is nearer")
      : { name: "server", level: "ok", text: about },
    connections(server),
    ...[
      role(server),
      durability(server),
      replicas(server),
      transaction(server),
      deadRows(server),
      clock(aheadMs),
    ].flat(),
  ];
}

function connections({ connections: { used, ours, free } }: ServerSight): Finding {
  const text = `${used} of ${used + Math.max(0, free)} connections are in use, ${ours} of them by tt`;
  if (free > FEW_FREE * (used + free)) return { name: "server", level: "ok", text };
  return warning("server", text, "raise max_connections, or end programs that hold connections");
}

function role({ role: { name, isSuperuser } }: ServerSight): readonly Finding[] {
  if (!isSuperuser) return [];
  return [
    warning("server", `${name} is a superuser, and tt needs only a schema of its own`, "see docs/team.md, roles"),
  ];
}

function durability({ settings: { fsync, fullPageWrites } }: ServerSight): readonly Finding[] {
  const off = Object.entries({ fsync, full_page_writes: fullPageWrites }).filter(([, value]) => value === "off");
  return off.map(([name]) => ({
    name: "server",
    level: "broken",
    text: `${name} is off: after a power failure the database may be damaged, and what was acknowledged lost`,
    next: `set ${name} = on in postgresql.conf, and restart the server`,
  }));
}

function replicas({ replicas: count, settings: { synchronousStandbys } }: ServerSight): readonly Finding[] {
  if (count === 0) return [];
  const text = count === 1 ? "one replica follows" : `${count} replicas follow`;
  if (synchronousStandbys !== "") return [{ name: "server", level: "ok", text: `${text}, and commits wait for it` }];
  const risk = `${text}, but commits do not wait for it: a failover may lose the newest changes`;
  return [warning("server", risk, "set synchronous_standby_names in postgresql.conf, and reload the server")];
}

function transaction({ oldestTransaction: oldest }: ServerSight): readonly Finding[] {
  if (oldest === null || oldest.ageMs < LONG_TRANSACTION_MS) return [];
  const { pid, program, ageMs } = oldest;
  const text = `${program || "a program"} (server process ${pid}) has had a transaction open for ${span(ageMs)}: old rows cannot be removed meanwhile`;
  return [warning("server", text, `end that program, or let the server end it by its pg_terminate_backend(${pid})`)];
}

function deadRows({ size: { liveRows, deadRows: dead }, settings: { autovacuum } }: ServerSight): readonly Finding[] {
  const isOff = autovacuum === "off";
  if (!isOff && (dead < MANY_DEAD_ROWS || dead < liveRows)) return [];
  const text = isOff
    ? "autovacuum is off, so the tables only grow"
    : `${dead} dead rows stand beside ${liveRows} live ones`;
  return [
    warning(
      "server",
      text,
      isOff
        ? "set autovacuum = on in postgresql.conf, and reload the server"
        : "run vacuumdb for this database, and let autovacuum run more often",
    ),
  ];
}

function clock(aheadMs: number): readonly Finding[] {
  if (Math.abs(aheadMs) < CLOCK_TOLERANCE_MS) return [];
  const text = `the clock of this machine is ${span(Math.abs(aheadMs))} ${aheadMs > 0 ? "ahead of" : "behind"} the server's: leases and order are right, but times in the files and transcripts of this machine do not fit those of events`;
  return [warning("clock", text, "set the clock of this machine by NTP, for example: timedatectl set-ntp true")];
}

function warning(name: string, text: string, next: string): Finding {
  return { name, level: "warning", text, next };
}
