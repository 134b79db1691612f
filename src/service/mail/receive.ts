/**
 * Waiting for mail without polling. The call registers as a receiver, so that senders can be told that their message
 * is seen now, then sleeps until its bell rings or until something in the mailbox becomes due by time alone.
 * While the store's mark stays the same and nothing is due, a look costs no read of the mailbox.
 */
import type { Caller } from "../../domain/given.ts";
import type { AgentId } from "../../domain/ids.ts";
import { LIMITS } from "../../domain/limits.ts";
import { isLive } from "../../domain/mail/delivery.ts";
import { beginMail, withBox } from "../../domain/mail/mail-change.ts";
import { type Receiver, withoutReceiver, withReceiver } from "../../domain/mail/mailbox.ts";
import { isRefusal, type Refusal } from "../../domain/refusal.ts";
import { after, elapsedMs, hasPassed } from "../../domain/time.ts";
import { Fault } from "../../ports/fault.ts";
import type { MailWindow } from "../../ports/mail-store.ts";
import { decodeInteger } from "../decode.ts";
import type { Deps } from "../deps.ts";
import { sleepUntilWorthLooking } from "../sleep.ts";
import { changeMailbox } from "./change-mailbox.ts";
import { type Peeked, type PeekMessagesInput, peekMessages } from "./peek-messages.ts";
import { decodeTake, type TakeMessagesInput, type TakenMessages, take } from "./take-messages.ts";

export interface ReceiveInput extends TakeMessagesInput {
  /** How long to wait for a first message; without it, for as long as a wait may last. */
  readonly maxWaitMs?: number;
  readonly signal?: AbortSignal;
}

const HEAD_ONLY: MailWindow = { kind: "messages", ids: [] };

/** Resolves with the first messages, or with none when the time is up or the call was cancelled. */
export async function receiveMessages(
  deps: Deps,
  caller: Caller,
  input: ReceiveInput,
): Promise<TakenMessages | Refusal> {
  const command = await decodeTake(deps, input);
  if (isRefusal(command)) return command;
  const look = () => take(deps, caller, command);
  return untilThere(
    deps,
    caller,
    { ...input, bell: caller.agentId, from: command.from },
    look,
    ({ answer }) => answer.count > 0,
  );
}

export interface AwaitPeekInput extends PeekMessagesInput {
  readonly maxWaitMs?: number;
  readonly signal?: AbortSignal;
}

/** The same for one who only looks. */
export async function awaitPeek(deps: Deps, caller: Caller, input: AwaitPeekInput): Promise<Peeked | Refusal> {
  const look = () => peekMessages(deps, caller, input);
  // A bell of one's own is a trace in the store; one who only looks leaves none.
  const awaiting = { ...input, bell: "all", from: null } as const;
  return untilThere(deps, caller, awaiting, look, (seen) => isRefusal(seen) || seen.count > 0);
}

interface Awaiting {
  /** Whose bell to listen to. */
  readonly bell: AgentId | "all";
  readonly maxWaitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly from: AgentId | null;
}

async function untilThere<Seen>(
  deps: Deps,
  caller: Caller,
  awaiting: Awaiting,
  look: () => Promise<Seen>,
  isThere: (seen: Seen) => boolean,
): Promise<Seen | Refusal> {
  const longest = LIMITS.waitMs;
  const maxWaitMs = decodeInteger("max_wait_ms", awaiting.maxWaitMs ?? longest, { min: 0, max: longest });
  if (isRefusal(maxWaitMs)) return maxWaitMs;
  const bell = await deps.bell.subscribe(awaiting.bell);
  try {
    const since = deps.clock.now().instant;
    for (let last: Seen | null = null; ; ) {
      // The mark before the look: a commit in between shows as a difference.
      const mark = await deps.store.changeMark();
      const seen: Seen = last === null ? await look() : await unlessPassing(look(), last);
      if (isThere(seen)) return seen;
      const asleep = await sleepUntilChanged(deps, caller, { ...awaiting, bell, mark, since, maxWaitMs });
      if (asleep !== "rang") return seen;
      last = seen;
    }
  } finally {
    bell.close();
  }
}

interface Sleeping extends Omit<Awaiting, "bell"> {
  readonly bell: Awaited<ReturnType<Deps["bell"]["subscribe"]>>;
  readonly mark: string;
  readonly since: ReturnType<Deps["clock"]["now"]>["instant"];
  readonly maxWaitMs: number;
}

async function sleepUntilChanged(deps: Deps, caller: Caller, sleeping: Sleeping): Promise<"rang" | "over"> {
  let dueInMs = await nextDueMs(deps, caller, sleeping);
  for (;;) {
    const leftMs = sleeping.maxWaitMs - elapsedMs(sleeping.since, deps.clock.now().instant);
    if (leftMs <= 0) return "over";
    const before = deps.clock.now().instant;
    const woken = await sleepUntilWorthLooking(deps, sleeping.bell, Math.min(leftMs, dueInMs), sleeping.signal);
    if (woken === "aborted") return "over";
    dueInMs -= elapsedMs(before, deps.clock.now().instant);
    if (woken === "rang" || dueInMs <= 0 || (await hasChanged(deps, sleeping.mark))) return "rang";
  }
}

function hasChanged({ store }: Deps, mark: string): Promise<boolean> {
  return unlessPassing(
    store.changeMark().then((now) => now !== mark),
    false,
  );
}

/** A passing fault of the store must not end a long wait. */
async function unlessPassing<Seen>(look: Promise<Seen>, otherwise: Seen): Promise<Seen> {
  try {
    return await look;
  } catch (error) {
    if (error instanceof Fault && error.retry) return otherwise;
    throw error;
  }
}

/** When something in the mailbox can next be taken by time alone: a backoff ends, or an attempt is given up. */
async function nextDueMs(deps: Deps, caller: Caller, { from }: Sleeping): Promise<number> {
  const { window, moment } = await deps.store.readMailbox(caller.agentId, { kind: "lanes", perSender: 1, from });
  const dues = window.deliveries.filter(isLive).flatMap(({ due }) => (due === null ? [] : [due]));
  const ahead = dues.filter((due) => !hasPassed(due, moment.instant)).map((due) => due.ms - moment.instant.ms);
  return Math.min(Number.POSITIVE_INFINITY, ...ahead);
}

/** Runs `work` as a registered receiver: whoever sends meanwhile is told that its message is seen at once. */
export async function asReceiver<Result>(deps: Deps, caller: Caller, work: () => Promise<Result>): Promise<Result> {
  const process = deps.probe.self();
  if (process === null) return work();
  await changeMailbox(deps, caller, HEAD_ONLY, ({ box }, given) => {
    const { instant } = given.moment;
    const receiver: Receiver = { process, until: after(instant, LIMITS.receiverMs) };
    const mail = beginMail(new Map([[box.agentId, box]]));
    return {
      mail: withBox(
        mail,
        withReceiver(box, receiver, ({ until }) => hasPassed(until, instant)),
      ),
      answer: true,
    };
  });
  try {
    return await work();
  } finally {
    await changeMailbox(deps, caller, HEAD_ONLY, ({ box }) => {
      const mail = beginMail(new Map([[box.agentId, box]]));
      return { mail: withBox(mail, withoutReceiver(box, process)), answer: true };
    });
  }
}
