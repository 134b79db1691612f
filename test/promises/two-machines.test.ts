/**
 * P3. Machines that were cloned from one image have one machine id, and on them paths and pids are equal too. Only the boot
 * tells them apart, so a process is proven gone by a look from its own boot alone; from any other it is unknown, and its
 * member loses nothing before its lease ends.
 */
import { describe, expect, inject } from "vitest";
import type { ProcessRef } from "../../src/core/process.ts";
import { createProcessProbe } from "../../src/platform/process/process-probe.ts";
import type { Sighting } from "../../src/platform/process/process-table.ts";
import { AgentRoom } from "../support/agent-room.ts";
import { canCloneMachines, machineOfImage } from "../support/cloned-machine.ts";
import { bundleFixture } from "../support/fixture.ts";
import { skipUnless } from "../support/privileges.ts";
import { groundAt } from "../support/sqlite-world.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { verifies } from "./verifies.ts";

const server = inject("postgresUrl");
if (server === null) process.stderr.write("SKIPPED: P3 on PostgreSQL: there is no server\n");

const SIGHTINGS: readonly Sighting[] = [
  { seen: "nothing" },
  { seen: "hidden" },
  { seen: "running", startTicks: "100" },
  { seen: "running", startTicks: "200" },
];

function probeOn(bootId: string, sighting: Sighting, soleMachine = false) {
  const processes = { pidNamespace: "pid:[4026531836]", look: () => sighting, ownStartTicks: () => "1" };
  return createProcessProbe({ host: "image", bootId, processes, soleMachine });
}

verifies("P3", "whatever a probe sees under an equal pid, it knows nothing about a process of another boot", () => {
  const ref: ProcessRef = { ...probeOn("boot-a", { seen: "nothing" }).self(), pid: 4711, startTicks: "100" };
  for (const sighting of SIGHTINGS) expect(probeOn("boot-b", sighting).verdict(ref)).toBe("unknown");
  expect(SIGHTINGS.map((sighting) => probeOn("boot-a", sighting).verdict(ref))).toEqual([
    "gone",
    "unknown",
    "alive",
    "gone",
  ]);
});

verifies("P3", "where only one machine uses the store, another boot means that it has rebooted", () => {
  const ref: ProcessRef = { ...probeOn("boot-a", { seen: "nothing" }).self(), pid: 4711, startTicks: "100" };
  for (const sighting of SIGHTINGS) expect(probeOn("boot-b", sighting, true).verdict(ref)).toBe("gone");
});

describe.skipIf(server === null || skipUnless(canCloneMachines, "mounts of its own, to clone machines"))(
  "on PostgreSQL",
  () => {
    verifies("P3", "a holder on a cloned machine keeps stick and membership, alive or dead", async () => {
      const bundle = await bundleFixture("test/promises/fixtures/stick-agent.ts");
      const env = { TT_STORE: server as string, TT_GONE_GRACE_MS: "300" };
      const room = new AgentRoom(bundle, groundAt(quickDirectory(), env));
      const image = machineOfImage();
      const [here, there] = [image.next(), image.next()];
      const holder = await room.enter("agent:holder", { through: here });
      const neighbour = await room.enter("agent:neighbour", { through: here });
      const stranger = await room.enter("agent:stranger", { through: there });
      const { expectedTurnId } = await room.take(holder);
      const expectNothingTaken = async () => {
        // Longer than the grace: from its own boot, a dead holder would be found gone by then.
        const { answer } = await room.wait(stranger, 1000);
        expect(answer).toMatchObject({ status: "not_yet", roomState: "owned" });
        const { answer: taken } = await room.takeOver(stranger, expectedTurnId);
        expect(taken).toMatchObject({ error: "takeover_not_available" });
        const kick = { roomId: room.roomId, targetAgentId: "agent:holder" };
        expect((await stranger.call("kickMember", kick)).answer).toMatchObject({ error: "target_active" });
      };
      await expectNothingTaken();
      await holder.kill();
      await expectNothingTaken();
      // A process that runs on the same boot can tell.
      const { answer: seen } = await room.wait(neighbour, 60_000);
      expect(seen).toMatchObject({ status: "takeover_available", reason: "owner_gone" });
      bundle.remove();
    });
  },
);
