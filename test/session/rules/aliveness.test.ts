/** Given what is known about a session, when evidence about it comes, then this is how it is judged. */
import { describe, expect, it } from "vitest";
import { asAgentId, asHandle } from "../../../src/core/ids.ts";
import { DEFAULT_POLICY } from "../../../src/core/policy.ts";
import { processKey } from "../../../src/core/process.ts";
import { wallTime } from "../../../src/core/time.ts";
import { type Aliveness, aliveness, type SessionRecord } from "../../../src/session/rules/aliveness.ts";
import type { Evidence } from "../../../src/session/rules/decision-input.ts";
import { newSession, type Presence, type Session, type Wait } from "../../../src/session/rules/session.ts";
import { processOf } from "../../support/room-world.ts";

const AGENT = asAgentId("claude:1");
const NOW = 100_000_000;
const { goneGraceMs, presenceTtlMs, ownerIdleMs, waitGraceMs } = DEFAULT_POLICY;
const HARNESS = processOf("harness");
const CALL = processOf("call");
const SERVER = processOf("server");

const at = (ms: number, epoch = "boot") => ({ epoch, ms });

function seen(agoMs: number, more: Partial<Presence> = {}): Presence {
  return {
    agentId: AGENT,
    handle: asHandle("claude"),
    lastSeen: at(NOW - agoMs),
    lastSeenAt: wallTime(NOW - agoMs),
    process: HARNESS,
    sessionId: null,
    tmuxPane: null,
    ...more,
  };
}

/** A wait whose call lasts so much longer. */
function wait(callMs: number, more: Partial<Wait> = {}): Wait {
  const deadline = at(NOW + callMs + waitGraceMs);
  return { agentId: AGENT, claims: true, seesMail: true, caller: CALL, sinceAt: wallTime(0), deadline, ...more };
}

function row(more: Partial<Session> = {}): Session {
  return { ...newSession({ agentId: AGENT, project: "/tree" }, "claude"), sessionId: "session", ...more };
}

const busy = { state: "busy", since: null } as const;

interface Seen extends Omit<Partial<Evidence>, "verdicts" | "suspended"> {
  readonly alive?: readonly (typeof HARNESS)[];
  readonly gone?: readonly (typeof HARNESS)[];
  readonly stopped?: readonly (typeof HARNESS)[];
}

function judge(known: Omit<SessionRecord, "agentId">, { alive = [], gone = [], stopped = [], ...more }: Seen = {}) {
  const verdicts = new Map([
    ...alive.map((process) => [processKey(process), "alive"] as const),
    ...gone.map((process) => [processKey(process), "gone"] as const),
  ]);
  const evidence = { verdicts, suspended: new Set(stopped.map(processKey)), activity: new Map(), ...more };
  const moment = { instant: at(NOW), suspendedMs: 0, wallMs: NOW };
  return aliveness({ agentId: AGENT, ...known }, { moment, evidence }, DEFAULT_POLICY);
}

const sign = (agoMs: number) => ({ activity: new Map([[AGENT, at(NOW - agoMs)]]) });
const me = new Set([AGENT]);

type Case = readonly [given: string, when: string, its: Aliveness, then: Partial<Aliveness>];

const IN_A_ROOM: readonly Case[] = [
  [
    "seen just now",
    "its process lives",
    judge({ seen: seen(0) }, { alive: [HARNESS] }),
    { isGone: false, isActive: true },
  ],
  [
    "seen just now",
    "its process is gone",
    judge({ seen: seen(0) }, { gone: [HARNESS] }),
    { isGone: false, isActive: true },
  ],
  [
    "silent for the grace",
    "its process is gone",
    judge({ seen: seen(goneGraceMs) }, { gone: [HARNESS] }),
    { isGone: true, isActive: false },
  ],
  [
    "silent for the grace",
    "its process is unknown",
    judge({ seen: seen(goneGraceMs) }),
    { isGone: false, process: "unknown" },
  ],
  [
    "silent for the grace",
    "its hooks left a sign since",
    judge({ seen: seen(goneGraceMs) }, { gone: [HARNESS], ...sign(5) }),
    { isGone: false, silentMs: 5 },
  ],
  [
    "seen after its last sign",
    "its silence is told",
    judge({ seen: seen(7.5) }, sign(90)),
    { silentMs: 7.5, toldSilenceMs: 7 },
  ],
  [
    "silent for long",
    "its process lives",
    judge({ seen: seen(presenceTtlMs) }, { alive: [HARNESS] }),
    { isGone: false, isActive: false },
  ],
  [
    "silent for long",
    "it works with hooks",
    judge({ seen: seen(presenceTtlMs) }, { hookedAndBusy: me }),
    { isActive: true, isListening: true, isReachable: true },
  ],
  [
    "silent for long",
    "a receiver shows its mail",
    judge({ seen: seen(presenceTtlMs) }, { receiving: me }),
    { isActive: true, isListening: true },
  ],
  [
    "seen just now",
    "its harness takes a wake",
    judge({ seen: seen(0) }, { wakeable: me }),
    { isListening: false, isReachable: true },
  ],
  [
    "seen just now",
    "nothing else is known",
    judge({ seen: seen(0) }),
    { isListening: false, isReachable: false, isWaiting: false, wait: null },
  ],
  [
    "seen before a reboot",
    "an hour has passed",
    judge({ seen: seen(3_600_000, { lastSeen: at(5, "earlier") }) }),
    { silentMs: Number.POSITIVE_INFINITY, toldSilenceMs: null, absentMs: 3_600_000, isActive: true },
  ],
  [
    "never seen",
    "nothing else is known",
    judge({}),
    { silentMs: Number.POSITIVE_INFINITY, absentMs: Number.POSITIVE_INFINITY, isGone: false, isActive: false },
  ],
];

