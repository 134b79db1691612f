/**
 * tt msg recv: my mail, once, when it comes, or as a stream. A message is acknowledged only after it has left this
 * process, so a crash shows it again. A peek takes and changes nothing.
 */
import { LIMITS } from "../../../../core/limits.ts";
import { isRefusal } from "../../../../core/refusal.ts";
import type { Deps } from "../../../../engine/deps.ts";
import { peekMessages } from "../../../../mail/peek-messages.ts";
import { type ReadMessages, readMyMessages } from "../../../../mail/read-my-messages.ts";
import { awaitPeek } from "../../../../mail/receive.ts";
import { wrap } from "../../../words/wrap.ts";
import type { Arguments, Command } from "../../command.ts";
import type { CliContext, CliSession, Purpose } from "../../context.ts";
import { EXIT } from "../../exit-codes.ts";
import { type AnswerContext, form } from "../../form.ts";
import { granted } from "../../granted.ts";
import { assertNamedRoom, roomOf } from "../../room-of.ts";
import { deadLetterLines } from "../../text/delivery.ts";
import { messagesText } from "../../text/message.ts";
import { UsageError } from "../../usage-error.ts";
import { followMail, followPeek } from "./msg-follow.ts";
import { senderOf } from "./sender-of.ts";

const EXAMPLE = "tt msg recv --wait --timeout 10m";

/** Once, or with the first that comes. */
const once = form({
  words: "msg recv",
  of: readMyMessages,
  summary: "read your mail: now, when it comes, or as a stream",
  details: [
    "What was printed is acknowledged and does not come again. --wait ends with the first messages. --follow prints",
    "one line per message until it is stopped, then a last line with the cursor.",
    "docs/receive-consumer-contract.md has the rules for programs that read this.",
  ],
  example: EXAMPLE,
  flags: {
    wait: { kind: "boolean", help: "wait for the first message" },
    follow: { kind: "boolean", help: "go on until stopped" },
    timeout: {
      kind: "duration",
      help: "how long; without it --wait lasts until stopped on a terminal, else the room's limit",
    },
    from: { kind: "text", value: "WHO", help: "only from this agent" },
    peek: { kind: "boolean", help: "look without taking: nothing is acknowledged" },
    after: { kind: "number", value: "N", help: "replay what came after this cursor, read or not; implies --peek" },
    limit: { field: "limit", value: "N", help: "at most this many (1 to 50)" },
  },
  otherFlags: {
    target: "It reads your own mail. What was sent to others is in the log: tt log --event message_sent --target any",
  },
  async gather(context, args) {
    const session = granted(await context.session());
    const sender = await senderIn(context, session);
    return { ...sender, ...(args.isSet("wait") && { maxWaitMs: await patience(context, session.deps) }) };
  },
  text: readText,
  exit: ({ count }, { context: { args, ports } }) =>
    !args.isSet("wait") || count > 0 || ports.interrupted.aborted ? EXIT.done : EXIT.notYet,
});

export const msgRecv: Command = {
  ...once,
  async run(context, args) {
    refuseWithoutEffect(args);
    if (!isPeek(args)) context.ports.assertOutput();
    return isPeek(args) || args.isSet("follow") ? asStream(context, args) : once.run(context, args);
  },
};

async function asStream(context: CliContext, args: Arguments): Promise<number> {
  const session = granted(await context.session(isPeek(args) ? await purposeOfPeek(context) : "change"));
  const sender = await senderIn(context, session);
  const limit = args.number("limit");
  const input: MailInput = { ...sender, ...(limit !== undefined && { limit }) };
  return isPeek(args) ? peek(context, session, input) : followMail(context, session, input);
}

export interface MailInput {
  readonly from?: string;
  readonly limit?: number;
}

/** Which sender's mail is wanted. */
async function senderIn(context: CliContext, session: CliSession): Promise<MailInput> {
  await assertNamedRoom(context);
  const name = context.args.text("from");
  if (name === "room") throw new UsageError("The room sends no mail; its members do.", "Name one of them with --from.");
  const from = granted(await senderOf(context, session, name));
  return from === null ? {} : { from };
}

function isPeek(args: Arguments): boolean {
  return args.isSet("peek") || args.number("after") !== undefined;
}

/** A wait needs a store that mail can reach, and creates one if there is none; a single look creates none. */
async function purposeOfPeek(context: CliContext): Promise<Purpose> {
  const { args } = context;
  if (!args.isSet("wait") && !args.isSet("follow")) return "read";
  const deps = await context.deps("read");
  return !isRefusal(deps) && deps.store.kind === "memory" ? "change" : "read";
}

/** A flag that is silently ignored is worse than one that is refused. */
function refuseWithoutEffect(args: Arguments): void {
  if (args.isSet("wait") && args.isSet("follow"))
    throw new UsageError("--wait and --follow exclude each other.", "Use one of them.");
  if (args.number("timeout") !== undefined && !args.isSet("wait") && !args.isSet("follow")) {
    throw new UsageError("--timeout says how long --wait or --follow lasts.", `For example: ${EXAMPLE}`);
  }
  if (args.number("limit") !== undefined && args.isSet("follow")) {
    throw new UsageError("--limit has no effect with --follow.", "Leave it out; messages come one at a time.");
  }
}

function readText(answer: ReadMessages, { context, nowMs, taken }: AnswerContext): string {
  const { count, remaining, deadLetters = 0 } = answer;
  const from = context.args.text("from");
  const mail =
    count > 0 || remaining === 0 || from === undefined
      ? messagesText(answer, context.reading(nowMs), taken?.moreIsReady)
      : wrap(`Nothing from ${from} can be read now; ${remaining} unread in all.`, context.columns);
  return [mail, ...deadLetterLines(deadLetters, context.page)].join("\n");
}

async function peek(context: CliContext, session: CliSession, input: MailInput): Promise<number> {
  const { args, ports } = context;
  const { deps, caller } = session;
  if (args.isSet("follow")) return followPeek(context, session, input);
  const after = args.number("after");
  const look = { ...input, ...(after !== undefined && { afterDeliverySeq: after }) };
  const waits = args.isSet("wait");
  const waiting = { ...look, maxWaitMs: await patience(context, deps), signal: ports.interrupted };
  const peeked = granted(waits ? await awaitPeek(deps, caller, waiting) : await peekMessages(deps, caller, look));
  const nowMs = deps.clock.now().wallMs;
  await context.answer(peeked, (shown) => {
    const more = after !== undefined && shown.hasMore;
    const goOn = more ? [`There are more. Go on with: ${context.tt} msg recv --after ${shown.cursorDeliverySeq}`] : [];
    return [messagesText(shown, context.reading(nowMs)), ...goOn].join("\n");
  });
  return !waits || peeked.count > 0 || ports.interrupted.aborted ? EXIT.done : EXIT.notYet;
}

/** A person waits for as long as a wait may last; a program gets its answer before its own patience ends. */
async function patience(context: CliContext, deps: Deps): Promise<number> {
  const { args, ports } = context;
  const timeoutMs = args.number("timeout") ?? (ports.terminal.output ? LIMITS.waitMs : undefined);
  if (timeoutMs !== undefined) return timeoutMs;
  const room = await roomOf(context);
  return (isRefusal(room) ? deps.policy : room.policy).waitMaxMs;
}
