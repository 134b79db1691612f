/**
 * tt mailbox: the mailbox protocol, for scripts. Sessions are plain ids here, and a given id is trusted, except that a
 * harness's command may not use another agent's name (mail/mailbox-protocol/authority.ts).
 */
import { asAgentId } from "../../../../core/ids.ts";
import { invalidInput, isRefusal, type Refusal, refuse } from "../../../../core/refusal.ts";
import { refuseLeftover } from "../../../../engine/refuse-leftover.ts";
import { refusePurge, refuseUse } from "../../../../mail/mailbox-protocol/authority.ts";
import { callerOf } from "../../../../session/rules/identity.ts";
import { MailboxHandle } from "../../../library/mailbox.ts";
import type { DeadLetterEntry, EnqueueAck, Message, MessageSummary, Which } from "../../../library/mailbox-message.ts";
import { visible, wrap } from "../../../words/wrap.ts";
import type { Arguments, Command } from "../../command.ts";
import type { CliContext } from "../../context.ts";
import { EXIT } from "../../exit-codes.ts";
import { granted, Refused } from "../../granted.ts";
import { UsageError, unknownVerb } from "../../usage-error.ts";

/** The largest message that a room may allow, with every character escaped. */
const MAX_INPUT_BYTES = 8 * 1_048_576;

type Verb = (context: CliContext, args: Arguments, mailbox: MailboxHandle) => Promise<number>;

const VERBS: Readonly<Record<string, Verb>> = { enqueue, dequeue, ack, nack, peek, purge };

const WHAT = "Every session has a mailbox. What is dequeued and not acked in time comes again.";
const WHOSE =
  "Inside a harness you may use only your own name, and names that no agent and no person has. Only a person may purge the mail of an agent or a person.";
const DETAILS = `${WHAT} ${WHOSE}
  tt mailbox enqueue --from boss --to worker --msg-id boss:1 "run the tests"
  tt mailbox enqueue < message.json
  tt mailbox dequeue worker
  tt mailbox ack worker boss:1 --attempt 0
  tt mailbox nack worker boss:1 --reason "no disk space"
  tt mailbox peek worker --dead-letters
  tt mailbox purge worker --yes`;

export const mailbox: Command = {
  name: "mailbox",
  roomless: true,
  summary: "the mailbox protocol: enqueue, dequeue, ack, nack, peek, purge",
  details: [DETAILS],
  example: "tt mailbox dequeue worker --json",
  positionals: [
    { name: "verb", required: true },
    { name: "session, msg-id or text", rest: true },
  ],
  flags: {
    from: {
      kind: "text",
      value: "ID",
      help: "the sender; enqueue: you, by default; ack, nack: if two senders gave one id",
    },
    to: { kind: "text", value: "ID", help: "enqueue: the session it is for" },
    "msg-id": { kind: "text", value: "ID", help: "enqueue: your id for it; the same id again adds no message" },
    stdin: { kind: "boolean", help: "enqueue: read the text from standard input" },
    attempt: { kind: "number", value: "N", help: "ack, nack: the number that dequeue showed; the newest, by default" },
    reason: { kind: "text", value: "TEXT", help: "nack: why it is given back" },
    "dead-letters": { kind: "boolean", help: "peek, purge: the dead letters" },
    yes: { kind: "boolean", help: "purge: without asking" },
  },
  async run(context, args) {
    const word = args.required("verb");
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (!verb) {
      throw unknownVerb("mailbox", word, Object.keys(VERBS));
    }
    const deps = granted(await context.deps(word === "peek" ? "read" : "change"));
    return verb(context, args, granted(await MailboxHandle.at(deps, context.path)));
  },
};

/** Whether the caller may do something in the name of an id; an id that is none is for the mailbox to refuse. */
async function refused(
  context: CliContext,
  box: MailboxHandle,
  id: unknown,
  refuseIt: typeof refuseUse,
): Promise<Refusal | null> {
  if (typeof id !== "string") return null;
  const deps = granted(await context.deps("change"));
  const { identity } = await context.identificationWith(deps);
  if (isRefusal(identity) && identity.error === "not_authorized") return identity;
  const ended = isRefusal(identity) ? null : refuseLeftover(deps, callerOf(identity));
  if (ended) return ended;
  const user = { identity: isRefusal(identity) ? null : identity, insideHarness: context.ports.insideHarness() };
  return refuseIt(deps, user, box.project, asAgentId(id));
}

async function enqueue(context: CliContext, args: Arguments, box: MailboxHandle): Promise<number> {
  const inFlags = ["from", "to", "msg-id"].some((flag) => args.text(flag) !== undefined) || args.rest.length > 0;
  const message = inFlags ? await messageFromFlags(context, args) : await messageFromInput(context);
  const from = typeof message === "object" && message !== null && "from" in message ? message.from : undefined;
  return tell(context, (await refused(context, box, from, refuseUse)) ?? (await box.enqueue(message)), enqueuedText);
}

async function messageFromFlags(context: CliContext, args: Arguments): Promise<unknown> {
  const to = args.text("to");
  if (to === undefined) throw new UsageError("tt mailbox enqueue needs --to.", "Name the session with --to ID.");
  const fromInput = args.isSet("stdin");
  if (fromInput === args.rest.length > 0)
    throw new UsageError("Give the text either after the flags or with --stdin.", "Use one of them.");
  const payload = fromInput ? granted(await context.ports.readInput(MAX_INPUT_BYTES)) : args.rest.join(" ");
  const from = args.text("from") ?? (await context.caller())?.agentId;
  if (from === undefined)
    throw new Refused(refuse("agent_id_required", "tt cannot tell who sends this.", "Name the sender with --from ID."));
  const { random } = granted(await context.deps("change"));
  return { msg_id: args.text("msg-id") ?? `${from}:${random.id()}`, from, to, payload };
}

