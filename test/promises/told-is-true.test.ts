/**
 * M7. Stories of recipients that wait, listen, work and sleep, and are interrupted, suspended, granted the stick, ended
 * and killed, before and after a message is sent to them. After each send, what its sender was told is compared with what
 * happens.
 */
import { afterAll, beforeAll, onTestFailed, onTestFinished } from "vitest";
import type { Bundle } from "../support/fixture.ts";
import { SeededRandom } from "../support/random.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { accepted, actor, groundAt, openWorld } from "../support/sqlite-world.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { ClaudeSession } from "./told/claude-session.ts";
import { DOORS, FATES, ReceiverStory } from "./told/receivers.ts";
import { sendToSession } from "./told/session-story.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

const TO_RECEIVERS = figure(220, 15_000);
const TO_SESSIONS = figure(80, 5000);
/** What was in flight in a process that was killed comes again soon. */
const SETTINGS = { TT_INFLIGHT_TIMEOUT_MS: "200", TT_BASE_BACKOFF_MS: "0", TT_MAX_RETRIES: "20" };
/** A new process takes a while to start. */
const KILLS = 0.05;

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleSqliteFixture("told-agent");
});
afterAll(() => bundle.remove());

async function openPlace() {
  const seed = freshSeed();
  onTestFailed(() => console.error(`M7 failed with seed ${seed}: repeat it with TT_SEED=${seed}`));
  const random = new SeededRandom(seed);
  const ground = groundAt(quickDirectory(), SETTINGS);
  const deps = await openWorld(ground);
  const ann = actor(deps, "library:ann", { process: deps.probe.self() });
  const { roomId } = accepted(await ann.joinPath({ contextPath: ground.tree }));
  accepted(await ann.waitForTurn({ roomId, maxWaitMs: 0 }));
  return { deps, ground, bundle, ann, roomId, random };
}

verifies(
  "M7",
  `${TO_RECEIVERS} messages to one that waits, listens and receives, and is suspended, killed and interrupted`,
  async () => {
    const place = await openPlace();
    const { random } = place;
    const story = await ReceiverStory.begin(place);
    const gentle = FATES.filter((fate) => !fate.includes("killed"));
    const deadly = FATES.filter((fate) => fate.includes("killed"));
    await story.sendToSilent();
    for (let sent = 1; sent < TO_RECEIVERS; sent += 1) {
      if (random.chance(0.05)) await story.sendToSilent();
      else await story.send(random.pick(DOORS), random.pick(random.chance(KILLS) ? deadly : gentle));
    }
    await place.deps.store.close();
  },
);

verifies(
  "M7",
  `${TO_SESSIONS} messages to a session with hooks and an inbox, at work, asleep, interrupted, woken, ended and killed`,
  async () => {
    const { deps, ground, ann, roomId, random } = await openPlace();
    const session = new ClaudeSession(deps, ground);
    onTestFinished(() => session.end());
    await session.begin();
    const place = { ann, roomId, tree: ground.tree, session, random };
    for (let sent = 0; sent < TO_SESSIONS; sent += 1) await sendToSession(place, sent);
    await deps.store.close();
  },
);
