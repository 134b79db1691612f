import type { Clock } from "../../engine/ports/clock.ts";
import type { ChangeMark } from "./change-mark.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { Connection } from "./connection.ts";
import type { Schema } from "./schema.ts";

/** What rooms, mailboxes and sessions on one file have in common. */
export interface SqliteParts {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly schema: Schema;
  readonly mark: ChangeMark;
  readonly checkpoints: Checkpoints;
}
