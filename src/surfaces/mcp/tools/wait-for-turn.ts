import * as z from "zod";
import { isRefusal, type Refusal } from "../../../core/refusal.ts";
import { type ListenAnswer, listen } from "../../../stick/listen.ts";
import { type WaitedAnswer, waitWithMail } from "../../../stick/wait-with-mail.ts";
import type { Acting, ToolCall } from "../call.ts";
import { roomId } from "../fields.ts";
import { tool } from "../tool.ts";

export const waitForTurn = tool({
  name: "wait_for_turn",
  description:
    "Waits for the stick: your_turn gives turn_id, lease_id and the handoff; not_yet says who holds it and your place; its next names the attempt to call again with (the place is kept); takeover_available: the holder is gone. New mail ends the wait and comes with the answer, unless wake_on_message is false. max_wait_ms 0 looks once. claim false takes only what is handed to you, and your mail.",
  input: z.strictObject({
    room_id: roomId,
    // Nothing is done with it: it only makes each call differ from the one before.
    attempt: z.number().int().optional(),
    max_wait_ms: z.number().int().optional(),
    wake_on_message: z.boolean().optional(),
    claim: z.boolean().optional(),
  }),
  async run(call, { room_id, max_wait_ms, wake_on_message: wakeOnMessage = true, claim = true }) {
    const acting = await call.acting(room_id);
    if (isRefusal(acting)) return acting;
    const { deps, caller, roomId: id, policy } = acting;
    const maxWaitMs = call.waitMs(max_wait_ms ?? policy.waitMaxMs);
    const answer = claim
      ? await waitInQueue(call, acting, { maxWaitMs, wakeOnMessage })
      : await receive(call, acting, maxWaitMs);
    if (!isRefusal(answer) && answer.status === "your_turn") {
      await call.keeper.keep(deps, { caller, roomId: id, leaseId: answer.leaseId, turnId: answer.turnId });
    }
    if (isRefusal(answer) || !WAITS_ON.includes(answer.status)) return answer;
    return { ...answer, next: nextCall(call, answer, claim) };
  },
});

/**
 * A harness may stop a model that makes the same call five times in one turn, or the same few calls in a circle. A model
 * that names a fresh attempt each time never does that.
 */
function nextCall(call: ToolCall, { unread = 0, messages = [] }: Mail, claim: boolean): string {
  const hasMail = messages.length > 0;
  const answer = hasMail ? ["answer your mail"] : [];
  const read = unread > 0 ? [`read ${hasMail ? "the rest" : "your mail"} with read_my_messages`] : [];
  const steps = [...answer, ...read].join(", ") || "do what needs no stick";
  const again = `${claim ? "" : "claim false and "}attempt ${call.nextAttempt()}`;
  return `${steps.charAt(0).toUpperCase()}${steps.slice(1)}, then call wait_for_turn again with ${again}.`;
}

interface Mail {
  readonly unread?: number;
  readonly messages?: readonly unknown[];
}

/** After these answers the model waits on. */
const WAITS_ON: readonly string[] = ["not_yet", "messages", "reservation_lost"];

/** Mail that comes with an answer is read once the answer is out. */
async function waitInQueue(
  call: ToolCall,
  { deps, caller, roomId: id }: Acting,
  limits: { readonly maxWaitMs: number; readonly wakeOnMessage: boolean },
): Promise<WaitedAnswer | Refusal> {
  const waited = await waitWithMail(deps, caller, {
    roomId: id,
    ...limits,
    signal: call.signal,
    onLook: ({ currentOwner, queuePosition }) =>
      call.tell(`${currentOwner ?? "nobody"} holds the stick; you are number ${queuePosition ?? "-"}`),
  });
  if (isRefusal(waited)) return waited;
  call.afterAnswer(waited);
  return waited.answer;
}

async function receive(
  call: ToolCall,
  { deps, caller, roomId: id }: Acting,
  maxWaitMs: number,
): Promise<ListenAnswer | Refusal> {
  const place = JSON.stringify([caller.agentId, id]);
  const after = call.cursors.get(place);
  const cursor = after === undefined ? {} : { afterEventSeq: after };
  const knownTurn = call.keeper.turnOf(caller, id);
  const heard = await listen(deps, caller, {
    roomId: id,
    maxWaitMs,
    signal: call.signal,
    ...cursor,
    ...(knownTurn !== undefined && { knownTurn }),
  });
  if (isRefusal(heard)) return heard;
  call.cursors.set(place, heard.cursorEventSeq);
  call.afterAnswer(heard);
  return heard.answer;
}
