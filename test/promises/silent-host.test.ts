/**
 * A machine that died is known to the others within a minute. One that was cut off for half a minute loses nothing, nor
 * does a holder that works by calls alone where a wait was killed. One that was taken for dead is refused when it comes
 * back, and is told.
 */
import { describe, expect, inject, onTestFinished } from "vitest";
import { AgentRoom } from "../support/agent-room.ts";
import { bundleFixture } from "../support/fixture.ts";
import { canMakeHosts, HostNetwork } from "../support/host-network.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { skipUnless } from "../support/privileges.ts";
import { quickPlace } from "../support/quick-place.ts";
import { verifies } from "./verifies.ts";

const cannot = inject("postgresUrl") === null || skipUnless(canMakeHosts, "networks and namespaces, to make hosts");
const LONG_MS = 600_000;
const SECOND = 1_000_000_000n;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(cannot)("machines of one image", () => {
  verifies("P7", "a dead holder's machine is known within 60 s, and a cut of 30 s takes nothing away", async () => {
    const network = HostNetwork.open({ atEnd: onTestFinished, program: inject("tt") });
    const server = await startPostgres(network.serverSettings, "", quickPlace(), network.range);
    onTestFinished(() => server.stop());
    const bundle = await bundleFixture("test/promises/fixtures/stick-agent.ts");
    onTestFinished(() => bundle.remove());
    // One machine id and equal paths, so that agents of both are in one room. Each has its own boot.
    const clone = { machineId: "0123456789abcdef0123456789abcdef", ownBoot: true };
    const store = { TT_STORE: network.reach(server.url), TT_WAIT_MAX_MS: "3600000" };
    const [cut, lost, works, here] = [
      await network.host({ ...clone, name: "cut" }, store),
      await network.host({ ...clone, name: "lost" }, store),
      await network.host({ ...clone, name: "works" }, store),
      await network.host({ ...clone, name: "here" }, store),
    ];
    const scenes = [];
    for (const host of [cut, lost, works]) {
      const room = new AgentRoom(bundle, host.ground);
      const holder = await room.enter(`agent:holder-${host.name}`, { through: host.enter });
      const listener = await room.enter(`agent:listener-${host.name}`, { through: host.enter });
      const token = await room.take(holder);
      void listener
        .call("waitForTurn", { roomId: room.roomId, maxWaitMs: LONG_MS, claim: false })
        .catch(() => undefined);
      const waiter = await room.enter(`agent:waiter-${host.name}`, { through: here.enter, env: here.ground.env });
      const heard = room.wait(waiter, LONG_MS);
      scenes.push({ room, holder, listener, waiter, token, heard });
    }
    const [ofCut, ofLost, ofWorks] = scenes;
    if (!ofCut || !ofLost || !ofWorks) throw new Error("no scenes");
    // Every machine was heard of at least once, and the waiters have looked.
    await sleep(15_000);
    // Nobody renews for this machine any more, and a note stays. Its holder works on.
    works.read(`kill -9 ${await ofWorks.listener.ownPid()}`);
    const work = setInterval(() => void ofWorks.holder.call("heartbeat", ofWorks.token), 5000);
    onTestFinished(() => clearInterval(work));

    cut.cut();
    const early = await Promise.race([ofCut.heard, ofLost.heard, sleep(30_000)]);
    expect(early).toBeUndefined();
    cut.mend();
    expect(await Promise.race([ofCut.heard, ofLost.heard, sleep(20_000)])).toBeUndefined();
    expect((await ofCut.holder.call("heartbeat", ofCut.token)).answer).toMatchObject({ status: "ok" });

    cut.cut();
    await lost.die();
    const began = process.hrtime.bigint();
    for (const { heard, room, waiter, token } of [ofCut, ofLost]) {
      const { answer, at } = await heard;
      expect(answer).toMatchObject({ status: "takeover_available", reason: "host_silent" });
      expect(Number(answer["hostSilentMs"])).toBeGreaterThanOrEqual(50_000);
      expect(Number((at - began) / SECOND)).toBeLessThan(60);
      const taken = (await room.takeOver(waiter, token.expectedTurnId)).answer;
      expect(taken).toMatchObject({ status: "your_turn", ground: "host_silent" });
    }

    expect(await Promise.race([ofWorks.heard, sleep(0)])).toBeUndefined();
    const taken = (await ofWorks.room.takeOver(ofWorks.waiter, ofWorks.token.expectedTurnId)).answer;
    expect(taken).toMatchObject({ error: "takeover_not_available" });

    cut.mend();
    const release = { ...ofCut.token, handoff: { status: "done", nextAction: "nothing" } };
    const refused = (await ofCut.holder.call("releaseStick", release)).answer;
    expect(refused).toMatchObject({ error: "turn_mismatch" });
    expect(JSON.stringify(refused)).toContain("machine was not heard of");
  });
});
