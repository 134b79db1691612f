/** What the list of a commit does for the files of hooks, and when. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endingQuiet } from "../../src/app/around-commit.ts";
import { asAgentId } from "../../src/core/ids.ts";
import type { Deps } from "../../src/engine/deps.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { createQuietMarks, PERMITS, permitName } from "../../src/platform/agents/quiet-files.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

const BEA = asAgentId("b");

/** Two members. `permits`: whether the second has one at the end of each transaction. */
async function place() {
  const world = new ServiceWorld();
  const dataDir = world.directory("data");
  mkdirSync(join(dataDir, "quiet"), { mode: 0o700 });
  const quiet = createQuietMarks({ dataDir, clock: world.deps.clock });
  const hasPermit = () => existsSync(join(dataDir, PERMITS, permitName(BEA)));
  const permits: boolean[] = [];
  const change: Store["change"] = (target, decide, options) =>
    world.deps.store.change(
      target,
      (loaded) => {
        const decision = decide(loaded);
        permits.push(hasPermit());
        return decision;
      },
      options,
    );
  const deps: Deps = { ...world.deps, store: { ...world.deps.store, change }, beforeMove: [endingQuiet(quiet)] };
  const [ann, bea] = [createTalkingStick(deps, agentCalled("a")), createTalkingStick(deps, agentCalled(BEA))];
  const person = createTalkingStick(deps, { ...agentCalled("human:cleo"), harness: "human", isPerson: true });
  const contextPath = world.directory("project");
  const { roomId } = accepted(await ann.joinPath({ contextPath }));
  accepted(await bea.joinPath({ contextPath }));
  const open = () => {
    expect(quiet.open(BEA)).not.toBeNull();
    permits.length = 0;
  };
  return { ann, bea, person, roomId, open, permits };
}

test("at the end of the transaction that gives or reserves the stick, no permit of the agent is left", async () => {
  const { ann, bea, person, roomId, open, permits } = await place();
  open();
  accepted(await ann.addNote({ roomId, body: "no move" }));
  expect(permits.splice(0)).toEqual([true]);
  accepted(await person.giveStick({ roomId, toAgentId: BEA }));
  expect(permits).not.toContain(true);
  open();
  accepted(await bea.waitForTurn({ roomId, maxWaitMs: 0 }));
  expect(permits).not.toContain(true);
});
