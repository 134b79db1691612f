/** Writes to a world's store without starting a process for each change. */
import { setImmediate } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { openService } from "../../../src/app/open-talking-stick.ts";
import { isRefusal } from "../../../src/core/refusal.ts";
import type { TalkingStick } from "../../../src/surfaces/library/talking-stick.ts";
import { accepted } from "../../support/service-world.ts";
import type { CliWorld } from "./cli-world.ts";

export interface Writer {
  readonly stick: TalkingStick;
  leave(): Promise<void>;
  note(body: string): Promise<void>;
  /** Sends a message and tells its id. */
  message(to: string, body: string): Promise<string>;
  /** Takes the stick and gives it back: two events, of which the second is as long as asked. */
  turn(bytes: number): Promise<void>;
}

export async function writerIn(world: CliWorld, agentId = "writer:1"): Promise<Writer> {
  const stick = await openService({ agentId, env: world.env() });
  if (isRefusal(stick)) throw new Error(stick.message);
  onTestFinished(() => stick.close());
  const { roomId } = accepted(await stick.joinPath({ contextPath: world.tree }));
  return {
    stick,
    message: async (to, body) => {
      const { messageId } = accepted(await stick.sendMessage({ roomId, to, body }));
      await setImmediate();
      return messageId;
    },
    leave: async () => {
      accepted(await stick.leaveRoom({ roomId }));
    },
    note: async (body) => {
      accepted(await stick.addNote({ roomId, body }));
      // The store works synchronously; others in this process must have their turn, too.
      await setImmediate();
    },
    turn: async (bytes) => {
      const turn = accepted(await stick.waitForTurn({ roomId, maxWaitMs: 0 }));
      if (turn.status !== "your_turn") throw new Error("another agent holds the stick");
      const handoff = { status: "x".repeat(bytes), nextAction: "y" };
      const token = { leaseId: turn.leaseId, expectedTurnId: turn.turnId };
      accepted(await stick.releaseStick({ roomId, ...token, handoff }));
      await setImmediate();
    },
  };
}
