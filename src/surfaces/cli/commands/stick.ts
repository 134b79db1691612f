/** The commands about the stick: wait, try, listen, release, pass, assign, give, take, request, heartbeat. */

import { LIMITS } from "../../../core/limits.ts";
import type { Next } from "../../../core/next.ts";
import { giveStick } from "../../../stick/give-stick.ts";
import { heartbeat as renewLease } from "../../../stick/heartbeat.ts";
import { passStick } from "../../../stick/pass-stick.ts";
import { releaseStick } from "../../../stick/release-stick.ts";
import { requestStick } from "../../../stick/request-stick.ts";
import { isFree } from "../../../stick/rules/after-answer.ts";
import type { NotYet } from "../../../stick/rules/answers.ts";
import type { Released } from "../../../stick/rules/release.ts";
import { takeoverStick } from "../../../stick/takeover-stick.ts";
import { type HeardAnswer, waitForTurn } from "../../../stick/wait-with-mail.ts";
import { until } from "../../words/ago.ts";
import { wrap, wrapWhole } from "../../words/wrap.ts";
import type { Arguments } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { type AnswerContext, form } from "../form.ts";
import { gatherHandoff, HANDOFF_EXAMPLE, HANDOFF_FLAGS, withoutHandoff } from "../handoff-flags.ts";
import { YES } from "../means-it.ts";
import { actingIn } from "../room-of.ts";
import { handoffText } from "../text/handoff.ts";
import { sentText } from "../text/message.ts";
import type { ShownNames } from "../text/names.ts";
import type { Reading } from "../text/reading.ts";
import { heardText, waitingLine, whenDone, yourLease } from "../text/turn.ts";

const PATH = [{ name: "path" }] as const;

const TIMEOUT = {
  kind: "duration",
  help: "how long; without it until stopped on a terminal, else the room's limit",
} as const;

const GAVE_UP = "You stopped waiting. This call keeps no place in the queue.";

const TURN_EXITS = {
  your_turn: EXIT.done,
  messages: EXIT.done,
  reservation_lost: EXIT.done,
  not_yet: EXIT.notYet,
  takeover_available: EXIT.takeoverAvailable,
  closed: EXIT.closed,
} as const;

export const wait = form({
  words: "wait",
  of: waitForTurn,
  summary: "wait for the stick; joins the room if necessary",
  details: [
    "Sleeps until it is your turn, without polling. Your place in the queue is kept for a while after the",
    "time is up, so waiting again loses nothing. Ctrl-C gives it up. On a terminal, one line tells of new mail, and the",
    "wait goes on. Otherwise new mail ends the wait with exit 3 and is printed; mail that it prints is read.",
  ],
  example: "tt wait --timeout 10m",
  positionals: PATH,
  flags: { timeout: TIMEOUT, "no-wake-on-message": { kind: "boolean", help: "keep waiting when mail comes" } },
  gather: (context, args) => ({ ...limitOf(context, args), wakeOnMessage: endsWithMail(context, args) }),
  live: (seen, reading) => waitingLine(seen as NotYet, reading),
  agentsIn: (answer) =>
    answer.status === "not_yet" ? [answer.currentOwner ?? [], answer.reservedFor ?? []].flat() : [],
  news: (seen, before, reading) => mailNews(seen as NotYet, before as NotYet | null, reading),
  again: (answer, context, args) =>
    goesOn(answer, context, args) && (!endsWithMail(context, args) || !hasUnread(answer)) ? {} : null,
  text: (answer, shown) => (hasGivenUp(answer, shown) ? GAVE_UP : turnText(answer, shown)),
  exit: (answer, shown) => (hasGivenUp(answer, shown) ? EXIT.interrupted : TURN_EXITS[answer.status]),
});

export const tryOnce = form({
  words: "try",
  of: waitForTurn,
  summary: "take the stick if it is free; one look, no waiting",
  example: "tt try",
  positionals: PATH,
  fixed: { maxWaitMs: 0 },
  text: (answer, shown) => turnText(answer, shown),
  exit: ({ status }) => TURN_EXITS[status],
});

export const listen = form({
  words: "listen",
  of: waitForTurn,
  summary: "wait for mail, a turn that is given to you, or a lost reservation",
  details: [
    "It does not queue for the stick: a free stick stays free. To get a turn, use tt wait. Mail that it prints is read.",
    "It continues where the last listen ended, so nothing is missed in between.",
  ],
  example: "tt listen --timeout 30m",
  positionals: PATH,
  flags: { timeout: TIMEOUT },
  fixed: { claim: false },
  gather(context, args) {
    context.ports.assertOutput();
    return limitOf(context, args);
  },
  live: "Listening. Ctrl-C ends it.",
  again: (answer, context, args) => (goesOn(answer, context, args) ? {} : null),
  text(answer, shown) {
    const isHolder = answer.status === "not_yet" && answer.currentOwner === shown.caller?.agentId;
    if (isHolder) return `Nothing came. You hold turn ${answer.turnId}.`;
    // What to do next says that the stick is free.
    return isBesideFreeStick(answer) ? `Nothing came.\n${nextText(answer, shown)}` : turnText(answer, shown);
  },
  exit: (answer, { context }) =>
    answer.status === "not_yet" && context.ports.interrupted.aborted ? EXIT.interrupted : TURN_EXITS[answer.status],
});

