/** The command that the picture offers, once it is run, changes what the picture shows. fast-check prints the seed of a failure. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { OperationName } from "../../src/core/operation-names.ts";
import type { WayStep } from "../../src/peers/rules/way-on.ts";
import { accepted } from "../support/service-world.ts";
import { ME, PictureWorld } from "./picture-world.ts";

const AGENTS = ["claude:1", "codex:1", "gemini:1"];
const HANDOFF = { status: "done", nextAction: "go on" };

const DEEDS = [
  ...(["take", "take", "wait", "wait", "ask", "ask", "ask_person", "read"] as const),
  ...(["die", "pause", "expire", "idle", "release", "pass", "give", "close"] as const),
] as const;
type Deed = (typeof DEEDS)[number];
type Done = readonly [deed: Deed, agent: string, other: string];

class StuckWorld extends PictureWorld {
  readonly #ends: (() => Promise<unknown>)[] = [];
  readonly #engaged = new Set<string>();

  isAlive(agent: string): boolean {
    return !this.gone.has(agent);
  }

  async does(deed: Deed, agent: string, other: string): Promise<void> {
    const { now } = await this.picture();
    const stick = this.as(agent);
    const { roomId } = this;
    const isFree = this.isAlive(agent) && !this.#engaged.has(agent);
    const holds = now.holder?.agentId === agent;
    if (deed === "die") {
      this.gone.add(agent);
      this.nowMs += 20_000;
    }
    if (deed === "pause") await this.as(ME, { person: true }).pauseRoom({ roomId });
    if (deed === "read") await this.#reads(agent);
    if (deed === "give")
      await this.as(ME, { person: true }).giveStick({ roomId, toAgentId: other, operatorRequested: true });
    if (deed === "close") await this.as(ME, { person: true }).closeRoom({ roomId });
    if (deed === "expire") this.nowMs += this.deps.policy.leaseTtlMs;
    if (!isFree || now.state === "closed") return;
    if (deed === "idle") accepted(await stick.reportActivity({ contextPath: this.path, activity: "idle" }));
    if (deed === "take") await stick.waitForTurn({ roomId, maxWaitMs: 0 });
    const isTaken = now.state === "owned" || (now.reservation !== null && now.reservation.agentId !== agent);
    if (deed === "wait" && isTaken && !holds) {
      this.#engaged.add(agent);
      this.#ends.push(await this.waits(agent));
    }
    if (deed === "ask" || deed === "ask_person") await this.#asks(agent, deed === "ask" ? other : ME);
    if (holds && (deed === "release" || deed === "pass")) {
      const { turnId: expectedTurnId, leaseId } = await this.taken(agent);
      const hand = { roomId, expectedTurnId, leaseId, handoff: HANDOFF };
      await (deed === "release" ? stick.releaseStick(hand) : stick.passStick({ ...hand, toAgentId: other }));
    }
  }

  async #asks(agent: string, to: string): Promise<void> {
    if (agent === to) return;
    const over = new AbortController();
    const { roomId } = this;
    const input = { roomId, to, body: "how?", timeoutMs: 300_000, signal: over.signal };
    let asking = Promise.resolve<unknown>(null);
    const sent = new Promise<boolean>((resolve) => {
      asking = this.as(agent).askPeer({ ...input, onSent: () => resolve(true) });
    });
    if (await Promise.race([sent, asking.then(() => false)])) this.#engaged.add(agent);
    this.#ends.push(async () => {
      over.abort();
      await asking;
    });
  }

  /** The agent and the person read their mail. */
  async #reads(agent: string): Promise<void> {
    for (const reader of [this.as(agent), this.as(ME, { person: true })]) {
      await accepted(await reader.takeMessages({})).confirm();
    }
  }

  /** Runs the step, and fails if it is refused. */
  async runs(step: WayStep, reader: string): Promise<void> {
    const stick = this.as(reader, { person: reader === ME });
    const { roomId } = this;
    const given = (field: string) => String(step.with?.[field]);
    const operations: Readonly<Record<WayStep["do"], () => Promise<object>>> = {
      read_my_messages: async () => {
        const mail = accepted(await stick.takeMessages({}));
        await mail.confirm();
        return mail;
      },
      release_stick: async () => {
        const { turnId: expectedTurnId, leaseId } = await this.taken(reader);
        return stick.releaseStick({ roomId, expectedTurnId, leaseId, handoff: HANDOFF });
      },
      takeover_stick: () =>
        stick.takeoverStick({
          roomId,
          expectedTurnId: Number(given("expected_turn_id")),
          reason: "it does not answer",
        }),
      join_path: () => stick.joinPath({ contextPath: this.path }),
      wait_for_turn: () => stick.waitForTurn({ roomId, maxWaitMs: 0 }),
      request_stick: () => stick.requestStick({ roomId, why: given("why") }),
      send_message: () => stick.sendMessage({ roomId, to: given("to"), body: given("body") }),
      reply_to_message: () => stick.replyToMessage({ roomId, messageId: given("message_id"), body: "so" }),
      give_stick: () => stick.giveStick({ roomId, toAgentId: given("to_agent_id") }),
      resume_room: () => stick.resumeRoom({ roomId }),
    };
    accepted(await operations[step.do]());
  }

  /** What the reader sees, without times. */
  async shown(reader: string): Promise<string> {
    const { now, agents, folded, why, talk } = await this.picture(reader);
    return JSON.stringify({ now, agents: agents.map((row) => ({ ...row, lastSeenAt: null })), folded, why, talk });
  }

  async end(): Promise<void> {
    await Promise.all(this.#ends.map((end) => end()));
  }
}

