/** tt msg recv --follow: one message at a time, and the next is taken only when the last one has left the process. */
import { withSnakeKeys } from "../../../domain/letter-case.ts";
import type { ReceivedMessage } from "../../../domain/mail/message.ts";
import { isRefusal } from "../../../domain/refusal.ts";
import { STAY_WITHIN_MS, type Stay } from "../../../service/mail/as-receiver.ts";
import { countUnread } from "../../../service/mail/count-unread.ts";
import { keepWhile } from "../../../service/mail/keep-while.ts";
import { awaitPeek, receiveMessages } from "../../../service/mail/receive.ts";
import type { TakenMessages } from "../../../service/mail/take-messages.ts";
import type { CliContext, Session } from "../context.ts";
import { printStream } from "../stream.ts";
import { messageText } from "../text/message.ts";
import type { MailInput } from "./msg-recv.ts";

/** More mail than this is announced before it comes. */
const ANNOUNCED_FROM = 20;

export async function followMail(context: CliContext, session: Session, input: MailInput, stay: Stay): Promise<number> {
  const { deps, caller } = session;
  const until = endOf(context);
  const line = await lineOf(context, session);
  let cursor = 0;
  await announce(context, session, input);
  return printStream<TakenMessages>(context, {
    until,
    next: async () => {
      await stay();
      const one = { ...input, limit: 1, transport: "cli", maxWaitMs: STAY_WITHIN_MS, signal: until };
      const taken = await receiveMessages(deps, caller, one);
      return isRefusal(taken) ? taken : taken.answer.messages.map(() => taken);
    },
    line: ({ answer }) => answer.messages.map(line).join(""),
    whileWriting: keepWhile,
    onShown: ({ answer }) => {
      cursor = Math.max(cursor, ...answer.messages.map(({ deliverySeq }) => deliverySeq));
    },
    lastLine: () => JSON.stringify({ type: "cursor", cursor_delivery_seq: cursor }),
  });
}

/** Shows the same without taking it: the live mail first, or all after a cursor, then what comes. */
export async function followPeek(context: CliContext, session: Session, input: MailInput): Promise<number> {
  const { deps, caller } = session;
  const until = endOf(context);
  const line = await lineOf(context, session);
  const after = context.args.number("after");
  let cursor = after ?? 0;
  if (after === undefined) await announce(context, session, input);
  return printStream<ReceivedMessage>(context, {
    until,
    next: async () => {
      const look = { ...input, afterDeliverySeq: cursor, liveOnly: after === undefined, signal: until };
      const peeked = await awaitPeek(deps, caller, look);
      return isRefusal(peeked) ? peeked : peeked.messages;
    },
    line,
    onShown: ({ deliverySeq }) => {
      cursor = deliverySeq;
    },
    lastLine: () => JSON.stringify({ type: "cursor", cursor_delivery_seq: cursor }),
  });
}

function endOf({ args, ports }: CliContext): AbortSignal {
  const timeoutMs = args.number("timeout");
  return timeoutMs === undefined
    ? ports.interrupted
    : AbortSignal.any([ports.interrupted, AbortSignal.timeout(timeoutMs)]);
}

async function lineOf(context: CliContext, { deps }: Session): Promise<(message: ReceivedMessage) => string> {
  const json = await context.wantsJson();
  return (message) =>
    json
      ? `${JSON.stringify(withSnakeKeys(message))}\n`
      : `${messageText(message, context.reading(deps.clock.now().wallMs))}\n`;
}

async function announce(context: CliContext, { deps, caller }: Session, { from }: MailInput): Promise<void> {
  const pending = await countUnread(deps, caller, from ?? null);
  if (pending <= ANNOUNCED_FROM) return;
  const json = await context.wantsJson();
  const text = `${pending} messages wait; they come oldest first.`;
  await context.ports.writeOut(json ? `${JSON.stringify({ type: "summary", pending })}\n` : `${text}\n`);
}
