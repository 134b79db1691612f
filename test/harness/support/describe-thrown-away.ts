/** Mail that a hook showed and a harness threw away comes again, at every moment at which its user may stop it. */
import { describe, expect } from "vitest";
import { verifies } from "../../promises/verifies.ts";
import type { Driver } from "./drivers/driver.ts";
import { HarnessInTerminal } from "./harness-in-terminal.ts";
import { harnessWorlds } from "./harness-worlds.ts";
import { isInstalled } from "./installed.ts";
import { Peer } from "./peer.ts";
import { setUp } from "./set-up.ts";
import { Terminal } from "./terminal.ts";
import { InterruptedSession, type Letter } from "./thrown-away.ts";

/**
 * After every moment with a letter comes another turn; then the letter is acknowledged and in what the model reads. A session
 * that was stopped is idle at once.
 */
const MOMENTS: Readonly<Record<string, (session: InterruptedSession) => Promise<void>>> = {
  async "Esc during a tool, while no mail waits"(session) {
    const { step, begun } = session.hold("quiet");
    await session.begin(step);
    await begun.isThere();
    expect(await session.peer.isSeen(session.harness.driver.name, "busy")).toBe(true);
    await session.stop();
    await session.isIdleSoon();
  },

  async "Esc before the first answer"(session) {
    const letter = await session.send();
    await session.begin({ text: "Never said.", waitFor: session.mark("never").path });
    await session.isTold(letter);
    await session.stop();
    await session.isIdleSoon();
    expect(await session.outcomes(letter)).not.toContain("acked");
    await session.goesOn(letter);
    expect(await session.outcomes(letter)).toEqual(["given_back", "acked"]);
  },

  async "Esc during a tool, after the mail came between two tools"(session) {
    const [first, second] = [session.hold("first"), session.hold("second")];
    await session.begin(first.step, second.step);
    await first.begun.isThere();
    const letter = await session.send();
    first.go.set();
    await second.begun.isThere();
    await session.stop();
    await session.isIdleSoon();
    await session.goesOn(letter);
  },

  async "Esc during two tools of one answer"(session) {
    const [first, second] = [session.hold("first"), session.hold("second")];
    const sent = session.mark("sent");
    await session.begin({ ...first.step, also: second.step, waitFor: sent.path });
    const letter = await session.send();
    sent.set();
    await first.begun.isThere();
    await session.stop();
    await session.isIdleSoon();
    await session.goesOn(letter);
  },

  async "a tool that its user rejects"(session) {
    const { step, question } = session.harness.driver.inTerminal.asks;
    const sent = session.mark("sent");
    await session.begin({ ...step, waitFor: sent.path });
    const letter = await session.send();
    sent.set();
    await session.shows(question);
    await session.reject();
    await session.isIdleSoon();
    await session.goesOn(letter);
  },

  async "a request that fails"(session) {
    const letter = await session.send();
    await session.begin({ fails: session.harness.driver.inTerminal.failsAt });
    await session.harness.whenReady();
    expect(await session.outcomes(letter)).not.toContain("acked");
    await session.goesOn(letter);
  },

  async "text that is typed while it is busy"(session) {
    const letter = await session.send();
    const { step, begun, go } = session.hold("busy");
    await session.begin(step);
    await begun.isThere();
    await session.type("and be quick about it");
    go.set();
    await session.harness.whenReady();
    await session.goesOn(letter);
    expect(await session.outcomes(letter)).toEqual(["acked"]);
    expect(session.timesToldLast(letter)).toBe(1);
  },

  async "Esc after it was shown at the end of a turn"(session) {
    const letter = await shownAtTheEnd(session);
    await session.stop();
    await session.isIdleSoon();
    await session.goesOn(letter);
  },

  async "the same, and then a summary in place of the conversation"(session) {
    const letter = await shownAtTheEnd(session);
    await session.stop();
    await session.compact();
    expect(await session.outcomes(letter)).not.toContain("acked");
    await session.goesOn(letter);
  },
};

/** The turn goes on for the letter, and its model is asked to answer it. */
async function shownAtTheEnd(session: InterruptedSession): Promise<Letter> {
  const [go, never] = [session.mark("go"), session.mark("never")];
  const held = { words: session.nextBody, file: never.path };
  await session.begin({ text: "Thought.", waitFor: go.path, waitOnceTold: held });
  const letter = await session.send();
  go.set();
  await session.isTold(letter);
  return letter;
}

export function describeThrownAway(driver: Driver): void {
  describe.skipIf(!isInstalled(driver.name))(driver.name, () => {
    const newWorld = harnessWorlds();
    verifies("M6", `${driver.name} at every moment`, async () => {
      const world = newWorld();
      setUp(world, driver);
      const peer = new Peer(world);
      await peer.tt("join");
      const terminal = await Terminal.start(world);
      const harness = await HarnessInTerminal.startAsking(world, terminal, driver);
      world.script({ hello: [driver.shell("true")] });
      await harness.run("hello");
      await peer.sees(driver.name, "idle");
      const session = new InterruptedSession(world, harness, peer);
      for (const [moment, run] of Object.entries(MOMENTS)) {
        await run(session).catch((error: unknown) => {
          throw new Error(`${moment}: ${String(error)}\n${harness.window.screen}`, { cause: error });
        });
      }
    });
  });
}