/** The input as given; the mailbox decides whether it is a message. */
async function messageFromInput({ ports }: CliContext): Promise<unknown> {
  if (ports.terminal.input)
    throw new UsageError("tt mailbox enqueue needs a message.", "Write --to ID and the text, or pipe JSON into it.");
  const text = granted(await ports.readInput(MAX_INPUT_BYTES));
  try {
    return JSON.parse(text);
  } catch {
    const next = 'Give {"msg_id": …, "from": …, "to": …, "payload": …, "created_at": …}.';
    throw new Refused(invalidInput("stdin", "Standard input is not JSON.", next));
  }
}

async function dequeue(context: CliContext, args: Arguments, box: MailboxHandle): Promise<number> {
  const [session] = named(args, "dequeue", ["session"]);
  const answer = (await refused(context, box, session, refuseUse)) ?? (await box.dequeue(session));
  return tell(context, answer, (message) => (message ? messageText(context, message) : ""));
}

async function ack(context: CliContext, args: Arguments, box: MailboxHandle): Promise<number> {
  const [session, msgId] = named(args, "ack", ["session", "msg-id"]);
  const answer = (await refused(context, box, session, refuseUse)) ?? (await box.ack(session, msgId, whichIn(args)));
  return tell(context, answer ?? { msg_id: msgId, acked: true }, () => "Acknowledged.");
}

function whichIn(args: Arguments): Which {
  const [attempt, from] = [args.number("attempt"), args.text("from")];
  return { ...(attempt !== undefined && { attempt }), ...(from !== undefined && { from }) };
}

async function nack(context: CliContext, args: Arguments, box: MailboxHandle): Promise<number> {
  const [session, msgId] = named(args, "nack", ["session", "msg-id"]);
  const reason = args.text("reason");
  if (reason === undefined) throw new UsageError("tt mailbox nack needs --reason.", 'Say why: --reason "…".');
  const answer =
    (await refused(context, box, session, refuseUse)) ?? (await box.nack(session, msgId, reason, whichIn(args)));
  return tell(context, answer ?? { msg_id: msgId, nacked: true }, () => "Given back.");
}

async function peek(context: CliContext, args: Arguments, box: MailboxHandle): Promise<number> {
  const [session] = named(args, "peek", ["session"]);
  if (!args.isSet("dead-letters"))
    return tell(context, await box.peek(session), (found) =>
      lines(found, (summary) => summaryText(context, summary), "No messages."),
    );
  const dead = await box.peekDeadLetter(session);
  return tell(context, dead, (found) => lines(found, (entry) => deadText(context, entry), "No dead letters."));
}

async function purge(context: CliContext, args: Arguments, box: MailboxHandle): Promise<number> {
  const [session = ""] = named(args, "purge", ["session"]);
  const dead = args.isSet("dead-letters");
  const what = `the ${dead ? "dead letters" : "messages"} of ${visible(session)}`;
  granted(await refused(context, box, session, refusePurge));
  if (!args.isSet("yes")) {
    if (!context.ports.terminal.input)
      throw new UsageError("There is no terminal to ask for a yes.", "Add --yes to purge.");
    if (!(await context.ports.confirm(`Delete all ${what}?`)))
      return tell(context, { purged: false }, () => "Nothing was purged.");
  }
  const answer = dead ? await box.purgeDeadLetter(session) : await box.purge(session);
  return tell(context, answer ?? { purged: true }, () => `Purged ${what}.`);
}

/** The words that a verb needs, no more and no fewer. */
function named(args: Arguments, verb: string, names: readonly string[]): readonly string[] {
  if (args.rest.length === names.length) return args.rest;
  throw new UsageError(
    `tt mailbox ${verb} needs ${names.map((name) => `<${name}>`).join(" ")}.`,
    "See an example with: tt mailbox --help",
  );
}

async function tell<Answer>(
  context: CliContext,
  answer: Answer | Refusal,
  text: (answer: Answer) => string,
): Promise<number> {
  await context.answer(granted(answer), text);
  return EXIT.done;
}

function enqueuedText({ msg_id, queued, pending }: EnqueueAck): string {
  return `${queued ? "Queued" : "Known already"}: ${visible(msg_id)}; ${pending} pending.`;
}

function messageText({ columns }: CliContext, { msg_id, from, payload, attempt }: Message): string {
  const head = wrap(`${msg_id} from ${from}, attempt ${attempt}`, columns, "  ");
  return `${head}\n  ${wrap(payload, columns, "  ")}`;
}

function summaryText({ columns }: CliContext, { msg_id, from, attempt, state }: MessageSummary): string {
  return `${state.padEnd(9)} ${wrap(`${msg_id} from ${from}, attempt ${attempt}`, columns, " ".repeat(10))}`;
}

function deadText(context: CliContext, entry: DeadLetterEntry): string {
  const end = wrap(`gave up after ${entry.attempts}: ${entry.reason}`, context.columns, "  ");
  return `${messageText(context, entry)}\n  ${end}`;
}

function lines<Item>(items: readonly Item[], text: (item: Item) => string, none: string): string {
  return items.length === 0 ? none : items.map(text).join("\n");
}
