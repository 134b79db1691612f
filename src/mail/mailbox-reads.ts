/** Small reads of a mailbox: how much is unread, whether a sender has written, and how far the mailbox reaches. */
import { type AgentId, asAgentId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import type { Delivery } from "../core/mail-records.ts";
import { type Refusal, refuse } from "../core/refusal.ts";
import type { Moment } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { isUnread, settled } from "./rules/delivery.ts";
import type { MailboxWindow } from "./rules/take.ts";

const PAGE = LIMITS.deliveriesPerPage;

/** All unread mail, or that of one sender. What has expired is not counted. */
export async function countUnread(
  deps: Deps,
  { agentId }: Pick<Caller, "agentId">,
  from: string | null,
): Promise<number> {
  if (from === null) return countLive(deps, agentId, () => true);
  const sender = await deps.store.resolveAlias(asAgentId(from));
  return countLive(deps, agentId, (delivery) => delivery.from === sender);
}

/** The counts in a mailbox's head are as old as its last change, so the mail itself is counted. */
async function countLive(deps: Deps, agentId: AgentId, isMeant: (delivery: Delivery) => boolean): Promise<number> {
  const { window, moment } = await readLive(deps, agentId, {});
  return window.deliveries.filter((delivery) => isMeant(delivery) && isUnread(settled(delivery, moment))).length;
}

export interface MailPage {
  readonly window: MailboxWindow;
  readonly moment: Moment;
}

interface LiveMail extends MailPage {
  /** Whether there is no more after it. */
  readonly isAll: boolean;
}

/** The live mail after a number, page by page, until there is no more or a page says that it is enough. */
export async function readLive(
  { store }: Pick<Deps, "store">,
  agentId: AgentId,
  { from = 0, isEnough = () => false }: { readonly from?: number; readonly isEnough?: (page: MailPage) => boolean },
): Promise<LiveMail> {
  const deliveries: Delivery[] = [];
  for (;;) {
    const after = deliveries.at(-1)?.seq ?? from;
    const page = await store.readMailbox(agentId, { kind: "live", limit: PAGE, after });
    const { window, moment } = page;
    deliveries.push(...window.deliveries);
    const isAll = window.deliveries.length < PAGE;
    if (isAll || isEnough(page)) return { window: { ...window, deliveries }, moment, isAll };
  }
}

/** Whether unread mail of this sender is there. The sender may be a member of no room. */
export async function hasMailOf({ store }: Deps, { agentId }: Caller, sender: AgentId): Promise<boolean> {
  const from = await store.resolveAlias(sender);
  const { window } = await store.readMailbox(agentId, { kind: "lanes", perSender: 1, from });
  return window.deliveries.length > 0;
}

/** Whether the sender has ever written to the caller. */
export async function hasWritten({ store }: Deps, { agentId }: Caller, sender: AgentId): Promise<boolean> {
  const from = await store.resolveAlias(sender);
  for (let seq = 0; ; ) {
    const { window } = await store.readMailbox(agentId, { kind: "after", seq, limit: PAGE });
    if (window.deliveries.some((delivery) => delivery.from === from)) return true;
    if (window.deliveries.length < PAGE) return false;
    seq = window.deliveries.at(-1)?.seq ?? seq;
  }
}

/** Refuses a cursor behind the end of the mailbox. Deliveries are never removed, so a number that was seen once is there. */
export async function refuseAhead(
  deps: Deps,
  { agentId }: Caller,
  seq: number,
): Promise<Refusal<"invalid_cursor"> | null> {
  if (seq === 0) return null;
  const { window } = await deps.store.readMailbox(agentId, { kind: "after", seq: seq - 1, limit: 1 });
  if (window.deliveries.length > 0) return null;
  return refuse(
    "invalid_cursor",
    `The cursor ${seq} is not a position in this mailbox, which ends before it.`,
    "Use the cursor that the last read returned, or 0 to read from the start.",
    { after: seq },
  );
}
