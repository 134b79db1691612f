/**
 * M5. One agent asks, another answers, and either may be killed or suspended in between. The ask ends once: its call
 * gives the reply, or says that the time is over and the reply comes by the ordinary door; never both, never neither.
 */
import { afterAll, beforeAll, expect } from "vitest";
import type { Deps } from "../../src/engine/deps.ts";
import type { Bundle } from "../support/fixture.ts";
import { MailProcess } from "../support/mail-process.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { accepted, actor, type Ground, groundAt, openWorld } from "../support/sqlite-world.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { figure, verifies } from "./verifies.ts";

const [ANN, BOB] = ["library:ann", "library:bob"];
const ROUNDS = figure(50, 2000);
const PATIENT_MS = 60_000;
const IMPATIENT_MS = 200;
/** On a quiet machine it is a few milliseconds; CI machines are not quiet. */
const LEARNS_WITHIN_MS = 250;

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleSqliteFixture("mail-agent");
});
afterAll(() => bundle.remove());

/** The two of them; one that was killed is replaced by a new process of the same agent. */
class Pair {
  readonly deps: Deps;
  readonly roomId: string;
  readonly latenciesMs: number[] = [];
  asker: MailProcess;
  answerer: MailProcess;
  readonly #ground: Ground;
  #questions = 0;

  private constructor(
    place: { deps: Deps; ground: Ground; roomId: string },
    asker: MailProcess,
    answerer: MailProcess,
  ) {
    this.deps = place.deps;
    this.roomId = place.roomId;
    this.#ground = place.ground;
    this.asker = asker;
    this.answerer = answerer;
  }

  static async open(): Promise<Pair> {
    const ground = groundAt(quickDirectory());
    const deps = await openWorld(ground);
    const { roomId } = accepted(await actor(deps, ANN).joinPath({ contextPath: ground.tree }));
    const agents = [
      await MailProcess.start(bundle, ANN, ground),
      await MailProcess.start(bundle, BOB, ground),
    ] as const;
    return new Pair({ deps, ground, roomId }, ...agents);
  }

  async replace(which: "asker" | "answerer"): Promise<void> {
    await this[which].kill();
    this[which] = await MailProcess.start(bundle, which === "asker" ? ANN : BOB, this.#ground);
  }

  /** Resolves when the answerer has the question. */
  async ask(timeoutMs: number): Promise<{ readonly messageId: string; readonly body: string }> {
    this.#questions += 1;
    const body = `question ${this.#questions}`;
    this.asker.order({ do: "ask", roomId: this.roomId, to: BOB, body, timeoutMs, confirms: true });
    const asked = await this.answerer.tell({ do: "hear" }, "asked");
    expect(asked.body).toBe(body);
    await this.answerer.hear("done");
    return asked;
  }

  reply({ messageId, body }: { readonly messageId: string; readonly body: string }): void {
    this.answerer.order({ do: "reply", roomId: this.roomId, messageId, body: `re ${body}` });
  }

  async expectAnswered({ body }: { readonly body: string }): Promise<void> {
    expect(await this.asker.hear("ended")).toMatchObject({ reply: `re ${body}`, timedOut: false });
    await this.asker.hear("done");
  }

  async expectTimedOut(): Promise<void> {
    expect(await this.asker.hear("ended")).toEqual({ reply: null, messageId: null, timedOut: true });
    await this.asker.hear("done");
  }

  /** The reply is in the ordinary mail. */
  async expectMail({ body }: { readonly body: string }): Promise<void> {
    const shown = await this.asker.tell({ do: "show", confirms: true }, "shown");
    expect(shown.body).toBe(`re ${body}`);
    await this.asker.hear("done");
  }

  /** Nobody waits, and every reply was read exactly once. */
  async expectSettled(): Promise<void> {
    const { window } = await this.deps.store.readMailbox(ANN as never, { kind: "messages", ids: [] });
    expect(window.box.counts).toEqual({ acked: this.#questions, pending: 0, in_flight: 0, dead_letter: 0, expired: 0 });
    expect(await this.deps.store.readWaitingAsks()).toEqual([]);
  }
}

const FATES: Readonly<Record<string, (pair: Pair) => Promise<void>>> = {
  async "nobody is hurt"(pair) {
    const question = await pair.ask(PATIENT_MS);
    pair.reply(question);
    const replying = await pair.answerer.until("replying");
    const ended = await pair.asker.until("ended");
    pair.latenciesMs.push(Number(BigInt(ended.at) - BigInt(replying.at)) / 1e6);
    expect(ended.ended?.reply).toBe(`re ${question.body}`);
    await pair.asker.hear("done");
    await pair.answerer.hear("done");
  },

  async "the asker is killed"(pair) {
    const question = await pair.ask(PATIENT_MS);
    await pair.replace("asker");
    pair.reply(question);
    await pair.answerer.hear("done");
    await pair.expectMail(question);
  },

  async "the asker is suspended while the reply comes"(pair) {
    const question = await pair.ask(PATIENT_MS);
    await pair.asker.stop();
    pair.reply(question);
    await pair.answerer.hear("done");
    pair.asker.signal("SIGCONT");
    await pair.expectAnswered(question);
  },

  async "the answerer is killed, and another one answers late"(pair) {
    const question = await pair.ask(IMPATIENT_MS);
    await pair.replace("answerer");
    await pair.expectTimedOut();
    pair.reply(question);
    await pair.answerer.hear("done");
    await pair.expectMail(question);
  },

  async "the answerer is suspended until it is too late"(pair) {
    const question = await pair.ask(IMPATIENT_MS);
    await pair.answerer.stop();
    pair.reply(question);
    await pair.expectTimedOut();
    pair.answerer.signal("SIGCONT");
    await pair.answerer.hear("done");
    await pair.expectMail(question);
  },
};

verifies("M5", `${ROUNDS} asks end once each, whichever process is killed or suspended`, async () => {
  const pair = await Pair.open();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const fate of Object.values(FATES).slice(round % 5, (round % 5) + 1)) await fate(pair);
    await pair.expectSettled();
  }
  const sorted = pair.latenciesMs.toSorted((a, b) => a - b);
  const medianMs = sorted[Math.floor(sorted.length / 2)] ?? Number.POSITIVE_INFINITY;
  console.log(`M5: from the call of the reply until the asker has it, median ${medianMs.toFixed(1)} ms`);
  expect(medianMs).toBeLessThan(LEARNS_WITHIN_MS);
  await pair.deps.store.close();
});