const IN_A_CALL: readonly Case[] = [
  [
    "a wait for the turn",
    "its call runs",
    judge({ seen: seen(0), wait: wait(1000) }, { alive: [CALL] }),
    { isWaiting: true, isListening: true, isShownMail: true, isCutOff: false },
  ],
  [
    "a wait whose call ends within the next steps of the clock",
    "its call runs",
    judge({ seen: seen(0), wait: wait(15) }, { alive: [CALL] }),
    { isWaiting: true, isListening: true, isShownMail: false },
  ],
  [
    "a wait that takes what is passed",
    "its call runs",
    judge({ seen: seen(0), wait: wait(1000, { claims: false }) }, { alive: [CALL] }),
    { isWaiting: false, isListening: true },
  ],
  [
    "a wait that takes no mail",
    "its call runs",
    judge({ seen: seen(0), wait: wait(1000, { seesMail: false }) }, { alive: [CALL] }),
    { isWaiting: true, isShownMail: false },
  ],
  [
    "a wait for the turn",
    "its call died",
    judge({ seen: seen(0), wait: wait(1000) }, { gone: [CALL] }),
    { isCutOff: true, isWaiting: false, isListening: false, isReachable: false },
  ],
  [
    "a wait for the turn",
    "its call is suspended",
    judge({ seen: seen(0), wait: wait(1000) }, { alive: [CALL], stopped: [CALL] }),
    { isWaiting: true, isShownMail: false },
  ],
  [
    "a wait for the turn",
    "its harness is suspended",
    judge({ seen: seen(0), wait: wait(1000) }, { alive: [CALL], stopped: [HARNESS] }),
    { isWaiting: true, isShownMail: false },
  ],
  [
    "a wait whose call is over",
    "the process has ended",
    judge({ seen: seen(0), wait: wait(0) }, { gone: [CALL] }),
    { isWaiting: true, isCutOff: false, isShownMail: false },
  ],
  [
    "a wait that was once cut off",
    "nothing more is known",
    judge({ seen: seen(0), wait: wait(1000, { caller: null }) }),
    { isCutOff: true, isWaiting: false },
  ],
  [
    "a wait for the turn",
    "its harness is gone",
    judge({ seen: seen(0), wait: wait(1000) }, { gone: [HARNESS] }),
    { wait: null, isWaiting: false, isListening: false },
  ],
  [
    "a wait past its grace",
    "its call runs",
    judge({ seen: seen(0), wait: wait(-waitGraceMs) }, { alive: [CALL] }),
    { wait: null, isWaiting: false },
  ],
];

const BY_ITS_ROW: readonly Case[] = [
  [
    "a process",
    "it lives",
    judge({ row: row({ process: HARNESS }) }, { alive: [HARNESS] }),
    { lives: true, isOver: false, isBusy: false },
  ],
  [
    "a process",
    "it is gone",
    judge({ row: row({ process: HARNESS, hooked: true }) }, { gone: [HARNESS] }),
    { lives: false, isOver: true },
  ],
  ["a process", "it is unknown", judge({ row: row({ process: HARNESS }) }), { lives: false, isOver: false }],
  [
    "hooks and no process",
    "they left a sign lately",
    judge({ row: row({ hooked: true }) }, sign(ownerIdleMs - 1)),
    { lives: true, isOver: false },
  ],
  [
    "hooks and no process",
    "the sign is old",
    judge({ row: row({ hooked: true }) }, sign(ownerIdleMs)),
    { lives: false, isOver: false },
  ],
  [
    "neither hooks nor a process",
    "it left a sign lately",
    judge({ row: row() }, sign(1)),
    { lives: false, isOver: true },
  ],
  [
    "a server for it alone",
    "the server lives",
    judge({ row: row({ servers: [SERVER], idSource: "environment" }) }, { alive: [SERVER] }),
    { isServed: true, lives: true, isOver: false },
  ],
  [
    "a server for many",
    "the server lives",
    judge({ row: row({ servers: [SERVER], idSource: "call" }) }, { alive: [SERVER] }),
    { isServed: false, lives: false, isOver: true },
  ],
  [
    "a process and a server",
    "only the server lives",
    judge({ row: row({ servers: [SERVER], process: HARNESS }) }, { alive: [SERVER], gone: [HARNESS] }),
    { isServed: true, lives: false, isOver: true },
  ],
  [
    "a turn at work",
    "its process lives",
    judge({ row: row({ process: HARNESS, activity: busy }) }, { alive: [HARNESS] }),
    { isBusy: true },
  ],
  [
    "a turn at work",
    "its process is suspended",
    judge({ row: row({ process: HARNESS, activity: busy }) }, { alive: [HARNESS], stopped: [HARNESS] }),
    { isBusy: false, lives: true },
  ],
  [
    "a turn at work",
    "its process is gone",
    judge({ row: row({ process: HARNESS, activity: busy }) }, { gone: [HARNESS] }),
    { isBusy: false },
  ],
  [
    "a turn at work without a process",
    "its hooks left a sign lately",
    judge({ row: row({ hooked: true, activity: busy }) }, sign(1)),
    { isBusy: true },
  ],
  [
    "a turn at work without a process",
    "the sign is old",
    judge({ row: row({ hooked: true, activity: busy }) }, sign(ownerIdleMs)),
    { isBusy: false },
  ],
];

describe.each([
  ["a member", IN_A_ROOM],
  ["a waiter", IN_A_CALL],
  ["a session of the project", BY_ITS_ROW],
])("%s", (_, cases) => {
  it.each(cases)("given %s, when %s", (_given, _when, its, then) => {
    const judged = Object.keys(then).map((question) => [question, its[question as keyof Aliveness]]);
    expect(Object.fromEntries(judged)).toEqual(then);
  });
});
