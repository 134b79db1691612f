/**
 * S5. A holder dies and its pid goes to another process: the holder is gone anyway. And a pid means nothing
 * in another pid namespace: no agent is gone because a number over there is free or belongs to another process.
 */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { createProcessProbe } from "../../src/platform/process/process-probe.ts";
import type { Sighting } from "../../src/platform/process/process-table.ts";
import type { AgentProcess } from "../support/agent-process.ts";
import { AgentRoom, HANDOFF } from "../support/agent-room.ts";
import type { Bundle } from "../support/fixture.ts";
import { inParallel } from "../support/in-parallel.ts";
import { canChoosePids, PidNamespace } from "../support/pid-namespace.ts";
import { skipUnless } from "../support/privileges.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { groundAt } from "../support/sqlite-world.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { figure, verifies } from "./verifies.ts";

const lanes = 5;
const rounds = figure(10, 200);

/** A room with an agent inside a pid namespace and one outside of it. */
interface Scene {
  readonly namespace: PidNamespace;
  readonly room: AgentRoom;
  readonly insider: AgentProcess;
  readonly outsider: AgentProcess;
}

async function expectRefused(room: AgentRoom, agent: AgentProcess, turnId: number): Promise<void> {
  const { answer } = await room.takeOver(agent, turnId);
  expect(answer).toMatchObject({ error: "takeover_not_available", facts: { room_state: "owned" } });
}

async function reuseAHoldersPid({ namespace, room, insider, outsider }: Scene, name: string): Promise<void> {
  const holder = await room.enter(name, { through: namespace.enter });
  const { expectedTurnId } = await room.take(holder);
  const pid = await holder.ownPid();
  namespace.kill(pid);
  await holder.ended();
  expect(namespace.isFree(pid)).toBe(true);
  expect(namespace.reuse(pid)).toBe(pid);

  const { answer } = await room.wait(insider, 60_000);
  expect(answer).toMatchObject({ status: "takeover_available", reason: "owner_gone" });
  // By now the grace is over for everybody, so that nothing but the namespace speaks for the holder.
  await expectRefused(room, outsider, expectedTurnId);
  const { answer: taken } = await room.takeOver(insider, expectedTurnId);
  expect(taken).toMatchObject({ status: "your_turn", ground: "owner_gone" });
  const { answer: released } = await insider.call("releaseStick", { ...room.tokenOf(taken), handoff: HANDOFF });
  expect(released).toMatchObject({ status: "released" });
  namespace.kill(pid);
}

describe.skipIf(skipUnless(canChoosePids, "pid namespaces"))("in pid namespaces", () => {
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await bundleSqliteFixture("stick-agent");
  });
  afterAll(() => bundle.remove());

  async function openScene(directory: string): Promise<Scene> {
    const namespace = await PidNamespace.open();
    const room = new AgentRoom(bundle, groundAt(directory, { TT_GONE_GRACE_MS: "300" }));
    const insider = await room.enter("agent:insider", { through: namespace.enter });
    const outsider = await room.enter("agent:outsider");
    return { namespace, room, insider, outsider };
  }

  verifies(
    "S5",
    `a holder whose pid was reused is gone, and unknown to processes that cannot see it, ${rounds} times`,
    async () => {
      const directory = quickDirectory();
      const places = Array.from({ length: lanes }, (_, index) => join(directory, String(index)));
      await inParallel(lanes, places, async (place) => {
        const scene = await openScene(place);
        for (let round = 1; round <= rounds / lanes; round += 1) await reuseAHoldersPid(scene, `agent:holder-${round}`);
      });
    },
  );

  verifies("S5", "a living holder is not gone because its pid is free or taken in another namespace", async () => {
    const { namespace, room, insider, outsider } = await openScene(join(quickDirectory(), "room"));
    const { expectedTurnId } = await room.take(outsider);
    const pid = await outsider.ownPid();
    // Until the grace is over silence alone would refuse; the insider waits for longer than that.
    for (const isFree of [true, false]) {
      if (!isFree) expect(namespace.reuse(pid)).toBe(pid);
      expect(namespace.isFree(pid)).toBe(isFree);
      const { answer } = await room.wait(insider, 1500);
      expect(answer).toMatchObject({ status: "not_yet", roomState: "owned" });
      await expectRefused(room, insider, expectedTurnId);
    }
  });
});

verifies("S5", `a probe tells ${rounds} reused pids from the processes that had them`, () => {
  for (let round = 1; round <= rounds; round += 1) {
    const running = new Map<number, string>([[round, "100"]]);
    const look = (pid: number): Sighting => {
      const startTicks = running.get(pid);
      return startTicks === undefined ? { seen: "nothing" } : { seen: "running", startTicks };
    };
    const probeIn = (pidNamespace: string) => {
      const processes = { pidNamespace, look, ownStartTicks: () => "1" };
      return createProcessProbe({ host: "local", bootId: "boot", processes });
    };
    const ref = probeIn("pid:[1]").find(round)!;
    expect(probeIn("pid:[1]").verdict(ref)).toBe("alive");
    running.set(round, String(100 + round));
    expect(probeIn("pid:[1]").verdict(ref)).toBe("gone");
    running.delete(round);
    expect(probeIn("pid:[1]").verdict(ref)).toBe("gone");
    expect(probeIn("pid:[2]").verdict(ref)).toBe("unknown");
  }
});
