/** tt msg recv --follow: one message at a time, and the next is taken only when the last one has left the process. */

import { withSnakeKeys } from "../../../../core/letter-case.ts";
import { isRefusal } from "../../../../core/refusal.ts";
import { jsonText } from "../../../../core/visible.ts";
import { keepWhile } from "../../../../engine/in-flight.ts";
import { asReceiver, STAY_WITHIN_MS, type Stay } from "../../../../mail/as-receiver.ts";
import { countUnread } from "../../../../mail/mailbox-reads.ts";
import { awaitPeek, receiveMessages } from "../../../../mail/receive.ts";
import type { ReceivedMessage } from "../../../../mail/rules/message.ts";
import { type TakenMessages, takeAtEnd } from "../../../../mail/take-messages.ts";
import type { CliContext, CliSession } from "../../context.ts";
import { goOnText, printStream } from "../../stream.ts";
import { messageText } from "../../text/message.ts";
import { untilStopped } from "../../until-stopped.ts";
import type { MailInput } from "./msg-recv.ts";

/** More mail than this is announced before it comes. */
const ANNOUNCED_FROM = 20;

/** While the stream goes on, senders are told that their message is seen at once. */
export async function followMail(context: CliContext, session: CliSession, input: MailInput): Promise<number> {
  const { deps, caller } = session;
  const until = untilStopped(context.ports.interrupted, context.args.number("timeout"));
  const line = await linesOf(context, session);
  let cursor = 0;
  let goesOn = false;
  let stay: Stay | null = null;
  await announce(context, session, input);
  return printStream<TakenMessages>(context, {
    until,
    around: (stream) =>
      asReceiver(deps, caller, input, (stays) => {
        stay = stays;
        return stream();
      }),
    next: async () => {
      await stay?.();
      const one = { ...input, limit: 1, transport: "cli", maxWaitMs: STAY_WITHIN_MS, signal: until, goesOn };
      goesOn = true;
      const taken = await receiveMessages(deps, caller, one);
      return isRefusal(taken) ? taken : taken.answer.messages.map(() => taken);
    },
    line: ({ answer }) => answer.messages.map(line.of).join(""),
    whileWriting: keepWhile,
    onShown: ({ answer }) => {
      cursor = Math.max(cursor, ...answer.messages.map(({ deliverySeq }) => deliverySeq));
    },
    last: async () => {
      const taken = await takeAtEnd(deps, caller, { ...input, transport: "cli" });
      return taken && taken.answer.count > 0 ? [taken] : [];
    },
    lastLine: () => line.last(cursor, "--follow"),
  });
}

/** Shows the same without taking it: the live mail first, or all after a cursor, then what comes. */
export async function followPeek(context: CliContext, session: CliSession, input: MailInput): Promise<number> {
  const { deps, caller } = session;
  const until = untilStopped(context.ports.interrupted, context.args.number("timeout"));
  const line = await linesOf(context, session);
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
    line: line.of,
    onShown: ({ deliverySeq }) => {
      cursor = deliverySeq;
    },
    lastLine: () => line.last(cursor, cursor === 0 ? "--follow --peek" : `--follow --after ${cursor}`),
  });
}

interface Lines {
  readonly of: (message: ReceivedMessage) => string;
  /** Where a program goes on; a person is told by which command. */
  readonly last: (cursor: number, flags: string) => string;
}

async function linesOf(context: CliContext, { deps }: CliSession): Promise<Lines> {
  if (await context.wantsJson()) {
    return {
      of: (message) => `${jsonText(withSnakeKeys(message))}\n`,
      last: (cursor) => jsonText({ type: "cursor", cursor_delivery_seq: cursor }),
    };
  }
  return {
    of: (message) => `${messageText(message, context.reading(deps.clock.now().wallMs))}\n`,
    last: (_, flags) => goOnText(context, `msg recv ${flags}`, ["from"]),
  };
}

async function announce(context: CliContext, { deps, caller }: CliSession, { from }: MailInput): Promise<void> {
  const pending = await countUnread(deps, caller, from ?? null);
  if (pending <= ANNOUNCED_FROM) return;
  const json = await context.wantsJson();
  const text = `${pending} messages wait; they come oldest first.`;
  await context.ports.writeOut(json ? `${jsonText({ type: "summary", pending })}\n` : `${text}\n`);
}