const [CLAUDE, CODEX, GEMINI] = AGENTS as [string, string, string];
const deed = fc.tuple(fc.constantFrom(...DEEDS), fc.constantFrom(...AGENTS), fc.constantFrom(...AGENTS));
const deeds: fc.Arbitrary<readonly Done[]> = fc.array(deed, { minLength: 2, maxLength: 9 });
const CIRCLE: readonly Done[] = [
  ["take", CLAUDE, CODEX],
  ["wait", CODEX, CLAUDE],
  ["ask", CLAUDE, CODEX],
];

/** Each offers another command. */
const EXAMPLES: readonly (readonly [done: readonly Done[], reader: string, command: OperationName])[] = [
  [[], ME, "wait_for_turn"],
  [[["close", CLAUDE, CODEX]], ME, "join_path"],
  [CIRCLE, ME, "request_stick"],
  [CIRCLE, CLAUDE, "release_stick"],
  [[...CIRCLE, ["die", CLAUDE, CODEX]], ME, "takeover_stick"],
  [[...CIRCLE, ["read", CODEX, CODEX]], CODEX, "reply_to_message"],
  [[["ask_person", CLAUDE, CODEX]], ME, "read_my_messages"],
  [
    [
      ["ask_person", CLAUDE, CODEX],
      ["read", CODEX, CODEX],
    ],
    ME,
    "reply_to_message",
  ],
  [
    [
      ["take", CLAUDE, CODEX],
      ["die", CLAUDE, CODEX],
    ],
    GEMINI,
    "takeover_stick",
  ],
  [
    [
      ["ask", CLAUDE, CODEX],
      ["die", CODEX, CODEX],
    ],
    ME,
    "send_message",
  ],
  [[["pause", CLAUDE, CODEX]], ME, "resume_room"],
  [
    [
      ["give", CLAUDE, CODEX],
      ["wait", GEMINI, CODEX],
    ],
    ME,
    "give_stick",
  ],
  [
    [
      ["give", CLAUDE, CODEX],
      ["die", CODEX, CODEX],
    ],
    CLAUDE,
    "wait_for_turn",
  ],
];

/** What the picture offers to the reader after these deeds; it is run. */
async function offeredAfter(done: readonly Done[], reader: string): Promise<string | null> {
  const world = new StuckWorld();
  await world.joined(...AGENTS, ME);
  try {
    for (const [what, agent, other] of done) await world.does(what, agent, other);
    const { why } = await world.picture(reader);
    if (!world.isAlive(reader) || why.step === null) return null;
    const before = await world.shown(reader);
    await world.runs(why.step, reader);
    expect(await world.shown(reader)).not.toBe(before);
    return why.step.do;
  } finally {
    await world.end();
  }
}

it.each(EXAMPLES)("after %j, %s is offered %s", async (done, reader, command) => {
  expect(await offeredAfter(done, reader)).toBe(command);
});

it("in a pause, an agent is not offered a stick that is reserved for it", async () => {
  const done: readonly Done[] = [
    ["pause", CODEX, CODEX],
    ["give", GEMINI, CLAUDE],
    ["ask", CLAUDE, CODEX],
    ["wait", CODEX, GEMINI],
  ];
  expect(await offeredAfter(done, CLAUDE)).toBeNull();
});

it("a command that is offered is not refused, and changes what the picture shows", async () => {
  const offered = fc.asyncProperty(deeds, fc.constantFrom(ME, ME, ...AGENTS), async (done, reader) => {
    await offeredAfter(done, reader);
  });
  await fc.assert(offered, { numRuns: 150, endOnFailure: true });
}, 120_000);
