/**
 * A receiver in a process of its own: it opens a door, and is suspended, killed, interrupted or granted the stick before
 * or after an agent writes to it. What the sender is told is compared with what happens.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { asAgentId, asRoomId } from "../../../src/core/ids.ts";
import type { Deps } from "../../../src/engine/deps.ts";
import { lockHolders } from "../../../src/platform/process/lock-holders.ts";
import type { TalkingStick } from "../../../src/surfaces/library/talking-stick.ts";
import { type Bundle, type RunningFixture, startFixture } from "../../support/fixture.ts";
import type { SeededRandom } from "../../support/random.ts";
import { HANDOFF } from "../../support/room-world.ts";
import { accepted, actor, type Ground } from "../../support/sqlite-world.ts";
import type { Door, ToldOrder } from "../fixtures/told-agent.ts";

const BOB = asAgentId("agent:bob");
const LONG_MS = 60_000;
/** A message that is said to be seen now is taken within this. */
const NOW_MS = 1000;

export const DOORS: readonly Door[] = ["wait", "listen", "recv"];

/** What happens to the receiver; what happens before the send must be known to the sender. */
export const FATES = [
  "nothing",
  "its time ends",
  "it is suspended before",
  "it is suspended after",
  "it is interrupted after",
  "it is granted the stick after",
  "it is killed before",
  "it is killed after",
] as const;
export type Fate = (typeof FATES)[number];

interface Place {
  readonly deps: Deps;
  readonly ground: Ground;
  readonly bundle: Bundle;
  /** The sender, who holds the stick. */
  readonly ann: TalkingStick;
  readonly roomId: string;
  readonly random: SeededRandom;
}

export class ReceiverStory {
  readonly #place: Place;
  #running: RunningFixture;
  #lines: AsyncIterator<unknown>;
  /** Resolves when the door that was opened last is closed. */
  #closed: Promise<void> = Promise.resolve();

  private constructor(place: Place, running: RunningFixture) {
    this.#place = place;
    this.#running = running;
    this.#lines = running.lines();
  }

  /** Its process ends with the test at the latest. */
  static async begin(place: Place): Promise<ReceiverStory> {
    accepted(await actor(place.deps, BOB).joinPath({ contextPath: place.ground.tree }));
    const story = new ReceiverStory(place, start(place));
    onTestFinished(() => story.end());
    await story.#until("ready");
    return story;
  }

  async end(): Promise<void> {
    this.#running.child.kill("SIGKILL");
    await this.#running.ended;
  }

  /** One message to a receiver with an open door. */
  async send(door: Door, fate: Fate): Promise<void> {
    const isShort = fate === "its time ends";
    this.#open(door, isShort ? this.#place.random.between(1, 40) : LONG_MS);
    if (isShort) await this.#untilRegisteredOrClosed();
    else await this.#untilRegistered(door);
    await this.#happens(fate, "before");
    const { messageId, told } = await this.#send();
    await this.#happens(fate, "after");
    if (fate.endsWith("before")) expect(told, `${door}: ${fate}`).not.toBe("now");
    else if (!isShort) expect(told, `${door}: ${fate}`).toBe("now");
    const mustBeTaken = told === "now" && ["nothing", "its time ends", "it is granted the stick after"].includes(fate);
    if (mustBeTaken) expect(await this.#takenAfterMs(messageId), `${door}: ${fate}`).toBeLessThanOrEqual(NOW_MS);
    await this.#recover(fate);
    await this.#untilRead(messageId);
  }

  /** One message to a receiver that does nothing. */
  async sendToSilent(): Promise<void> {
    const { messageId, told } = await this.#send();
    expect(told).toBe("unknown");
    await this.#untilRead(messageId);
  }

  #open(door: Door, maxWaitMs: number): void {
    this.#order({ open: door, roomId: this.#place.roomId, maxWaitMs });
    this.#closed = this.#until("closed");
  }

