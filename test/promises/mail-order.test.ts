/**
 * M3. Eight senders write to two receivers; everybody is killed now and then, and receivers give back one message in
 * ten. Each receiver must see each sender's messages in their order: the same one again, or the next one.
 */
import { afterAll, beforeAll, expect } from "vitest";
import type { Bundle } from "../support/fixture.ts";
import { MailProcess } from "../support/mail-process.ts";
import { SeededRandom } from "../support/random.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { accepted, actor, type Ground, groundAt, openWorld } from "../support/sqlite-world.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

const SENDERS = Array.from({ length: 8 }, (_, index) => `library:sender-${index}`);
const RECEIVERS = ["library:receiver-a", "library:receiver-b"];
const EACH = Math.ceil(figure(5000, 50_000) / (SENDERS.length * RECEIVERS.length));
const SETTINGS = { TT_INFLIGHT_TIMEOUT_MS: "1000", TT_BASE_BACKOFF_MS: "5", TT_MAX_RETRIES: "20" };
const LIVES = 4;

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleSqliteFixture("mail-agent");
});
afterAll(() => bundle.remove());

/** Sends everything in two lives; the second repeats what the first may have sent. */
async function sendAll(agentId: string, ground: Ground, roomId: string, random: SeededRandom): Promise<void> {
  const order = { do: "send", roomId, to: RECEIVERS, count: EACH } as const;
  const first = await MailProcess.start(bundle, agentId, ground);
  first.order(order);
  const dies = random.between(1, EACH);
  for (let line = await first.next(); line && (line.sent ?? 0) < dies; line = await first.next());
  await first.kill();
  const second = await MailProcess.start(bundle, agentId, ground);
  await second.tell(order, "done");
  await second.kill();
}

/** What one receiver was shown of each sender, over all its lives. */
class Seen {
  readonly #last = new Map<string, number>();
  readonly #finished = new Set<string>();
  shown = 0;

  show(from: string, number: number): void {
    const last = this.#last.get(from) ?? 0;
    if (number !== last && number !== last + 1) throw new Error(`${from}: ${number} came after ${last}`);
    this.#last.set(from, number);
    this.shown += 1;
  }

  ack(from: string, number: number): void {
    if (number === EACH) this.#finished.add(from);
  }

  get complete(): boolean {
    return this.#finished.size === SENDERS.length;
  }

  get total(): number {
    return [...this.#last.values()].reduce((sum, last) => sum + last, 0);
  }
}

async function receiveAll(agentId: string, ground: Ground, seed: number): Promise<Seen> {
  const seen = new Seen();
  for (let life = 1; !seen.complete; life += 1) {
    const agent = await MailProcess.start(bundle, agentId, ground);
    agent.order({ do: "consume", seed: seed + life });
    // The last life is long enough for the rest.
    const dies = life < LIVES ? seen.shown + (EACH * SENDERS.length) / (LIVES + 1) : Number.POSITIVE_INFINITY;
    for (let line = await agent.next(); line; line = await agent.next()) {
      if (line.shown) seen.show(line.shown.from, Number(line.shown.body));
      if (line.acked !== undefined) seen.ack(String(line.from), Number(line.acked));
      // What it has printed before it died still counts, so the lines are read to their end.
      if (seen.shown >= dies || seen.complete) agent.signal("SIGKILL");
    }
  }
  return seen;
}

verifies(
  "M3",
  `${EACH * SENDERS.length * RECEIVERS.length} messages between ${SENDERS.length} senders and ${RECEIVERS.length} receivers`,
  async () => {
    const seed = freshSeed();
    console.log(`M3 seed ${seed}`);
    const ground = groundAt(quickDirectory(), SETTINGS);
    const deps = await openWorld(ground);
    const { roomId } = accepted(await actor(deps, "library:watch").joinPath({ contextPath: ground.tree }));
    for (const receiver of RECEIVERS) accepted(await actor(deps, receiver).joinPath({ contextPath: ground.tree }));
    const [, ...seen] = await Promise.all([
      Promise.all(SENDERS.map((id, index) => sendAll(id, ground, roomId, new SeededRandom(seed + index)))),
      ...RECEIVERS.map((id, index) => receiveAll(id, ground, seed + index * 100)),
    ]);
    expect(seen.map(({ total }) => total)).toEqual(RECEIVERS.map(() => EACH * SENDERS.length));
    for (const receiver of RECEIVERS) {
      const { window } = await deps.store.readMailbox(receiver as never, { kind: "messages", ids: [] });
      expect(window.box.counts).toEqual({
        acked: EACH * SENDERS.length,
        pending: 0,
        in_flight: 0,
        dead_letter: 0,
        expired: 0,
      });
    }
    await deps.store.close();
  },
);
