/** An agent of the run at scale: a process of its own on one of the machines, from its first call until it is killed. */
import { createInterface } from "node:readline";
import { openService } from "../../src/app/open-talking-stick.ts";
import { Fault } from "../../src/core/fault.ts";
import { accepted } from "../../test/support/sqlite-world.ts";
import type { Order, Traits } from "../scale/records.ts";
import { pause } from "./pause.ts";
import { AFTER_FAULT_MS, tell } from "./teammate/attempt.ts";
import { goAboutTheDay, useCommands } from "./teammate/day.ts";
import { takeMail } from "./teammate/mail.ts";
import { Pace } from "./teammate/pace.ts";
import type { Teammate } from "./teammate/teammate.ts";
import { takeTurns } from "./teammate/turns.ts";

async function main(traits: Traits): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  lines.on("close", () => process.exit(0));
  const { stick, roomId } = await untilJoined(traits);
  const pace = new Pace(traits.pace, traits.seed);
  const rest = new AbortController();
  const me: Teammate = { ...traits, stick, roomId, pace, resting: rest.signal };
  lines.on("line", (line) => {
    const order = JSON.parse(line) as Order;
    if ("pace" in order) return pace.change(order.pace);
    pace.end();
    rest.abort();
  });
  tell({ roomId });
  takeMail(me).catch(fail);
  await Promise.all([takeTurns(me), goAboutTheDay(me), useCommands(me)]);
  tell({ rests: true });
}

/** Its machine may be cut off when it begins. */
async function untilJoined({ agentId, tree }: Traits): Promise<Pick<Teammate, "stick" | "roomId">> {
  for (;;) {
    try {
      const stick = accepted(await openService({ agentId, harness: "agent" }));
      const { roomId } = accepted(await stick.joinPath({ contextPath: tree }));
      return { stick, roomId };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      await pause(AFTER_FAULT_MS);
    }
  }
}

function fail(error: unknown): never {
  console.error(error);
  process.exit(1);
}

main(JSON.parse(process.argv[2] ?? "{}") as Traits).catch(fail);
