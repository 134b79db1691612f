/** What a new holder is told because we looked, however late the evidence of the turn before comes. */
import { EventEmitter, once } from "node:events";
import { expect, it } from "vitest";
import { asRoomId } from "../../src/core/ids.ts";
import { commit } from "../../src/engine/commit.ts";
import { NO_EVIDENCE } from "../../src/session/rules/decision-input.ts";
import { OBSERVER } from "../../src/session/rules/observer.ts";
import { grantedFacts } from "../../src/stick/granted-facts.ts";
import { reportChange } from "../../src/stick/rules/foreign-change.ts";
import { HANDOFF } from "../support/room-world.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

const WRITTEN = { paths: ["config.json"], more: 0, evidence: "comparison", duringTurn: null } as const;

it("what changed before the turn is told, also if older evidence came after many events of the turn", async () => {
  const gitAnswers = new EventEmitter();
  const workingTree = {
    head: () => null,
    checkedOut: () => ({ head: null, branch: null }),
    evidence: async () => {
      await once(gitAnswers, "now");
      return null;
    },
    missing: () => [],
  };
  const world = new ServiceWorld({}, { workingTree });
  const contextPath = world.directory("project");
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath }));
  accepted(await world.as("b").joinPath({ contextPath }));
  const first = accepted(await world.as("a").waitForTurn({ roomId, maxWaitMs: 0 }));
  if (first.status !== "your_turn") throw new Error(first.status);
  const token = { roomId, leaseId: first.leaseId, expectedTurnId: first.turnId };
  const releasing = world.as("a").releaseStick({ ...token, handoff: HANDOFF });
  const second = await untilGranted(world, roomId);
  await commit(world.deps, OBSERVER, { roomId: asRoomId(roomId) }, NO_EVIDENCE, ({ room }, given) =>
    reportChange(room, given, WRITTEN),
  );
  for (const body of ["one", "two", "three"]) accepted(await world.as("a").addNote({ roomId, body }));
  gitAnswers.emit("now");
  accepted(await releasing);
  expect(await grantedFacts(world.deps, asRoomId(roomId), second)).toEqual({
    drift: { paths: ["config.json"], more: 0 },
  });
});

/** The release goes on until its evidence has come. */
async function untilGranted(world: ServiceWorld, roomId: string) {
  for (;;) {
    const granted = accepted(await world.as("b").waitForTurn({ roomId, maxWaitMs: 0 }));
    if (granted.status === "your_turn") return granted;
  }
}
