/** The reason that is named is true, and no reason that counts more is left out. fast-check prints the seed of a failure. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AgentId, asAgentId, asEventId } from "../../../src/core/ids.ts";
import {
  type Fate,
  type Reason,
  reasonIn,
  type WaitEdge,
  type WaitGraph,
} from "../../../src/peers/rules/wait-graph.ts";

const [CLAUDE, CODEX, GEMINI, ME, YOU] = ["claude:1", "codex:1", "gemini:1", "human:me", "human:you"].map(
  asAgentId,
) as [...[AgentId, AgentId, AgentId, AgentId, AgentId]];
const AGENTS = [CLAUDE, CODEX, GEMINI];
const Q = asEventId("question");

const stick = (from: AgentId, to: AgentId): WaitEdge => ({ from, to, awaits: "stick" });
const ask = (from: AgentId, to: AgentId): WaitEdge => ({ from, to, awaits: "answer", messageId: Q });

function graph(
  given: Partial<Omit<WaitGraph, "fates">> & { readonly fates?: Readonly<Record<string, Fate>> },
): WaitGraph {
  const { fates = {}, ...rest } = given;
  return {
    fates: new Map([...AGENTS, ME, YOU].map((agent) => [agent, fates[agent] ?? "works"])),
    edges: [],
    leftQuestions: [],
    isClosed: false,
    holder: null,
    leaseHasExpired: false,
    reservedFor: null,
    queue: [],
    paused: null,
    ...rest,
  };
}

const PAUSED = { by: ME, since: "2026-01-01T00:00:00.000Z", reason: "lunch" };
const HELD = { holder: CLAUDE, queue: [CODEX], edges: [stick(CODEX, CLAUDE)] };

describe("why nobody moves", () => {
  it.each<[string, WaitGraph, Reason]>([
    ["a closed room", graph({ ...HELD, isClosed: true }), { kind: "closed" }],
    [
      "an agent that asks a person",
      graph({ ...HELD, edges: [...HELD.edges, ask(CLAUDE, ME)] }),
      { kind: "question", asker: CLAUDE, person: ME, messageId: Q, others: 0 },
    ],
    [
      "questions to two persons: the reader's own comes first",
      graph({ edges: [ask(CODEX, YOU), ask(CLAUDE, ME)] }),
      { kind: "question", asker: CLAUDE, person: ME, messageId: Q, others: 1 },
    ],
    [
      "a prompt of a harness",
      graph({ ...HELD, edges: [...HELD.edges, { from: CLAUDE, to: null, awaits: "permission" }] }),
      { kind: "permission", agent: CLAUDE, others: 0 },
    ],
    [
      "a holder that asks a waiter",
      graph({ ...HELD, edges: [...HELD.edges, ask(CLAUDE, CODEX)] }),
      { kind: "circle", edges: [ask(CLAUDE, CODEX), stick(CODEX, CLAUDE)] },
    ],
    [
      "a dead holder",
      graph({ ...HELD, fates: { [CLAUDE]: "gone" } }),
      { kind: "holder_gone", holder: CLAUDE, waiting: [CODEX] },
    ],
    [
      "a stick that is reserved for the dead",
      graph({ reservedFor: CLAUDE, queue: [CODEX], fates: { [CLAUDE]: "gone" } }),
      { kind: "reserved_gone", agent: CLAUDE, waiting: [CODEX] },
    ],
    [
      "a question to the dead",
      graph({ edges: [ask(CODEX, GEMINI)], fates: { [GEMINI]: "gone" } }),
      { kind: "asked_gone", asker: CODEX, asked: GEMINI },
    ],
    ["a pause", graph({ ...HELD, paused: PAUSED }), { kind: "paused", ...PAUSED }],
    [
      "a holder without a sign of life",
      graph({ ...HELD, leaseHasExpired: true }),
      { kind: "lease_expired", holder: CLAUDE, waiting: [CODEX] },
    ],
    [
      "a holder on a silent machine, whose lease has expired, too",
      graph({ ...HELD, leaseHasExpired: true, fates: { [CLAUDE]: "silent" } }),
      { kind: "holder_silent", holder: CLAUDE, waiting: [CODEX] },
    ],
    [
      "a question to an agent on a silent machine",
      graph({ ...HELD, edges: [...HELD.edges, ask(CLAUDE, GEMINI)], fates: { [GEMINI]: "silent" } }),
      { kind: "asked_silent", asker: CLAUDE, asked: GEMINI },
    ],
    [
      "a holder that does nothing",
      graph({ ...HELD, fates: { [CLAUDE]: "idle" } }),
      { kind: "holder_idle", holder: CLAUDE, waiting: [CODEX] },
    ],
    [
      "a question to an agent that does nothing",
      graph({ ...HELD, edges: [...HELD.edges, ask(CLAUDE, GEMINI)], fates: { [GEMINI]: "idle" } }),
      { kind: "asked_idle", asker: CLAUDE, asked: GEMINI, messageId: Q },
    ],
    [
      "a question that its asker gave up",
      graph({ ...HELD, leftQuestions: [{ asker: CODEX, person: ME, messageId: Q }] }),
      { kind: "unanswered", asker: CODEX, person: ME, messageId: Q },
    ],
    [
      "a reservation that is not taken yet",
      graph({ reservedFor: CLAUDE, queue: [CLAUDE, CODEX] }),
      { kind: "reserved", agent: CLAUDE, waiting: [CODEX] },
    ],
    ["a holder at work", graph(HELD), { kind: "held", holder: CLAUDE, waiting: [CODEX], asked: null }],
    [
      "a holder that does nothing, and nobody waits",
      graph({ holder: CLAUDE, fates: { [CLAUDE]: "idle" } }),
      { kind: "held", holder: CLAUDE, waiting: [], asked: null },
    ],
    [
      "a holder that awaits an answer from one at work",
      graph({ ...HELD, edges: [...HELD.edges, ask(CLAUDE, GEMINI)] }),
      { kind: "held", holder: CLAUDE, waiting: [CODEX], asked: GEMINI },
    ],
    ["a free stick", graph({}), { kind: "free", waiting: [] }],
  ])("is told of %s", (_, waits, reason) => {
    expect(reasonIn(waits, ME)).toEqual(reason);
  });
});

const anyGraph: fc.Arbitrary<WaitGraph> = fc
  .record({
    fates: fc.array(fc.constantFrom<Fate>("works", "idle", "unknown", "gone", "silent"), {
      minLength: 5,
      maxLength: 5,
    }),
    has: fc.constantFrom("holder", "reserved", "nothing"),
    owner: fc.constantFrom(CLAUDE, CODEX, GEMINI, ME),
    waiters: fc.uniqueArray(fc.constantFrom(CLAUDE, CODEX, GEMINI, ME)),
    asks: fc.uniqueArray(fc.tuple(fc.constantFrom(...AGENTS), fc.constantFrom(...AGENTS, ME, YOU)), {
      maxLength: 3,
      selector: ([from]) => from,
    }),
    prompted: fc.uniqueArray(fc.constantFrom(...AGENTS), { maxLength: 1 }),
    leaseHasExpired: fc.boolean(),
    isPaused: fc.boolean(),
    isClosed: fc.boolean(),
    // Persons and prompts would hide most of the other reasons.
    isCalm: fc.boolean(),
    left: fc.uniqueArray(fc.constantFrom(...AGENTS), { maxLength: 1 }),
  })
  .map(({ fates, has, owner, waiters, asks, prompted, isPaused, isCalm, left, ...rest }) => {
    const queue = waiters.filter((agent) => has === "nothing" || agent !== owner);
    const isAsked = (to: AgentId) => !isCalm || AGENTS.includes(to);
    const awaits = has === "holder" ? "stick" : "reservation";
    return {
      ...rest,
      fates: new Map([...AGENTS, ME, YOU].map((agent, index) => [agent, fates[index] ?? "works"])),
      holder: has === "holder" ? owner : null,
      reservedFor: has === "reserved" ? owner : null,
      queue,
      paused: isPaused ? PAUSED : null,
      leftQuestions: left.map((asker) => ({ asker, person: ME, messageId: Q })),
      edges: [
        ...asks.filter(([from, to]) => from !== to && isAsked(to)).map(([from, to]) => ask(from, to)),
        ...(isCalm ? [] : prompted.map((from): WaitEdge => ({ from, to: null, awaits: "permission" }))),
        ...(has === "nothing" ? [] : queue.map((from): WaitEdge => ({ from, to: owner, awaits }))),
      ],
    };
  });

/** Which agent leads to which along any number of edges. */
function reaches(edges: readonly WaitEdge[]): ReadonlySet<string> {
  const pairs = new Set(edges.flatMap(({ from, to }) => (to === null ? [] : [`${from}>${to}`])));
  for (let before = -1; before !== pairs.size; ) {
    before = pairs.size;
    const known = [...pairs].map((pair) => pair.split(">"));
    for (const [a, b] of known) for (const [c, d] of known) if (b === c) pairs.add(`${a}>${d}`);
  }
  return pairs;
}

