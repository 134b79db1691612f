/** All that agents do, without a pause: what is counted is how much of it a second, and what failed. */
import { openService } from "../../../src/app/open-talking-stick.ts";
import { Fault } from "../../../src/core/fault.ts";
import { isRefusal } from "../../../src/core/refusal.ts";
import { accepted } from "../../../test/support/sqlite-world.ts";
import { nowUs } from "../../marks.ts";
import { type Deed, deedAt } from "../deeds.ts";
import type { Member } from "./member.ts";

const BODY = "x".repeat(200);
const HANDOFF = { status: "half of it is done", nextAction: "do the other half" };

export interface MixedOrder {
  readonly agentId: string;
  readonly tree: string;
  /** A member of the same room, to send to. */
  readonly peer: string;
  readonly forMs: number;
}

export interface Mixed {
  readonly done: number;
  /** What was tried and the code of what the store threw, as in "open: store_busy". */
  readonly failures: readonly string[];
}

/** Begins by opening the store and joining: those are operations like the others. */
export async function mixed({ agentId, tree, peer, forMs }: MixedOrder): Promise<Mixed> {
  const until = nowUs() + forMs * 1000;
  const failures: string[] = [];
  let member: Member | null = null;
  let done = 0;
  const attempt = async <Answer>(what: string, work: () => Promise<Answer>): Promise<Answer | null> => {
    try {
      const answer = await work();
      if (nowUs() < until) done += 1;
      return answer;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      failures.push(`${what}: ${error.code}`);
      return null;
    }
  };
  for (let index = 0; nowUs() < until; index += 1) {
    const deed = deedAt(index);
    if (member !== null && deed === "reopen") {
      await member.stick.close();
      member = null;
    }
    if (member === null) {
      const stick = await attempt("open", async () => accepted(await openService({ agentId })));
      const joined =
        stick && (await attempt("join", async () => accepted(await stick.joinPath({ contextPath: tree }))));
      if (stick && joined) member = { stick, roomId: joined.roomId, cursor: joined.cursorEventSeq };
    } else {
      const present = member;
      await attempt("call", () => perform(present, deed, peer));
    }
  }
  await member?.stick.close();
  return { done, failures };
}

async function perform({ stick, roomId }: Member, deed: Deed, peer: string): Promise<unknown> {
  if (deed === "read") return accepted(await stick.getRoomState({ roomId }));
  if (deed === "send") {
    const sent = await stick.sendMessage({ roomId, to: peer, body: BODY });
    // Right at the beginning the peer may not have joined yet.
    return isRefusal(sent) && sent.error === "unknown_recipient" ? sent : accepted(sent);
  }
  if (deed === "take") {
    const { answer, confirm } = accepted(await stick.takeMessages({ limit: 1 }));
    if (answer.count > 0) await confirm();
    return answer;
  }
  const turn = accepted(await stick.waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") return turn;
  const { leaseId, turnId } = turn;
  return accepted(await stick.releaseStick({ roomId, leaseId, expectedTurnId: turnId, handoff: HANDOFF }));
}
