/** The stick in an agent's life: it wants it now and then, works in the tree while it has it, and hands over. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { pause } from "../pause.ts";
import { AFTER_FAULT_MS, attempt } from "./attempt.ts";
import type { Teammate } from "./teammate.ts";

const MINUTE = 60_000;
/** In the time of life. */
const BETWEEN_TURNS_MS = 4 * MINUTE;
const TURN_MS = 1.5 * MINUTE;

interface Turn {
  readonly turnId: number;
  readonly leaseId: string;
}

export async function takeTurns(me: Teammate): Promise<void> {
  while (!me.pace.isOver) {
    await me.pace.around(BETWEEN_TURNS_MS);
    const turn = await untilGranted(me);
    if (turn === null) continue;
    const line = `${me.agentId} in turn ${turn.turnId}\n`;
    appendFileSync(join(me.tree, "journal.txt"), line);
    await me.pace.around(TURN_MS);
    await handOver(me, turn);
  }
}

async function untilGranted(me: Teammate): Promise<Turn | null> {
  while (!me.pace.isOver) {
    const waited = await attempt(
      "wait",
      () => me.stick.waitForTurn({ roomId: me.roomId, signal: me.resting }),
      (answer) =>
        answer.status === "your_turn" ? { turnId: answer.turnId, handoff: answer.handoff?.status ?? null } : null,
    );
    if ("done" in waited) {
      if (waited.done.status === "your_turn") return waited.done;
      const taken = waited.done.status === "takeover_available" ? await takeOver(me, waited.done.turnId) : null;
      if (taken !== null) return taken;
    } else await pause(AFTER_FAULT_MS);
  }
  return null;
}

/** One of the agents that wait takes over. The others are refused. */
async function takeOver(me: Teammate, expectedTurnId: number): Promise<Turn | null> {
  const taken = await attempt(
    "take over",
    () => me.stick.takeoverStick({ roomId: me.roomId, expectedTurnId, reason: "its process is gone" }),
    ({ turnId, handoff }) => ({ turnId, handoff: handoff?.status ?? null }),
  );
  return "done" in taken ? taken.done : null;
}

async function handOver(me: Teammate, { turnId, leaseId }: Turn): Promise<void> {
  const status = `${me.agentId} ended turn ${turnId}`;
  const handoff = { status, nextAction: "go on" };
  for (;;) {
    const released = await attempt(
      "release",
      () => me.stick.releaseStick({ roomId: me.roomId, leaseId, expectedTurnId: turnId, handoff }),
      () => ({}),
      { turnId, handoff: status },
    );
    // After a fault the outcome is unknown. A second call tells: it is done, or refused because the first one was.
    if (!("fault" in released)) return;
    await pause(AFTER_FAULT_MS);
  }
}