const isHuman = (agent: AgentId | null) => agent === ME || agent === YOU;

/** For each reason, whether it holds in the graph, found without the code under test. In the order of the reasons. */
function truths(g: WaitGraph): Readonly<Record<Reason["kind"], boolean>> {
  const answers = g.edges.filter(({ awaits }) => awaits === "answer");
  const fate = (agent: AgentId | null) => (agent === null ? null : g.fates.get(agent));
  const holderAsks = answers.some(({ from }) => from === g.holder);
  return {
    closed: g.isClosed,
    question: answers.some(({ to }) => isHuman(to)),
    permission: g.edges.some(({ awaits }) => awaits === "permission"),
    circle: [...reaches(g.edges)].some((pair) => pair.split(">")[0] === pair.split(">")[1]),
    holder_gone: fate(g.holder) === "gone",
    reserved_gone: fate(g.reservedFor) === "gone",
    asked_gone: answers.some(({ to }) => fate(to) === "gone"),
    paused: g.paused !== null,
    holder_silent: fate(g.holder) === "silent",
    lease_expired: g.holder !== null && g.leaseHasExpired,
    asked_silent: answers.some(({ to }) => fate(to) === "silent"),
    holder_idle: fate(g.holder) === "idle" && !holderAsks && g.queue.length > 0,
    asked_idle: answers.some(({ to }) => fate(to) === "idle"),
    unanswered: g.leftQuestions.length > 0,
    reserved: g.reservedFor !== null,
    held: g.holder !== null,
    free: g.holder === null && g.reservedFor === null,
  };
}

