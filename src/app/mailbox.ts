/** The library `talking-stick/mailbox`. What is exported here is public. */
import { isRefusal, type Refusal } from "../core/refusal.ts";
import type { Environment } from "../platform/settings/environment.ts";
import { orThrow } from "../surfaces/library/error.ts";
import { MailboxHandle } from "../surfaces/library/mailbox.ts";
import { type Mailbox, mailboxLibrary } from "../surfaces/library/mailbox-library.ts";
import { openDeps } from "./open.ts";

export { TalkingStickError, type TalkingStickErrorCode } from "../surfaces/library/error.ts";
export type { Mailbox } from "../surfaces/library/mailbox-library.ts";
export type {
  DeadLetterEntry,
  EnqueueAck,
  Message,
  MessageState,
  MessageSummary,
  NewMessage,
  Which,
} from "../surfaces/library/mailbox-message.ts";

export interface MailboxOptions {
  /** The workspace in whose room the messages are written down; the current directory by default. */
  readonly path?: string;
  /** Where TT_DATA_DIR, TT_STORE, TT_CONFIG and the policy defaults are read from; the process's own by default. */
  readonly env?: Environment;
}

export async function openMailbox(options: MailboxOptions = {}): Promise<Mailbox> {
  return orThrow(() => open(options));
}

async function open({ path = process.cwd(), env = process.env }: MailboxOptions): Promise<Mailbox | Refusal> {
  const deps = await openDeps(env);
  if (isRefusal(deps)) return deps;
  const close = async () => {
    await deps.bell.close();
    await deps.store.close();
  };
  const handle = await MailboxHandle.at(deps, path);
  if (!isRefusal(handle)) return mailboxLibrary(handle, close);
  await close();
  return handle;
}