function isBesideFreeStick(answer: HeardAnswer): boolean {
  return answer.status === "not_yet" && !hasUnread(answer) && isFree(answer);
}

function nextText({ next }: { readonly next: Next }, { context }: AnswerContext): string {
  return wrapWhole(context.wordsOf(next), context.columns, "  ");
}

/** Without a limit a person waits until something happens; the longest single wait is a day. */
function limitOf({ ports }: CliContext, args: Arguments) {
  return { maxWaitMs: args.number("timeout") ?? (ports.terminal.output ? LIMITS.waitMs : undefined) };
}

function goesOn({ status }: HeardAnswer, { ports }: CliContext, args: Arguments): boolean {
  const isUnlimited = args.number("timeout") === undefined && ports.terminal.output;
  return isUnlimited && status === "not_yet" && !ports.interrupted.aborted;
}

/** Mail must not throw a person out of the queue: it is told, and read in another terminal or later. */
function endsWithMail({ ports }: CliContext, args: Arguments): boolean {
  const isWatched = ports.terminal.output && ports.terminal.errors && !args.isSet("json");
  const isPersons = isWatched && (args.isSet("text") || !ports.insideHarness());
  return !isPersons && !args.isSet("no-wake-on-message");
}

function mailNews({ unread }: NotYet, before: NotYet | null, { tt, width }: Reading): string | null {
  if (unread <= (before?.unread ?? 0)) return null;
  const many = `${unread} unread message${unread === 1 ? "" : "s"}`;
  return wrapWhole(`${many}. You still wait; read them in another terminal: ${tt} msg recv`, width, "  ");
}

function hasUnread(answer: HeardAnswer): boolean {
  return answer.status === "not_yet" && (answer.unread > 0 || (answer.messages ?? []).length > 0);
}

/** Mail that was taken is shown, also to a caller that stops just then. One look cannot be stopped. */
function hasGivenUp(answer: HeardAnswer, { context: { args, ports } }: AnswerContext): boolean {
  const isEmpty = answer.status === "not_yet" && (answer.messages ?? []).length === 0;
  return isEmpty && args.number("timeout") !== 0 && ports.interrupted.aborted;
}

function turnText(answer: HeardAnswer & { readonly next: Next }, { context, nowMs, taken }: AnswerContext): string {
  return heardText(answer, context.wordsOf(answer.next), taken?.moreIsReady === true, context.reading(nowMs));
}

export const release = form({
  words: "release",
  of: releaseStick,
  summary: "give the stick up, with a handoff",
  example: HANDOFF_EXAMPLE,
  positionals: PATH,
  flags: HANDOFF_FLAGS,
  gather: gatherHandoff,
  reword: withoutHandoff,
  text: (released, { context }) => wrap(releasedText(released, context.names), context.columns),
});

function releasedText({ reservedFor, waitingCount, paused }: Released, names: ShownNames): string {
  const then = paused ? " The room is paused: no agent gets it before the pause is over." : "";
  if (reservedFor === null) return `Released. Nobody waits${paused ? "" : "; the stick is free"}.${then}`;
  const others = waitingCount - 1;
  const more = others > 0 ? `; ${others} more waiting` : "";
  return `Released. The stick is reserved for ${names.of(reservedFor)}${more}.${then}`;
}

function passForm(words: "pass" | "assign") {
  return form({
    words,
    of: passStick,
    summary: words === "pass" ? "hand the stick to one member, with a handoff" : "the same as pass",
    details: ["The agent is named by its id, its handle, or its harness if only one of it is here."],
    example: 'tt pass codex --status "parser done" --next-action "write the tests"',
    positionals: [{ name: "agent", field: "toAgentId", required: true }],
    flags: {
      ...HANDOFF_FLAGS,
      "operator-requested": {
        field: "operatorRequested",
        help: "also to an active member that is not reachable now; only for a person",
      },
    },
    hidden: words === "assign",
    gather: gatherHandoff,
    reword: withoutHandoff,
    // Not even a person may pass to a member that is gone.
    advise: ({ error, facts }) =>
      error === "recipient_unreachable" && facts["active"] === true
        ? "Release instead: the next waiting member gets it. Or pass it anyway, with --operator-requested."
        : undefined,
    text: ({ reservedFor }, { context: { names, columns } }) =>
      wrap(`Passed. The stick is reserved for ${names.of(reservedFor)}.`, columns),
  });
}