  #order(order: ToldOrder): void {
    this.#running.send(order);
  }

  async #send() {
    const { ann, roomId } = this.#place;
    const { messageId, deliveries } = accepted(await ann.sendMessage({ roomId, to: BOB, body: "hello" }));
    return { messageId, told: deliveries[0]?.willBeSeen };
  }

  async #happens(fate: Fate, when: "before" | "after"): Promise<void> {
    if (!fate.endsWith(when)) return;
    const { child } = this.#running;
    if (fate.includes("suspended")) await this.#stop();
    if (fate.includes("interrupted")) this.#order({ cancel: true });
    if (fate.includes("killed")) {
      child.kill("SIGKILL");
      await this.#running.ended;
    }
    if (fate.includes("granted")) await this.#letItHaveTheStick();
  }

  /** Never in the middle of a transaction, which would keep everybody from writing. */
  async #stop(): Promise<void> {
    const { deps, ground } = this.#place;
    const { child, pid } = this.#running;
    const ref = deps.probe.find(pid);
    if (!ref) throw new Error("the receiver is gone");
    for (;;) {
      child.kill("SIGSTOP");
      while (!deps.probe.isSuspended(ref)) await nextTurn();
      if (!lockHolders(ground.database).includes(pid)) return;
      child.kill("SIGCONT");
      await nextTurn();
    }
  }

  /** Ann gives the stick away and gets it back. A receiver that has a place in the queue, also an old one, is next. */
  async #letItHaveTheStick(): Promise<void> {
    const { ann, roomId, deps } = this.#place;
    const held = accepted(await ann.waitForTurn({ roomId, maxWaitMs: 0 }));
    if (held.status !== "your_turn") throw new Error(`ann should hold the stick: ${held.status}`);
    const token = { roomId, leaseId: held.leaseId, expectedTurnId: held.turnId };
    accepted(await ann.releaseStick({ ...token, handoff: HANDOFF }));
    await this.#closed;
    while ((await deps.store.readRoom(asRoomId(roomId)))?.room.state.reservation?.agentId === BOB) {
      this.#open("wait", LONG_MS);
      await this.#closed;
    }
    const again = accepted(await ann.waitForTurn({ roomId, maxWaitMs: LONG_MS, wakeOnMessage: false }));
    expect(again.status).toBe("your_turn");
  }

  async #recover(fate: Fate): Promise<void> {
    if (fate.includes("suspended")) this.#running.child.kill("SIGCONT");
    if (!fate.includes("killed")) return;
    await this.#closed.catch(() => undefined);
    this.#running = start(this.#place);
    this.#lines = this.#running.lines();
    await this.#until("ready");
    this.#closed = Promise.resolve();
  }

  /** However it was told, the message comes; where no door is open, one is opened. */
  async #untilRead(messageId: string): Promise<void> {
    await this.#closed;
    while ((await this.#status(messageId)).state !== "acked") {
      this.#open("recv", LONG_MS);
      await this.#closed;
    }
  }

  async #takenAfterMs(messageId: string): Promise<number> {
    const since = performance.now();
    while (performance.now() - since < 10 * NOW_MS) {
      const { attempts, createdAt } = await this.#status(messageId);
      if (attempts[0]) return Date.parse(attempts[0].at) - Date.parse(createdAt);
      await nextTurn();
    }
    return Number.POSITIVE_INFINITY;
  }

  async #status(messageId: string) {
    const { deliveries, createdAt } = accepted(await this.#place.ann.messageStatus({ messageId }));
    const [delivery] = deliveries;
    if (!delivery) throw new Error(`${messageId} was delivered to nobody`);
    return { ...delivery, createdAt };
  }

  async #untilRegistered(door: Door): Promise<void> {
    while (!(await this.#isRegistered(door, LONG_MS / 2))) await nextTurn();
  }

  /** A short wait may be over before anybody has seen it. */
  async #untilRegisteredOrClosed(): Promise<void> {
    const look = async () => {
      await nextTurn();
      return (await this.#isRegistered("wait")) || (await this.#isRegistered("recv"));
    };
    const closed = this.#closed.then(() => "closed" as const);
    for (;;) if (await Promise.race([closed, look()])) return;
  }

  /** A wait that has ended leaves its place behind for a while, which counts no more. */
  async #isRegistered(door: Door, leastMs = 0): Promise<boolean> {
    const { deps, roomId } = this.#place;
    const { pid } = this.#running;
    if (door === "recv") {
      const { window } = await deps.store.readMailbox(BOB, { kind: "messages", ids: [] });
      return window.box.receivers.some(({ process }) => process.pid === pid);
    }
    const snapshot = await deps.store.readRoom(asRoomId(roomId));
    const wait = snapshot?.room.waits.get(BOB);
    if (!snapshot || wait?.caller?.pid !== pid) return false;
    return wait.deadline.ms - snapshot.room.policy.waitGraceMs > snapshot.moment.instant.ms + leastMs;
  }

  async #until(what: "ready" | "closed"): Promise<void> {
    const lines = this.#lines;
    for (;;) {
      const { done, value } = await lines.next();
      if (done) throw new Error(`it ended without "${what}": ${JSON.stringify(await this.#running.ended)}`);
      if (what in (value as object)) return;
    }
  }
}

function start({ bundle, ground }: Place): RunningFixture {
  return startFixture(bundle, [BOB], { env: { ...ground.env }, cwd: ground.tree });
}
