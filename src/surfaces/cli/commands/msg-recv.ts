/**
 * tt msg recv: my mail, once, when it comes, or as a stream. A message is acknowledged only after it has left this
 * process, so a crash shows it again. A peek takes and changes nothing.
 */
import { LIMITS } from "../../../core/limits.ts";
import { isRefusal } from "../../../core/refusal.ts";
import type { Deps } from "../../../engine/deps.ts";
import { asReceiver } from "../../../mail/as-receiver.ts";
import { countDeadLetters } from "../../../mail/dead-letters.ts";
import { keepWhile } from "../../../mail/keep-while.ts";
import { peekMessages } from "../../../mail/peek-messages.ts";
import { awaitPeek, receiveMessages } from "../../../mail/receive.ts";
import { takeAtEnd } from "../../../mail/take-at-end.ts";
import { type TakenMessages, takeMessages } from "../../../mail/take-messages.ts";
import { adoptMail } from "../../../session/adopt-provisional.ts";
import type { Arguments, Command } from "../command.ts";
import type { CliContext, Purpose, Session } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { missingRoom, roomOf } from "../room-of.ts";
import { senderOf } from "../sender-of.ts";
import { deadLetterLines } from "../text/delivery.ts";
import { messagesText } from "../text/message.ts";
import { wrap } from "../text/wrap.ts";
import { UsageError } from "../usage-error.ts";
import { followMail, followPeek } from "./msg-follow.ts";

export const msgRecv: Command = {
  name: "msg recv",
  summary: "read your mail: now, when it comes, or as a stream",
  details: [
    "What was printed is acknowledged and does not come again. --wait ends with the first messages. --follow prints",
    "one line per message until it is stopped, then a last line with the cursor.",
    "docs/receive-consumer-contract.md has the rules for programs that read this.",
  ],
  example: "tt msg recv --wait --timeout 10m",
  flags: {
    wait: { kind: "boolean", help: "wait for the first message" },
    follow: { kind: "boolean", help: "go on until stopped" },
    timeout: {
      kind: "duration",
      help: "how long; without it --wait lasts for ever on a terminal, else the room's limit",
    },
    from: { kind: "text", value: "WHO", help: "only from this agent" },
    peek: { kind: "boolean", help: "look without taking: nothing is acknowledged" },
    after: { kind: "number", value: "N", help: "replay what came after this cursor, read or not; implies --peek" },
    limit: { kind: "number", value: "N", help: "at most this many (1 to 50)" },
  },
  async run(context, args) {
    refuseWithoutEffect(args);
    if (!isPeek(args)) context.ports.assertOutput();
    const session = await context.session(isPeek(args) ? await purposeOfPeek(context) : "change");
    if (isRefusal(session)) return context.refuse(session);
    const missing = await missingRoom(context);
    if (missing) return context.refuse(missing);
    if (args.text("from") === "room")
      throw new UsageError("The room writes to nobody; its members do.", "Name one of them with --from.");
    const from = await senderOf(context, session, args.text("from"));
    if (isRefusal(from)) return context.refuse(from);
    const input: MailInput = { ...(from !== null && { from }), ...limitOf(args) };
    if (isPeek(args)) return peek(context, session, input);
    if (args.isSet("follow")) return followMail(context, session, input);
    return args.isSet("wait") ? waitForFirst(context, session, input) : takeNow(context, session, input);
  },
};

export interface MailInput {
  readonly from?: string;
  readonly limit?: number;
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

function limitOf(args: Arguments): { readonly limit?: number } {
  const limit = args.number("limit");
  return limit === undefined ? {} : { limit };
}

/** A flag that is silently ignored is worse than one that is refused. */
function refuseWithoutEffect(args: Arguments): void {
  if (args.isSet("wait") && args.isSet("follow"))
    throw new UsageError("--wait and --follow exclude each other.", "Use one of them.");
  if (args.number("timeout") !== undefined && !args.isSet("wait") && !args.isSet("follow")) {
    throw new UsageError("--timeout says how long --wait or --follow lasts.", `For example: ${msgRecv.example}`);
  }
  if (args.number("limit") !== undefined && args.isSet("follow")) {
    throw new UsageError("--limit has no effect with --follow.", "Leave it out; messages come one at a time.");
  }
}

async function takeNow(context: CliContext, { deps, caller }: Session, input: MailInput): Promise<number> {
  await adoptMail(deps, caller);
  const taken = await takeMessages(deps, caller, { ...input, transport: "cli" });
  if (isRefusal(taken)) return context.refuse(taken);
  const nowMs = deps.clock.now().wallMs;
  // A caller that finds no mail may be looking for a message that could not be delivered.
  const deadLetters = taken.answer.count === 0 ? await countDeadLetters(deps, caller) : 0;
  const answer = { ...taken.answer, ...(deadLetters > 0 && { deadLetters }) };
  const written = context.answer(answer, () =>
    [takenText(context, taken, input, nowMs), ...deadLetterLines(deadLetters, context.page)].join("\n"),
  );
  await keepWhile(taken, written);
  return EXIT.done;
}

function takenText(context: CliContext, { answer, moreIsReady }: TakenMessages, { from }: MailInput, nowMs: number) {
  if (answer.count > 0 || answer.remaining === 0 || from === undefined)
    return messagesText(answer, context.reading(nowMs), moreIsReady);
  return wrap(`Nothing from ${from} can be read now; ${answer.remaining} unread in all.`, context.columns);
}

/** Senders are told meanwhile that their message is seen at once. */
async function waitForFirst(context: CliContext, { deps, caller }: Session, input: MailInput): Promise<number> {
  const { interrupted } = context.ports;
  const maxWaitMs = await patience(context, deps);
  const wanted = { ...input, transport: "cli" };
  const received = await asReceiver(deps, caller, input, () =>
    receiveMessages(deps, caller, { ...wanted, maxWaitMs, signal: interrupted }),
  );
  if (isRefusal(received)) return context.refuse(received);
  const isOver = received.answer.count > 0 || interrupted.aborted;
  const taken = (isOver ? null : await takeAtEnd(deps, caller, wanted)) ?? received;
  const nowMs = deps.clock.now().wallMs;
  const written = context.answer(taken.answer, () => takenText(context, taken, input, nowMs));
  await keepWhile(taken, written);
  return taken.answer.count > 0 || interrupted.aborted ? EXIT.done : EXIT.notYet;
}

async function peek(context: CliContext, session: Session, input: MailInput): Promise<number> {
  const { args, ports } = context;
  const { deps, caller } = session;
  if (args.isSet("follow")) return followPeek(context, session, input);
  const after = args.number("after");
  const look = { ...input, ...(after !== undefined && { afterDeliverySeq: after }) };
  const waits = args.isSet("wait");
  const waiting = { ...look, maxWaitMs: await patience(context, deps), signal: ports.interrupted };
  const peeked = waits ? await awaitPeek(deps, caller, waiting) : await peekMessages(deps, caller, look);
  if (isRefusal(peeked)) return context.refuse(peeked);
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
