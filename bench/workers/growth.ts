/** Two rooms in two stores, alike but for the length of their logs, and the same calls in both by turns. */
import { join } from "node:path";
import { openService } from "../../src/app/open-talking-stick.ts";
import type { TalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { accepted, type Ground } from "../../test/support/sqlite-world.ts";
import { nowUs } from "../marks.ts";
import { lengthenLog } from "./growth/lengthen-log.ts";
import { serve } from "./serve.ts";

interface Place {
  readonly stick: TalkingStick;
  readonly roomId: string;
}

const CALLS = {
  "room state": ({ stick, roomId }: Place) => stick.getRoomState({ roomId }),
  "tail of 50 events": ({ stick, roomId }: Place) => stick.getRoomEvents({ roomId, limit: 50 }),
  "one look for the turn": ({ stick, roomId }: Place) => stick.waitForTurn({ roomId, maxWaitMs: 0 }),
  "wait for events, 0 ms": ({ stick, roomId }: Place) => stick.waitForEvents({ roomId, maxWaitMs: 0 }),
};

export type GrowthCall = keyof typeof CALLS;

const places: Place[] = [];

const growth = {
  /** A room with `events` events in which another agent holds the stick. */
  async build({ ground, events }: { readonly ground: Ground; readonly events: number }): Promise<void> {
    const { env, tree } = ground;
    const holder = accepted(await openService({ agentId: "bench:holder", env }));
    const { roomId } = accepted(await holder.joinPath({ contextPath: tree }));
    await holdWithHandoff(holder, roomId);
    lengthenLog(join(ground.dataDir, "tt.db"), { roomId, agentId: "bench:holder", events });
    const stick = accepted(await openService({ agentId: "bench:reader", env }));
    accepted(await stick.joinPath({ contextPath: tree }));
    places.push({ stick, roomId });
  },

  /** How long each call took, by room in the order they were built. */
  async time({ call, count }: { readonly call: GrowthCall; readonly count: number }) {
    const times = places.map((): number[] => []);
    for (let index = 0; index < count; index += 1) {
      for (const [room, place] of places.entries()) {
        const startUs = nowUs();
        accepted(await CALLS[call](place));
        times[room]?.push(nowUs() - startUs);
      }
    }
    return times;
  },
};

export type Growth = typeof growth;

/** The room's handoff then lies near the start of the log. */
async function holdWithHandoff(stick: TalkingStick, roomId: string): Promise<void> {
  const answer = accepted(await stick.waitForTurn({ roomId, maxWaitMs: 0 }));
  if (answer.status !== "your_turn") throw new Error(`a new room's stick is ${answer.status}`);
  const token = { leaseId: answer.leaseId, expectedTurnId: answer.turnId };
  accepted(await stick.releaseStick({ roomId, ...token, handoff: { status: "begun", nextAction: "go on" } }));
  accepted(await stick.waitForTurn({ roomId, maxWaitMs: 0 }));
}

serve(growth);
