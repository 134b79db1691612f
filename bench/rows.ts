/** Every row of the table, in its order. */
import type { Row } from "./row.ts";
import { addressee } from "./rows/addressee.ts";
import { command } from "./rows/command.ts";
import { contention } from "./rows/contention.ts";
import { event } from "./rows/event.ts";
import { grant } from "./rows/grant.ts";
import { growth } from "./rows/growth.ts";
import { hook } from "./rows/hook.ts";
import { hot } from "./rows/hot.ts";
import { idle } from "./rows/idle.ts";
import { least } from "./rows/least.ts";
import { mailbox } from "./rows/mailbox.ts";
import { mcp } from "./rows/mcp.ts";
import { message } from "./rows/message.ts";
import { open } from "./rows/open.ts";
import { page } from "./rows/page.ts";
import { person } from "./rows/person.ts";
import { postgres } from "./rows/postgres.ts";
import { prove } from "./rows/prove.ts";
import { snapshot } from "./rows/snapshot.ts";
import { transcript } from "./rows/transcript.ts";

export const rows: readonly Row[] = [
  event,
  addressee,
  message,
  mailbox,
  grant,
  snapshot,
  contention,
  hot,
  least,
  growth,
  idle,
  transcript,
  postgres,
  open,
  command,
  person,
  page,
  hook,
  mcp,
  prove,
];
