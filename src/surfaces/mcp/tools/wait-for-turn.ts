import * as z from "zod";
import { isRefusal, type Refusal } from "../../../domain/refusal.ts";
import type { TurnAnswer } from "../../../domain/stick/answers.ts";
import { waitForTurn as wait } from "../../../service/wait-for-turn.ts";
import { roomId } from "../fields.ts";
import { tool } from "../tool.ts";

export const waitForTurn = tool({
  name: "wait_for_turn",
  description:
    "Waits for the stick: your_turn gives turn_id, lease_id and the handoff; not_yet says who holds it, your place and your unread mail (call again: the place is kept); takeover_available means the holder is gone. max_wait_ms 0 looks once. claim false only receives what is handed to you.",
  input: z.object({
    room_id: roomId,
    max_wait_ms: z.number().int().optional(),
    claim: z.boolean().optional(),
  }),
  async run(call, input): Promise<TurnAnswer | Refusal> {
    const acting = await call.acting(input.room_id);
    if (isRefusal(acting)) return acting;
    const { deps, caller, roomId: id } = acting;
    const snapshot = await deps.store.readRoom(id);
    const wantedMs = input.max_wait_ms ?? snapshot?.room.policy.waitMaxMs ?? 0;
    const answer = await wait(deps, caller, {
      roomId: id,
      maxWaitMs: call.waitMs(wantedMs),
      claim: input.claim ?? true,
      signal: call.signal,
      onLook: ({ currentOwner, queuePosition }) =>
        call.tell(`${currentOwner ?? "nobody"} holds the stick; you are number ${queuePosition ?? "-"}`),
    });
    if (!isRefusal(answer) && answer.status === "your_turn") {
      await call.keeper.keep(deps, { caller, roomId: id, leaseId: answer.leaseId, turnId: answer.turnId });
    }
    return answer;
  },
});
