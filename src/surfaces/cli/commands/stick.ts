/** The commands about the stick: wait, try, release, pass, assign, take, heartbeat. */

import { LIMITS } from "../../../core/limits.ts";
import { isRefusal, type Refusal, refuse } from "../../../core/refusal.ts";
import { keepWhile } from "../../../mail/keep-while.ts";
import { roomState } from "../../../room/get-room-state.ts";
import { roomClosed } from "../../../room/rules/refusals.ts";
import { heartbeat as renewLease } from "../../../stick/heartbeat.ts";
import { passStick } from "../../../stick/pass-stick.ts";
import { releaseStick } from "../../../stick/release-stick.ts";
import type { NotYet, TurnAnswer } from "../../../stick/rules/answers.ts";
import type { Released } from "../../../stick/rules/release.ts";
import { takeoverStick } from "../../../stick/takeover-stick.ts";
import { type Waited, waitWithMail } from "../../../stick/wait-with-mail.ts";
import type { Arguments, Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { forPerson } from "../for-person.ts";
import { HANDOFF_EXAMPLE, HANDOFF_FLAGS, readHandoff } from "../handoff-flags.ts";
import { liveLine } from "../live-line.ts";
import { type Acting, actingIn, actingInOrJoining } from "../room-of.ts";
import { until } from "../text/ago.ts";
import { handoffText } from "../text/handoff.ts";
import { turnAndMailText, waitingLine, whenDone, yourLease } from "../text/turn.ts";
import { wrap } from "../text/wrap.ts";

const PATH = [{ name: "path" }] as const;

const GAVE_UP = "You stopped waiting. This call keeps no place in the queue.";

const TURN_EXITS = {
  your_turn: EXIT.done,
  not_yet: EXIT.notYet,
  takeover_available: EXIT.takeoverAvailable,
  closed: EXIT.closed,
} as const;

export const wait: Command = {
  name: "wait",
  summary: "wait for the stick; joins the room if need be",
  details: [
    "Sleeps until it is your turn, without polling. Your place in the queue is kept for a while after the",
    "time is up, so waiting again loses nothing. Ctrl-C gives it up. New mail ends the wait with exit 3 and is printed.",
    "Mail that it prints is read.",
  ],
  example: "tt wait --timeout 10m",
  positionals: PATH,
  flags: {
    timeout: { kind: "duration", help: "how long; without it for ever on a terminal, else the room's limit" },
    "no-wake-on-message": { kind: "boolean", help: "wait on when mail comes" },
  },
  run: (context, args) => waitForTurn(context, args.number("timeout")),
};

export const tryOnce: Command = {
  name: "try",
  summary: "take the stick if it is free; one look, no waiting",
  example: "tt try",
  positionals: PATH,
  run: (context) => waitForTurn(context, 0),
};

async function waitForTurn(context: CliContext, timeoutMs: number | undefined): Promise<number> {
  const acting = await actingInOrJoining(context);
  if (isRefusal(acting)) return context.refuse(acting);
  const { deps } = acting;
  const line = liveLine(context);
  const onLook = (seen: NotYet) => line.show(() => waitingLine(seen, deps.clock.now().wallMs));
  const waited = await waitAsLongAsAsked(context, acting, timeoutMs, onLook).finally(() => line.clear());
  if (isRefusal(waited)) return context.refuse(waited);
  const { answer } = waited;
  rememberTurn(acting, answer);
  const nowMs = deps.clock.now().wallMs;
  const isStopped = signalFor(context, timeoutMs)?.aborted === true;
  // Mail that was taken is shown, also to one who stops just then.
  const gaveUp = isStopped && answer.status === "not_yet" && (answer.messages ?? []).length === 0;
  const written = context.answer(answer, (shown) =>
    gaveUp ? GAVE_UP : turnAndMailText(shown, waited.moreIsReady, context.reading(nowMs)),
  );
  await keepWhile(waited, written);
  return gaveUp ? EXIT.interrupted : TURN_EXITS[answer.status];
}

/** Without a limit a person waits until something happens; the longest single wait is a day. */
async function waitAsLongAsAsked(
  context: CliContext,
  { deps, caller, roomId }: Acting,
  timeoutMs: number | undefined,
  onLook: (seen: NotYet) => void,
): Promise<Waited | Refusal> {
  const signal = signalFor(context, timeoutMs);
  const forEver = timeoutMs === undefined && context.ports.terminal.output;
  const maxWaitMs = forEver ? LIMITS.waitMs : timeoutMs;
  const limits = { ...(maxWaitMs !== undefined && { maxWaitMs }), ...(signal && { signal }) };
  const wakeOnMessage = !context.args.isSet("no-wake-on-message");
  const takesMail = timeoutMs !== 0 && hasOutput(context);
  for (;;) {
    const waited = await waitWithMail(deps, caller, { roomId, onLook, wakeOnMessage, takesMail, ...limits });
    if (isRefusal(waited) || !forEver || signal?.aborted || waited.answer.status !== "not_yet") return waited;
    const { messages = [], unread } = waited.answer;
    if (messages.length > 0 || (wakeOnMessage && unread > 0)) return waited;
  }
}

/** Mail that nobody could be shown stays in the mailbox; the exit code tells of the turn in any case. */
function hasOutput({ ports }: CliContext): boolean {
  try {
    ports.assertOutput();
    return true;
  } catch {
    return false;
  }
}

/** One look is over before anybody could interrupt it, and listening for signals has its price. */
function signalFor(context: CliContext, timeoutMs: number | undefined): AbortSignal | null {
  return timeoutMs === 0 ? null : context.ports.interrupted;
}

export function rememberTurn({ memory, caller, roomId }: Acting, answer: TurnAnswer): void {
  if (answer.status !== "your_turn") return;
  memory.rememberTurn(caller, roomId, { turnId: answer.turnId, leaseId: answer.leaseId });
}

export const release: Command = {
  name: "release",
  summary: "give the stick up, with a handoff",
  example: HANDOFF_EXAMPLE,
  positionals: PATH,
  flags: HANDOFF_FLAGS,
  async run(context) {
    const holding = await holdingWithHandoff(context);
    if (isRefusal(holding)) return context.refuse(holding);
    const { acting, token, handoff } = holding;
    const released = await releaseStick(acting.deps, acting.caller, { roomId: acting.roomId, ...token, handoff });
    if (isRefusal(released)) return context.refuse(released);
    acting.memory.forgetTurn(acting.caller, acting.roomId);
    await context.answer(released, (shown) => wrap(releasedText(shown), context.columns));
    return EXIT.done;
  },
};

function releasedText({ reservedFor, waitingCount }: Released): string {
  if (reservedFor === null) return "Released. Nobody waits; the stick lies idle.";
  const others = waitingCount - 1;
  return `Released. The stick is reserved for ${reservedFor}${others > 0 ? `; ${others} more waiting` : ""}.`;
}

function passCommand(name: "pass" | "assign"): Command {
  return {
    name,
    summary: name === "pass" ? "hand the stick to one member, with a handoff" : "the same as pass",
    details: ["The agent is named by its id, its handle, or its harness if only one of it is here."],
    example: 'tt pass codex --status "parser done" --next-action "write the tests"',
    positionals: [{ name: "agent", required: true }],
    flags: {
      ...HANDOFF_FLAGS,
      "operator-requested": {
        kind: "boolean",
        help: "also to an active member that is not reachable now; for a person",
      },
    },
    hidden: name === "assign",
    run: passTo,
  };
}

export const pass = passCommand("pass");
export const assign = passCommand("assign");

async function passTo(context: CliContext, args: Arguments): Promise<number> {
  const holding = await holdingWithHandoff(context);
  if (isRefusal(holding)) return context.refuse(holding);
  const { acting, token, handoff } = holding;
  const passed = await passStick(acting.deps, acting.caller, {
    roomId: acting.roomId,
    ...token,
    handoff,
    toAgentId: args.required("agent"),
    operatorRequested: args.isSet("operator-requested"),
  });
  if (isRefusal(passed)) {
    const next =
      "Release instead: the next waiting member gets it. Or pass it all the same, with --operator-requested.";
    // For one who is not there any more, no wish helps.
    const advice = passed.facts["active"] === true ? { recipient_unreachable: next } : {};
    return context.refuse(forPerson(acting, passed, advice));
  }
  acting.memory.forgetTurn(acting.caller, acting.roomId);
  await context.answer(passed, ({ reservedFor }) =>
    wrap(`Passed. The stick is reserved for ${reservedFor}.`, context.columns),
  );
  return EXIT.done;
}

interface Holding {
  readonly acting: Acting;
  readonly token: { readonly leaseId: string; readonly expectedTurnId: number };
}

async function holdingWithHandoff(context: CliContext): Promise<(Holding & { readonly handoff: unknown }) | Refusal> {
  const handoff = await readHandoff(context);
  if (isRefusal(handoff)) return handoff;
  const holding = await holdingOf(context);
  return isRefusal(holding) ? holding : { ...holding, handoff };
}

/** The turn that this agent was granted, as remembered by the command that got it. */
async function holdingOf(context: CliContext): Promise<Holding | Refusal> {
  const acting = await actingIn(context);
  if (isRefusal(acting)) return acting;
  const turn = acting.memory.recallTurn(acting.caller, acting.roomId);
  if (turn) return { acting, token: { leaseId: turn.leaseId, expectedTurnId: turn.turnId } };
  return noTurn(acting);
}

/** Whoever calls without a turn is told who has it, as the room itself would tell. */
async function noTurn({ deps, caller, roomId }: Acting): Promise<Refusal> {
  const seen = await roomState(deps, caller, roomId);
  if (isRefusal(seen)) return seen;
  const { owner, turnId, state, canonicalPath } = seen.room;
  if (state === "closed") return roomClosed({ id: seen.room.roomId, path: canonicalPath });
  const { agentId } = caller;
  const holds = owner === agentId;
  const message = holds
    ? `${agentId} holds the stick, but its token is not remembered here.`
    : `${agentId} does not hold the stick: ${owner === null ? "nobody does" : `${owner} does`}.`;
  const next = holds ? "Get the token back with: tt try" : "Wait for the stick with: tt wait";
  return refuse("stale_lease", message, next, {
    agent_id: agentId,
    room_id: roomId,
    current_owner: owner,
    current_turn_id: turnId,
    room_state: state,
  });
}

export const take: Command = {
  name: "take",
  summary: "take over from a holder that is gone or let its lease run out",
  details: ["A person may take the stick from a live holder with --operator-requested."],
  example: "tt take --reason 'codex was killed'",
  positionals: PATH,
  flags: {
    reason: { kind: "text", value: "TEXT", help: "why the holder will not come back (needed)" },
    turn: { kind: "number", value: "N", help: "the turn you saw; by default the current one" },
    "operator-requested": { kind: "boolean", help: "also from a live holder; for a person" },
  },
  async run(context, args) {
    const acting = await actingIn(context);
    if (isRefusal(acting)) return context.refuse(acting);
    const { deps, roomId, memory, caller } = acting;
    const expectedTurnId = args.number("turn") ?? (await currentTurn(acting));
    const taken = await takeoverStick(deps, caller, {
      roomId,
      expectedTurnId,
      reason: args.text("reason") ?? "",
      operatorRequested: args.isSet("operator-requested"),
    });
    if (isRefusal(taken)) return context.refuse(adviceToTake(acting, taken));
    memory.rememberTurn(caller, roomId, { turnId: taken.turnId, leaseId: taken.leaseId });
    const nowMs = deps.clock.now().wallMs;
    await context.answer(taken, (shown) =>
      [
        wrap(`Your turn: turn ${shown.turnId}, taken over from ${shown.revokedAgentId}.`, context.columns),
        yourLease(shown.leaseExpiresAt, nowMs),
        ...(shown.handoff ? ["The handoff it had been given:", handoffText(shown.handoff, context.columns)] : []),
        whenDone(context.page),
      ].join("\n"),
    );
    return EXIT.done;
  },
};

function adviceToTake(acting: Acting, refusal: Refusal): Refusal {
  if (refusal.error === "invalid_input" && refusal.facts["field"] === "reason")
    return { ...refusal, next: 'Say why the holder will not come back: tt take --reason "…"' };
  if (refusal.facts["current_owner"] === null) return refusal;
  const next = 'Ask the holder to hand over, or take the stick all the same: tt take --operator-requested --reason "…"';
  return forPerson(acting, refusal, { takeover_not_available: next });
}

async function currentTurn({ deps, caller, roomId }: Acting): Promise<number> {
  const seen = await roomState(deps, caller, roomId);
  return isRefusal(seen) ? 0 : seen.room.turnId;
}

export const heartbeat: Command = {
  name: "heartbeat",
  summary: "tell that you still hold the stick; renews the lease",
  example: "tt heartbeat",
  positionals: PATH,
  async run(context) {
    const holding = await holdingOf(context);
    if (isRefusal(holding)) return context.refuse(holding);
    const { acting, token } = holding;
    const answer = await renewLease(acting.deps, acting.caller, { roomId: acting.roomId, ...token });
    if (isRefusal(answer)) return context.refuse(answer);
    const nowMs = acting.deps.clock.now().wallMs;
    await context.answer(
      answer,
      ({ turnId, leaseExpiresAt }) => `Turn ${turnId} is yours; the lease ends ${until(leaseExpiresAt, nowMs)}.`,
    );
    return EXIT.done;
  },
};
