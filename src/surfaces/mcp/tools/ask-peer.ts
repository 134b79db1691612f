import * as z from "zod";
import { LIMITS } from "../../../core/limits.ts";
import { isRefusal } from "../../../core/refusal.ts";
import { roomId } from "../fields.ts";
import { tool } from "../tool.ts";

export const askPeer = tool({
  name: "ask_peer",
  description:
    "Asks one agent and waits for its answer. If it does not answer in time the question stays open, and a late answer comes with your messages.",
  input: z.strictObject({
    to: z.string(),
    body: z.string(),
    room_id: roomId,
    timeout_ms: z.number().int().min(0).max(LIMITS.askMs).optional(),
  }),
  async run(call, input) {
    const acting = await call.acting(input.room_id, { to: input.to, body: input.body, asks: true });
    if (isRefusal(acting)) return acting;
    const { to, body, timeout_ms: wantedMs = acting.policy.askTimeoutMs } = input;
    const asked = await acting.stick.askPeer({
      roomId: acting.roomId,
      to,
      body,
      timeoutMs: call.waitMs(wantedMs),
      signal: call.signal,
      onSent: () => call.tell(`waiting for ${to} to answer`),
    });
    if (isRefusal(asked)) return asked;
    call.afterAnswer(asked);
    return asked.answer;
  },
});
