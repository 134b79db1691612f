/** tt dlq: mail that could not be delivered to me, kept until it is purged. */
import { refuse } from "../../../../core/refusal.ts";
import {
  type DeadLetters,
  findDeadLetter,
  listDeadLetters,
  purgeDeadLetters,
  requeueDeadLetter,
} from "../../../../mail/dead-letters.ts";
import { notAuthorized } from "../../../../room/rules/refusals.ts";
import { wrapWhole } from "../../../words/wrap.ts";
import { type Command, SHORT_ID } from "../../command.ts";
import type { CliContext, CliSession, Purpose } from "../../context.ts";
import { EXIT } from "../../exit-codes.ts";
import { granted } from "../../granted.ts";
import { assertNamedRoom } from "../../room-of.ts";
import { deadLettersText, deadLetterText } from "../../text/delivery.ts";
import { UsageError } from "../../usage-error.ts";

export const dlqList: Command = {
  name: "dlq list",
  summary: "your dead letters: mail that no reader acknowledged",
  details: ["Shows at most 200, oldest first. If has_more is true, --after shows the next ones."],
  example: "tt dlq list",
  flags: {
    after: { kind: "number", value: "N", help: "those after this cursor_delivery_seq" },
    limit: { kind: "number", value: "N", help: "at most this many (1 to 200)" },
  },
  async run(context, args) {
    const session = await sessionOf(context, "read");
    const [after, limit] = [args.number("after"), args.number("limit")];
    const answer = granted(
      await listDeadLetters(session.deps, session.caller, {
        ...(after !== undefined && { afterDeliverySeq: after }),
        ...(limit !== undefined && { limit }),
      }),
    );
    const nowMs = session.deps.clock.now().wallMs;
    await context.answer(answer, (shown) => deadLettersText(shown, context.reading(nowMs)));
    return EXIT.done;
  },
};

export const dlqShow: Command = {
  name: "dlq show",
  summary: "one dead letter in full, with every attempt",
  details: [SHORT_ID],
  example: "tt dlq show 0k3v9zq",
  positionals: [{ name: "message-id", required: true }],
  async run(context, args) {
    const session = await sessionOf(context, "read");
    const messageId = args.required("message-id");
    const letter = granted(await findDeadLetter(session.deps, session.caller, messageId));
    if (!letter) {
      const message = `There is no dead letter ${JSON.stringify(messageId)} in your mailbox.`;
      return context.refuse(refuse("message_not_found", message, "See them with: tt dlq list"));
    }
    const nowMs = session.deps.clock.now().wallMs;
    await context.answer(letter, (shown) => deadLetterText(shown, context.reading(nowMs)));
    return EXIT.done;
  },
};

export const dlqRequeue: Command = {
  name: "dlq requeue",
  summary: "deliver a dead letter again",
  details: ["The dead letter stays as it is; its message gets a new delivery with attempts of its own.", SHORT_ID],
  example: "tt dlq requeue 0k3v9zq",
  positionals: [{ name: "message-id", required: true }],
  async run(context, args) {
    const session = await sessionOf(context, "change");
    const requeued = granted(
      await requeueDeadLetter(session.deps, session.caller, { messageId: args.required("message-id") }),
    );
    await context.answer(requeued, () =>
      wrapWhole(`It is in your mailbox again. Read it with: ${context.tt} msg recv`, context.columns, "  "),
    );
    return EXIT.done;
  },
};

export const dlqPurge: Command = {
  name: "dlq purge",
  summary: "delete all your dead letters",
  details: ["For a person at a terminal, who may name an agent with --agent. Asks first, unless --yes is given."],
  example: "tt dlq purge",
  flags: { yes: { kind: "boolean", help: "without asking" } },
  async run(context, args) {
    const session = await sessionOf(context, "change");
    if (!session.caller.isPerson)
      return context.refuse(notAuthorized("purge dead letters", "leave them where they are"));
    if (!args.isSet("yes")) {
      if (!context.ports.terminal.input)
        throw new UsageError("There is no terminal to ask for a yes.", "See them with tt dlq list, then add --yes.");
      const letters = granted(await listDeadLetters(session.deps, session.caller));
      if (!(await context.ports.confirm(`Delete ${howMany(letters)} permanently?`))) {
        await context.answer({ purged: 0 }, () => "Nothing was purged.");
        return EXIT.done;
      }
    }
    const answer = await purgeDeadLetters(session.deps, session.caller);
    await context.answer(answer, ({ purged }) => `Purged ${purged} dead letter${purged === 1 ? "" : "s"}.`);
    return EXIT.done;
  },
};

function howMany({ deadLetters: { length }, hasMore }: DeadLetters): string {
  return `${hasMore ? "more than " : ""}${length} dead letter${length === 1 ? "" : "s"}`;
}

/** A mailbox is the same in every room; but a named room must exist. */
async function sessionOf(context: CliContext, purpose: Purpose): Promise<CliSession> {
  const session = granted(await context.session(purpose));
  await assertNamedRoom(context);
  return session;
}
