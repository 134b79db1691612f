import { LIMITS } from "../../../domain/limits.ts";
import { isRefusal } from "../../../domain/refusal.ts";
import { type Heard, type ListenInput, listen as listenOnce } from "../../../service/listen.ts";
import type { Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { liveLine } from "../live-line.ts";
import { type Acting, actingInOrJoining } from "../room-of.ts";
import { turnText } from "../text/turn.ts";
import { rememberTurn } from "./stick.ts";

export const listen: Command = {
  name: "listen",
  summary: "wait for what concerns you: a turn for you, a reservation lost",
  details: ["Never claims an idle stick. Where the last listen ended is remembered, so nothing is missed between two."],
  example: "tt listen --timeout 30m",
  positionals: [{ name: "path" }],
  flags: { timeout: { kind: "duration", help: "how long; without it for ever on a terminal, else the room's limit" } },
  async run(context, args) {
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
  let cursor = memory.recallCursor(caller, roomId);
  for (;;) {
    const input: ListenInput = {
      roomId,
      signal,
      ...(maxWaitMs !== undefined && { maxWaitMs }),
      ...(cursor !== null && { afterEventSeq: cursor }),
    };
    const heard = await listenOnce(deps, caller, input);
    const goOn = forEver && !isRefusal(heard) && heard.answer.status === "not_yet" && !signal.aborted;
    if (!goOn) return heard;
    cursor = heard.cursorEventSeq;
  }
}

async function tell(context: CliContext, acting: Acting, { answer, cursorEventSeq }: Heard): Promise<number> {
  const nowMs = acting.deps.clock.now().wallMs;
  if (answer.status === "reservation_lost") {
    await context.answer(
      answer,
      ({ reservedFor }) =>
        `You did not take the stick in time; ${reservedFor === null ? "it lies idle" : `it is reserved for ${reservedFor}`} now.\nWait for it again with: tt wait`,
    );
  } else {
    rememberTurn(acting, answer);
    await context.answer(answer, (shown) => turnText(shown, nowMs, context.columns));
  }
  // Only now has it been told; a listen that died before would tell it again.
  acting.memory.rememberCursor(acting.caller, acting.roomId, cursorEventSeq);
  if (answer.status === "not_yet") return context.ports.interrupted.aborted ? EXIT.interrupted : EXIT.notYet;
  return answer.status === "closed" ? EXIT.closed : EXIT.done;
}