export const pass = passForm("pass");
export const assign = passForm("assign");

export const give = form({
  words: "give",
  of: giveStick,
  summary: "give the stick to a member, even from another; only for a person",
  details: [
    "The stick is reserved for the agent, which is woken; the last handoff comes with its turn. A holder whose turn ends is",
    "told who did it and why. Asks first while the holder is active.",
  ],
  example: 'tt give codex --reason "claude went the wrong way"',
  positionals: [{ name: "agent", field: "toAgentId", required: true }],
  flags: {
    reason: { field: "reason", value: "TEXT", help: "why; the recipient and the former holder are told" },
    yes: YES,
  },
  asks({ error, facts }, { names }) {
    const holder = facts["current_owner"];
    if (error !== "target_active" || typeof holder !== "string") return null;
    const input = { operatorRequested: true, expectedTurnId: facts["current_turn_id"] };
    return { question: `${names.of(holder)} holds the stick and is active. Give it on?`, input };
  },
  text({ reservedFor, revokedAgentId, paused }, { context: { columns, tt, names }, caller }) {
    const whose = revokedAgentId === caller?.agentId ? "Your turn" : `The turn of ${names.of(revokedAgentId ?? "")}`;
    const ended = revokedAgentId === null ? "" : ` ${whose} has ended.`;
    const then = paused ? ` The room is paused: it gets its turn when you resume: ${tt} resume` : "";
    return wrapWhole(`Given. The stick is reserved for ${names.of(reservedFor)}.${ended}${then}`, columns);
  },
});

export const take = form({
  words: "take",
  of: takeoverStick,
  summary: "take over from a holder that is gone or whose lease has expired",
  details: ["A person may take the stick from an active holder; it asks first."],
  example: "tt take --reason 'codex was killed'",
  positionals: PATH,
  flags: {
    reason: { field: "reason", value: "TEXT", help: "why the holder will not come back (required)" },
    turn: { field: "expectedTurnId", value: "N", help: "the turn you saw; by default the current one" },
    yes: YES,
    "operator-requested": { field: "operatorRequested", help: "the same as --yes; only for a person" },
  },
  async gather(context, args) {
    const { deps, roomId } = await actingIn(context);
    const expectedTurnId = args.number("turn") ?? (await deps.store.readRoom(roomId))?.room.state.turnId;
    return { expectedTurnId, reason: args.text("reason") ?? "" };
  },
  asks({ error, facts }, { names }) {
    const holder = facts["current_owner"];
    if (error !== "takeover_not_available" || typeof holder !== "string") return null;
    return {
      question: `${names.of(holder)} holds the stick and is active. Take it?`,
      input: { operatorRequested: true },
    };
  },
  advise: ({ error, facts }) =>
    error === "takeover_not_available" && facts["current_owner"] !== null
      ? "Ask the holder to hand over, or take the stick anyway: tt take --yes --reason WHY"
      : undefined,
  reword: (refusal) =>
    refusal.error === "invalid_input" && refusal.facts["field"] === "reason"
      ? { ...refusal, next: "Say why the holder will not come back: tt take --reason WHY" }
      : refusal,
  text: ({ turnId, revokedAgentId, leaseExpiresAt, handoff }, { context: { columns, page }, nowMs }) =>
    [
      wrap(`Your turn: turn ${turnId}, taken over from ${page.names.of(revokedAgentId)}.`, columns),
      yourLease(leaseExpiresAt, nowMs),
      ...(handoff ? ["The handoff it had been given:", handoffText(handoff, { width: columns, nowMs })] : []),
      whenDone(page),
    ].join("\n"),
});

export const request = form({
  words: "request",
  of: requestStick,
  summary: "ask the holder for the stick, politely",
  details: ["The holder reads it before its other mail and decides. Taking the stick is for holders that are gone."],
  example: 'tt request "the release waits for my fix" --needs src/parser.ts',
  positionals: [{ name: "why", field: "why", rest: true, required: true }],
  flags: { needs: { field: "needs", value: "TEXT", help: "what you need the stick for" } },
  text: (sent, { context, caller }) => sentText(sent, context.page, caller?.isPerson === true),
});

export const heartbeat = form({
  words: "heartbeat",
  of: renewLease,
  summary: "renew the lease of the turn that you hold",
  example: "tt heartbeat",
  positionals: PATH,
  text: ({ turnId, leaseExpiresAt }, { nowMs }) =>
    `Turn ${turnId} is yours; the lease ends ${until(leaseExpiresAt, nowMs)}.`,
});
