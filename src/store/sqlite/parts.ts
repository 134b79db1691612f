import type { Clock } from "../../ports/clock.ts";
import type { ChangeMark } from "./change-mark.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { Connection } from "./connection.ts";
import type { Patience } from "./transaction.ts";

/** What rooms, mailboxes and sessions on one file have in common. */
export interface SqliteParts {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly patience: Patience;
  readonly mark: ChangeMark;
  readonly checkpoints: Checkpoints;
}
