/** A model that does what `not_yet` advises is never taken for one that runs in circles. */
import { describe, expect, it } from "vitest";
import { gemini } from "./support/drivers/gemini.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled } from "./support/installed.ts";
import { Peer } from "./support/peer.ts";
import { answerIn } from "./support/script.ts";
import { setUp } from "./support/set-up.ts";

const newWorld = harnessWorlds();
/** Gemini CLI stops a model at the fifth equal call. */
const TIMES = 7;

describe.skipIf(!isInstalled("gemini"))("gemini", () => {
  it("goes on when its model waits for its turn again and again", async () => {
    const world = newWorld();
    setUp(world, gemini);
    const peer = new Peer(world);
    await peer.tt("try");
    const wait = gemini.ours("wait_for_turn", { max_wait_ms: 10, attempt: "$attempt" });
    world.script({ waits: Array.from({ length: TIMES }, () => wait) });
    await gemini.prompt(world, "<<script waits>>");
    const answers = world.answers("gemini", "waits").map(answerIn);
    expect(answers).toMatchObject(Array.from({ length: TIMES }, () => ({ status: "not_yet" })));
    expect(world.isTold("gemini", "Potential loop detected")).toBe(false);
  });
});
