import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { type ProcessRef, processKey } from "../../src/core/process.ts";
import { beginWake, claimWake, endWake } from "../../src/mail/claim-wake.ts";
import { isClaim } from "../../src/wake/climb.ts";
import { bundleFixture, startFixture } from "../support/fixture.ts";
import { processOf } from "../support/room-world.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { MailWorld } from "./mail-world.ts";
import type { OpenBackend } from "./store-world.ts";

const SLEEPER = "codex:1";
const OWNER = asAgentId(SLEEPER);
const verdictOn = (dead: ProcessRef) => (process: ProcessRef) =>
  processKey(process) === processKey(dead) ? "gone" : "alive";
const SENDERS = Array.from({ length: 8 }, (_, index) => `claude:${index}`);

export function wakeContract(openBackend: OpenBackend): void {
  const open = async () => {
    const world = await MailWorld.open(openBackend);
    await world.join(SLEEPER, ...SENDERS);
    return world;
  };

  describe("waking", () => {
    test("of a batch is claimed once, remembered with what came of it, and given back when nothing did", async () => {
      const world = await open();
      await world.send("claude:0", SLEEPER, "one", { wake: "auto" });
      const { window } = await world.deps.store.readMailbox(OWNER, { kind: "live", limit: 10 });
      const seq = window.deliveries[0]?.seq as number;
      expect(window.box).toMatchObject({ wakeWantedSeq: seq, wokenSeq: 0, wakeOutcome: null });
      const claim = await claimWake(world.deps, OWNER, seq);
      expect(claim).toMatchObject({ seq, before: 0, senders: ["claude:0"] });
      expect(await claimWake(world.deps, OWNER, seq)).toBe("fired_unconfirmed");
      if (!isClaim(claim)) return;
      await endWake(world.deps, OWNER, claim, "failed");
      const again = await claimWake(world.deps, OWNER, seq);
      expect(again).toMatchObject({ seq, before: 0, senders: ["claude:0"] });
      if (!isClaim(again)) return;
      expect(await beginWake(world.deps, OWNER, again)).toBe(true);
      expect(await claimWake(world.deps, OWNER, seq)).toBe("fired_unconfirmed");
      await endWake(world.deps, OWNER, again, "fired");
      expect(await claimWake(world.deps, OWNER, seq)).toBe("fired");
      expect(await world.read(SLEEPER)).toEqual(["one"]);
      expect(await claimWake(world.deps, OWNER, seq)).toBe("read");
    });

    test("that was sent keeps its claim until its recipient was seen", async () => {
      const world = await open();
      await world.send("claude:0", SLEEPER, "one", { wake: "auto" });
      const { window } = await world.deps.store.readMailbox(OWNER, { kind: "live", limit: 10 });
      const seq = window.deliveries[0]?.seq as number;
      const claim = await claimWake(world.deps, OWNER, seq);
      if (!isClaim(claim)) throw new Error("the claim was open");
      const { process, until, before } = claim;
      const boxNow = async () => (await world.deps.store.readMailbox(OWNER, { kind: "messages", ids: [] })).window.box;
      await endWake(world.deps, OWNER, claim, "fired_unconfirmed");
      expect(await boxNow()).toMatchObject({
        wokenSeq: seq,
        wakeOutcome: "fired_unconfirmed",
        wakeClaim: { process, until, before },
      });
      await endWake(world.deps, OWNER, claim, "fired");
      expect(await boxNow()).toMatchObject({ wokenSeq: seq, wakeOutcome: "fired", wakeClaim: null });
    });

    test("that was claimed by a process which has died is open again, unless it had begun", async () => {
      const world = await open();
      await world.send("claude:0", SLEEPER, "one", { wake: "auto" });
      const { window } = await world.deps.store.readMailbox(OWNER, { kind: "live", limit: 10 });
      const seq = window.deliveries[0]?.seq as number;
      const [dead, living] = [processOf("dead"), processOf("living")];
      const deps = { ...world.deps, probe: { ...world.deps.probe, verdict: verdictOn(dead) } };
      const lost = await claimWake(deps, OWNER, seq, dead);
      const claim = await claimWake(deps, OWNER, seq, living);
      expect([lost, claim]).toMatchObject([{ process: dead }, { process: living, before: 0 }]);
      if (!isClaim(lost) || !isClaim(claim)) return;
      expect(await beginWake(deps, OWNER, lost)).toBe(false);
      await endWake(deps, OWNER, lost, "failed");
      expect(await claimWake(deps, OWNER, seq, living)).toBe("fired_unconfirmed");
      await endWake(deps, OWNER, claim, "failed");
      const begun = await claimWake(deps, OWNER, seq, dead);
      expect(isClaim(begun) && (await beginWake(deps, OWNER, begun))).toBe(true);
      expect(await claimWake(deps, OWNER, seq, living)).toBe("fired_unconfirmed");
    });

    test.each([
      ["the former name", "codex:2", SLEEPER],
      ["the new name", SLEEPER, "codex:2"],
    ])("is still requested, and not twice, when it was %s that the sender wrote to", async (_, now, former) => {
      for (const isWoken of [false, true]) {
        const world = await open();
        await world.join("codex:2");
        const { deliveries } = await world.send("claude:0", SLEEPER, "one", { wake: "auto" });
        expect(deliveries).toHaveLength(1);
        const { window } = await world.deps.store.readMailbox(OWNER, { kind: "live", limit: 10 });
        const seq = window.deliveries[0]?.seq as number;
        await world.changeBox(SLEEPER, (box) => ({ ...box, announcedSeq: seq }));
        const claim = await claimWake(world.deps, OWNER, seq);
        if (!isClaim(claim)) throw new Error("the claim was open");
        await endWake(world.deps, OWNER, claim, isWoken ? "fired" : "failed");
        world.remember(now, former);
        await world.join(now);
        const { window: merged } = await world.deps.store.readMailbox(asAgentId(now), { kind: "live", limit: 10 });
        expect(merged.deliveries).toMatchObject([{ seq }]);
        expect(merged.box).toMatchObject({ wakeWantedSeq: seq, announcedSeq: seq, wokenSeq: isWoken ? seq : 0 });
        const again = await claimWake(world.deps, asAgentId(now), seq);
        expect(isWoken ? again : isClaim(again)).toBe(isWoken ? "fired" : true);
      }
    });

    test("that a process is about to do under the former name is still that process's", async () => {
      const world = await open();
      await world.join("codex:2");
      await world.send("claude:0", SLEEPER, "one", { wake: "auto" });
      const { window } = await world.deps.store.readMailbox(OWNER, { kind: "live", limit: 10 });
      const claim = await claimWake(world.deps, OWNER, window.deliveries[0]?.seq as number);
      if (!isClaim(claim)) throw new Error("the claim was open");
      world.remember("codex:2", SLEEPER);
      await world.join("codex:2");
      expect(await claimWake(world.deps, asAgentId("codex:2"), claim.seq)).toBe("fired_unconfirmed");
      expect(await beginWake(world.deps, OWNER, claim)).toBe(true);
    });

    test("happens once for a batch that eight processes send at the same time", async ({ skip }) => {
      const backend = await openBackend();
      if (!backend.location) return skip("memory is within one process");
      const world = await MailWorld.open(async () => backend);
      await world.join(SLEEPER, ...SENDERS);
      const pushes = join(temporaryDirectory(), "pushes");
      const bundle = await bundleFixture("test/store-contract/fixtures/wake-sender.ts");
      onTestFinished(() => bundle.remove());
      const location = JSON.stringify(backend.location);
      const senders = SENDERS.map((sender) => {
        const running = startFixture(bundle, [location, world.roomId, sender, SLEEPER, pushes]);
        onTestFinished(() => void running.child.kill("SIGKILL"));
        return { ...running, heard: running.lines() };
      });
      for (const { heard } of senders) expect((await heard.next()).value).toEqual({ ready: true });
      for (const sender of senders) sender.send("now");
      const statuses = await Promise.all(senders.map(async ({ heard }) => (await heard.next()).value as unknown));
      expect(readFileSync(pushes, "utf8").trim().split("\n")).toHaveLength(1);
      for (const told of statuses) expect(told).toEqual({ status: expect.stringMatching(/^fired/) });
      expect(await world.read(SLEEPER)).toHaveLength(SENDERS.length);
    });
  });
}
