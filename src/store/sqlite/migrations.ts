/** The schema, step by step. Loaded only when there is a step to take. */
import rooms from "./migrations/001-rooms.sql";
import mail from "./migrations/002-mail.sql";
import sessions from "./migrations/003-sessions.sql";
import harness from "./migrations/004-harness.sql";
import waits from "./migrations/005-waits.sql";
import wakes from "./migrations/006-wakes.sql";
import comers from "./migrations/007-comers.sql";
import departures from "./migrations/008-departures.sql";
import oldestWriter from "./migrations/009-oldest-writer.sql";
import shown from "./migrations/010-shown.sql";
import servers from "./migrations/011-servers.sql";
import checks from "./migrations/012-checks.sql";
import paused from "./migrations/013-paused.sql";
import evidence from "./migrations/014-evidence.sql";
import hosts from "./migrations/015-hosts.sql";

export const MIGRATIONS: readonly string[] = [
  rooms,
  mail,
  sessions,
  harness,
  waits,
  wakes,
  comers,
  departures,
  oldestWriter,
  shown,
  servers,
  checks,
  paused,
  evidence,
  hosts,
];