const isNeed = (kind: Reason["kind"]) => kind === "question" || kind === "permission";

/** Whether what the reason says about agents is so. */
function isTrueOf(g: WaitGraph, reason: Reason): boolean {
  const has = (from: AgentId, to: AgentId | null) => g.edges.some((edge) => edge.from === from && edge.to === to);
  switch (reason.kind) {
    case "question":
      return has(reason.asker, reason.person) && isHuman(reason.person);
    case "permission":
      return has(reason.agent, null);
    case "circle": {
      const { edges } = reason;
      const next = (index: number) => edges[(index + 1) % edges.length];
      return edges.every((edge, index) => g.edges.includes(edge) && edge.to === next(index)?.from);
    }
    case "asked_gone":
    case "asked_silent":
    case "asked_idle":
      return has(reason.asker, reason.asked) && g.fates.get(reason.asked) === reason.kind.slice("asked_".length);
    case "holder_gone":
    case "holder_silent":
    case "lease_expired":
    case "holder_idle":
      return reason.holder === g.holder && reason.waiting.every((waiter) => has(waiter, reason.holder));
    case "reserved_gone":
    case "reserved":
      return reason.agent === g.reservedFor && reason.waiting.every((waiter) => has(waiter, reason.agent));
    case "held":
      return reason.holder === g.holder && (reason.asked === null || has(reason.holder, reason.asked));
    case "unanswered":
      return g.leftQuestions.some(({ asker }) => asker === reason.asker);
    case "closed":
    case "paused":
    case "free":
      return true;
  }
}

describe("in any graph", () => {
  it("the reason holds, and none that counts more does", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(anyGraph, fc.constantFrom(ME, CLAUDE, null), (g, reader) => {
        const reason = reasonIn(g, reader);
        seen.add(reason.kind);
        const all = truths(g);
        const kinds = Object.keys(all) as readonly Reason["kind"][];
        expect(all[reason.kind]).toBe(true);
        expect(isTrueOf(g, reason)).toBe(true);
        // The two needs of a person count the same.
        const before = kinds
          .slice(0, kinds.indexOf(reason.kind))
          .filter((kind) => !isNeed(kind) || !isNeed(reason.kind));
        expect(before.filter((kind) => all[kind])).toEqual([]);
      }),
      { numRuns: 3000 },
    );
    expect([...seen].toSorted()).toEqual(Object.keys(truths(graph({}))).toSorted());
  });
});
