import { describe, expect, test } from "vitest";
import { asAgentId } from "../../src/domain/ids.ts";
import type { Waking } from "../../src/ports/wake.ts";
import { createTalkingStick } from "../../src/service/talking-stick.ts";
import { claimWake, endWake } from "../../src/service/wake/claim-wake.ts";
import { isClaim } from "../../src/service/wake/climb.ts";
import { processOf } from "../support/room-world.ts";
import { accepted } from "../support/service-world.ts";
import { MailWorld } from "./mail-world.ts";
import type { OpenBackend } from "./store-world.ts";

const SLEEPER = "codex:1";
const OWNER = asAgentId(SLEEPER);
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
      expect(claim).toEqual({ seq, before: 0, senders: ["claude:0"] });
      expect(await claimWake(world.deps, OWNER, seq)).toBe("fired_unconfirmed");
      if (!isClaim(claim)) return;
      await endWake(world.deps, OWNER, claim, "failed");
      const again = await claimWake(world.deps, OWNER, seq);
      expect(again).toEqual(claim);
      await endWake(world.deps, OWNER, claim, "fired");
      expect(await claimWake(world.deps, OWNER, seq)).toBe("fired");
      expect(await world.read(SLEEPER)).toEqual(["one"]);
      expect(await claimWake(world.deps, OWNER, seq)).toBe("read");
    });

    test("happens once for a batch that eight send at the same time", async () => {
      const world = await open();
      let pushes = 0;
      const waking: Waking = {
        mode: "auto",
        hasInbox: () => true,
        push: async () => {
          pushes += 1;
          return "fired";
        },
        obstacle: async () => "no_target",
        type: async () => "failed",
        note: () => undefined,
      };
      const send = async (sender: string) => {
        const caller = {
          agentId: asAgentId(sender),
          harness: "claude",
          isPerson: false,
          process: processOf(sender),
          sessionId: null,
          formerId: null,
          tmuxPane: null,
        };
        const stick = createTalkingStick({ ...world.deps, waking }, caller);
        const message = { roomId: world.roomId, to: SLEEPER, body: sender, wake: "auto" } as const;
        return accepted(await stick.sendMessage(message)).deliveries[0]?.wakeStatus;
      };
      for (let batch = 1; batch <= 3; batch += 1) {
        const statuses = await Promise.all(SENDERS.map(send));
        expect(pushes).toBe(batch);
        expect(statuses.filter((status) => status === "fired").length).toBeGreaterThan(0);
        expect(statuses.every((status) => status === "fired" || status === "fired_unconfirmed")).toBe(true);
        expect(await world.read(SLEEPER)).toHaveLength(SENDERS.length);
      }
    });
  });
}
