import type { AgentId } from "../../../core/ids.ts";
import { LIMITS } from "../../../core/limits.ts";
import { isRefusal } from "../../../core/refusal.ts";
import { keepWhile } from "../../../mail/keep-while.ts";
import { type Heard, type ListenAnswer, type ListenInput, listen as listenOnce } from "../../../stick/listen.ts";
import type { Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { liveLine } from "../live-line.ts";
import { type Acting, actingInOrJoining } from "../room-of.ts";
import { messagesText } from "../text/message.ts";
import type { Reading } from "../text/reading.ts";
import { turnText } from "../text/turn.ts";
import { wrap, wrapWhole } from "../text/wrap.ts";
import { rememberTurn } from "./stick.ts";

export const listen: Command = {
  name: "listen",
  summary: "wait for what concerns you: mail, a turn for you, a reservation lost",
  details: [
    "It does not queue for the stick: a free stick stays free. To get a turn, use tt wait. Mail that it prints is read.",
    "Where the last listen ended is remembered, so nothing is missed between two.",
  ],
  example: "tt listen --timeout 30m",
  positionals: [{ name: "path" }],
  flags: { timeout: { kind: "duration", help: "how long; without it for ever on a terminal, else the room's limit" } },
  async run(context, args) {
    context.ports.assertOutput();
    const acting = await actingInOrJoining(context);
    if (isRefusal(acting)) return context.refuse(acting);
    const line = liveLine(context);
    line.show("Listening. Ctrl-C ends it.");
    const heard = await listenAsLongAsAsked(context, acting, args.number("timeout"));
    line.clear();
    if (isRefusal(heard)) return context.refuse(heard);
    return tell(context, acting, heard);
  },
};

async function listenAsLongAsAsked(context: CliContext, acting: Acting, timeoutMs: number | undefined) {
  const { deps, caller, roomId, memory } = acting;
  const signal = context.ports.interrupted;
  const forEver = timeoutMs === undefined && context.ports.terminal.output;
  const maxWaitMs = forEver ? LIMITS.waitMs : timeoutMs;
  const knownTurn = memory.recallTurn(caller, roomId)?.turnId;
  let cursor = memory.recallCursor(caller, roomId);
  for (;;) {
    const input: ListenInput = {
      roomId,
      signal,
      ...(maxWaitMs !== undefined && { maxWaitMs }),
      ...(cursor !== null && { afterEventSeq: cursor }),
      ...(knownTurn !== undefined && { knownTurn }),
    };
    const heard = await listenOnce(deps, caller, input);
    const goOn = forEver && !isRefusal(heard) && heard.answer.status === "not_yet" && !signal.aborted;
    if (!goOn) return heard;
    cursor = heard.cursorEventSeq;
  }
}

async function tell(context: CliContext, acting: Acting, heard: Heard): Promise<number> {
  const { answer, cursorEventSeq } = heard;
  const nowMs = acting.deps.clock.now().wallMs;
  if (answer.status === "your_turn") rememberTurn(acting, answer);
  const me = acting.caller.agentId;
  const written = context.answer(answer, (shown) => heardText(shown, { ...heard, me }, context.reading(nowMs)));
  // Only when it is out has it been told; a listen that died before would tell it again.
  await keepWhile(heard, written);
  acting.memory.rememberCursor(acting.caller, acting.roomId, cursorEventSeq);
  if (answer.status === "not_yet") return context.ports.interrupted.aborted ? EXIT.interrupted : EXIT.notYet;
  return answer.status === "closed" ? EXIT.closed : EXIT.done;
}

interface Hearing {
  readonly me: AgentId;
  readonly moreIsReady: boolean;
}

function heardText(answer: ListenAnswer, { me, moreIsReady }: Hearing, reading: Reading): string {
  const { messages = [], remaining = 0 } = answer;
  const mine = { count: messages.length, messages, remaining };
  const mail = messages.length === 0 ? [] : [messagesText(mine, reading, moreIsReady)];
  return [...mail, ...stickLines(answer, me, reading)].join("\n");
}

function stickLines(answer: ListenAnswer, me: AgentId, reading: Reading): readonly string[] {
  if (answer.status === "messages") return [];
  if (answer.status === "not_yet" && answer.currentOwner === me)
    return [`Nothing came. You hold turn ${answer.turnId}.`];
  if (answer.status !== "reservation_lost") return [turnText(answer, reading)];
  const now = answer.reservedFor === null ? "it lies idle" : `it is reserved for ${answer.reservedFor}`;
  const { width, tt } = reading;
  return [
    wrap(`You did not take the stick in time; ${now} now.`, width),
    wrapWhole(`Wait for it again with: ${tt} wait`, width, "  "),
  ];
}
