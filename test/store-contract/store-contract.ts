/** What every store promises, as one suite. Each store's test file says only how to open it. */
import { aliasesContract } from "./aliases-contract.ts";
import { asksContract } from "./asks-contract.ts";
import { changesContract } from "./changes-contract.ts";
import { connectionsContract } from "./connections-contract.ts";
import { idsContract } from "./ids-contract.ts";
import { logContract } from "./log-contract.ts";
import { mailContract } from "./mail-contract.ts";
import { pruneContract } from "./prune-contract.ts";
import { roomsContract } from "./rooms-contract.ts";
import { sessionsContract } from "./sessions-contract.ts";
import { shownContract } from "./shown-contract.ts";
import type { OpenBackend } from "./store-world.ts";
import { wakeContract } from "./wake-contract.ts";

export function storeContract(openBackend: OpenBackend): void {
  roomsContract(openBackend);
  changesContract(openBackend);
  aliasesContract(openBackend);
  logContract(openBackend);
  idsContract(openBackend);
  mailContract(openBackend);
  shownContract(openBackend);
  asksContract(openBackend);
  wakeContract(openBackend);
  sessionsContract(openBackend);
  pruneContract(openBackend);
  connectionsContract(openBackend);
}
