/** Writes to a world's store without starting a process for each change. */
import { setImmediate } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { isRefusal, openTalkingStick } from "../../../src/main/index.ts";
import { accepted } from "../../support/service-world.ts";
import type { CliWorld } from "./cli-world.ts";

export interface Writer {
  note(body: string): Promise<void>;
}

export async function writerIn(world: CliWorld, agentId = "writer:1"): Promise<Writer> {
  const stick = await openTalkingStick({ agentId, env: world.env() });
  if (isRefusal(stick)) throw new Error(stick.message);
  onTestFinished(() => stick.close());
  const { roomId } = accepted(await stick.joinPath({ contextPath: world.tree }));
  return {
    note: async (body) => {
      accepted(await stick.addNote({ roomId, body }));
      // The store works synchronously; others in this process must have their turn, too.
      await setImmediate();
    },
  };
}
