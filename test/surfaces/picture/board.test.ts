import { describe, expect, it } from "vitest";
import { type AgentId, asAgentId, asEventId, asRoomId } from "../../../src/core/ids.ts";
import { DEFAULT_POLICY } from "../../../src/core/policy.ts";
import type { RoomPicture } from "../../../src/peers/rules/picture.ts";
import type { AgentRow } from "../../../src/peers/rules/picture-agents.ts";
import { isStuck, type Reason } from "../../../src/peers/rules/wait-graph.ts";
import { boardLines } from "../../../src/surfaces/picture/board.ts";
import { sentWords, whyWords } from "../../../src/surfaces/picture/why-words.ts";
import { widthOf } from "../../../src/surfaces/words/width.ts";

const [CLAUDE, CODEX, ME] = ["claude:1", "codex:1", "human:me"].map(asAgentId) as [AgentId, AgentId, AgentId];
const NOW_MS = Date.parse("2026-01-01T12:00:00.000Z");
const AGO = "2026-01-01T11:57:30.000Z";
const Q = asEventId("question");
const HOSTILE = "a\u001b[2J\u202eb\n\u200b漢字漢字漢字\u0301\ud800 ";

function row(agentId: AgentId, fields: Partial<AgentRow> = {}): AgentRow {
  const none = { needs: null, queuePosition: null, machine: null, card: null, branch: null, waitsFor: [] };
  const known = { agentId, harness: agentId.split(":")[0] ?? "", isPerson: false, lastSeenAt: AGO, unread: 0 };
  const mark = { mark: "idle", holdsStick: false, isNext: false, activity: { state: "unknown", since: null } } as const;
  return { ...none, ...known, ...mark, ...fields };
}

function picture(fields: Partial<RoomPicture> = {}, reason: Reason = { kind: "free", waiting: [] }): RoomPicture {
  return {
    roomId: asRoomId("room"),
    path: "/w/proj",
    machine: null,
    detail: {} as RoomPicture["detail"],
    asOf: AGO,
    lastSeq: 9,
    me: ME,
    names: { [CLAUDE]: "claude", [CODEX]: "codex", [ME]: "human" },
    now: {
      state: "owned",
      turnId: 3,
      queue: [CODEX],
      reservation: null,
      paused: null,
      openNotes: 0,
      holder: { agentId: CLAUDE, since: AGO, purpose: "writes the parser", leaseUntil: "2026-01-01T12:44:00.000Z" },
      guard: DEFAULT_POLICY.guard,
      protection: null,
    },
    agents: [row(CLAUDE, { mark: "works", holdsStick: true }), row(CODEX, { mark: "waits", queuePosition: 1 })],
    folded: { gone: [], away: [], notListed: 0 },
    why: { reason, isStuck: isStuck(reason), step: null },
    talk: [],
    turns: [],
    ...fields,
  };
}

function shown(of: RoomPicture, width = 80): readonly string[] {
  return boardLines(of, { width, nowMs: NOW_MS }).map((line) => line.map(({ text }) => text).join(""));
}

describe("the board", () => {
  it("shows the stick, what its holder does, and a row for each agent", () => {
    expect(shown(picture())).toEqual([
      "/w/proj",
      "  ● claude holds the stick, turn 3, taken 2m ago; its lease ends in 44m",
      "    writes the parser",
      "  ▶ claude  holds the stick, seen 2m ago",
      "  ◉ codex  waits, number 1, seen 2m ago",
    ]);
  });

  it("sets off what needs the person, and says why", () => {
    const needs = { kind: "answer", person: ME, messageId: Q, question: "May I delete\nfixture 7?" } as const;
    const waitsFor = [{ from: CODEX, to: ME, awaits: "answer", messageId: Q }] as const;
    const asking = row(CODEX, { mark: "needs_you", needs, waitsFor });
    const reason = { kind: "question", asker: CODEX, person: ME, messageId: Q, others: 0 } as const;
    const lines = boardLines(picture({ agents: [asking] }, reason), { width: 80, nowMs: NOW_MS });
    expect(lines.slice(-3)).toEqual([
      [
        { text: "  ■ codex", role: "needs_you" },
        { text: "  needs you: asks a question, seen 2m ago", role: "plain" },
      ],
      [{ text: "    │ May I delete fixture 7?", role: "needs_you" }],
      [{ text: "codex waits for your answer.", role: "needs_you" }],
    ]);
  });

  it("folds the gone into one line with what they left behind", () => {
    const left = { harness: "codex", holdsStick: false, isNext: false, lastSeenAt: AGO };
    const gone = [{ ...left, agentId: CODEX, unread: 2, holdsStick: true }];
    const away = [{ ...left, agentId: CLAUDE, unread: 0 }];
    expect(shown(picture({ agents: [], folded: { gone, away, notListed: 7 } })).slice(-2)).toEqual([
      "  ✗ gone: codex (holds the stick, 2 unread)",
      "  ○ away: claude, 7 more",
    ]);
  });

  it("names the machine of an agent that is elsewhere, and says since when nothing was heard of it", () => {
    const silent = { name: "db-2", silentSince: AGO };
    const agents = [
      row(CLAUDE, { mark: "silent", holdsStick: true, machine: silent, activity: { state: "busy", since: AGO } }),
      row(CODEX, { mark: "works", machine: { name: "db-3", silentSince: null } }),
    ];
    const now = { ...picture().now, state: "silent_owner" } as const;
    const reason = { kind: "holder_silent", holder: CLAUDE, waiting: [] } as const;
    const lost = picture({ machine: silent, agents, now }, reason);
    expect(shown(lost)).toEqual([
      "/w/proj on db-2 (not heard of for 2m)",
      "  ◐ claude holds turn 3, taken 2m ago, but its machine db-2 has not been heard",
      "    of for 2m",
      "    writes the parser",
      "  ◐ claude  holds the stick, on db-2 (not heard of for 2m), seen 2m ago",
      "  ▶ codex  on db-3, seen 2m ago",
    ]);
    expect(whyWords(lost, NOW_MS)).toBe("claude holds the stick, but its machine db-2 has not been heard of for 2m.");
    expect(sentWords(lost, CLAUDE, NOW_MS)).toBe("Sent to claude. Its machine db-2 has not been heard of for 2m.");
    const restarted = picture({ agents: [row(CLAUDE, { machine: null })] }, reason);
    expect(whyWords(restarted, NOW_MS)).toBe("claude holds the stick, but its machine may have been restarted.");
    expect(sentWords(lost, CODEX, NOW_MS)).toBe("Sent to codex.");
    const asked = { kind: "asked_silent", asker: CODEX, asked: CLAUDE } as const;
    expect(whyWords(picture({ agents }, asked), NOW_MS)).toBe(
      "codex waits for claude's answer, but claude's machine db-2 has not been heard of for 2m.",
    );
  });

  it("changes only when the clock shows another minute", () => {
    const [now, late, next] = [0, 59_999, 60_000].map((ms) => boardLines(picture(), { width: 80, nowMs: NOW_MS + ms }));
    expect(late).toEqual(now);
    expect(next).not.toEqual(now);
  });

  it.each([20, 40, 80, 200])("fits %i columns, whatever others wrote", (width) => {
    const card = { purpose: HOSTILE.repeat(5), blockedOn: HOSTILE };
    const hostile = row(CLAUDE, {
      harness: HOSTILE,
      machine: { name: HOSTILE, silentSince: AGO },
      branch: HOSTILE,
      card,
      unread: 12,
      holdsStick: true,
      needs: { kind: "answer", person: ME, messageId: Q, question: HOSTILE.repeat(9) },
    });
    const other = row(CODEX, { card, branch: "main" });
    const { now } = picture();
    const lines = shown(
      picture({
        path: `/w/${HOSTILE}`,
        machine: { name: HOSTILE, silentSince: AGO },
        names: { [CLAUDE]: HOSTILE, [CODEX]: "codex", [ME]: "human" },
        now: { ...now, paused: { by: ME, since: AGO, reason: HOSTILE } },
        agents: [hostile, other],
      }),
      width,
    );
    for (const line of lines) {
      expect(widthOf(line)).toBeLessThanOrEqual(width);
      expect(line).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}]*$/u);
    }
  });
});

describe("why nobody moves, in words", () => {
  it.each(["constructor", "__proto__", "toString"])("an agent called %s that has no other name", (id) => {
    const holder = asAgentId(id);
    const unnamed = { ...picture({}, { kind: "held", holder, asked: null, waiting: [] }), names: {} };
    expect(whyWords(unnamed, NOW_MS)).toContain(`${id} holds the stick`);
  });

  const waiting = [CODEX];
  it.each<[Reason, string]>([
    [{ kind: "closed" }, "The room is closed."],
    [
      { kind: "question", asker: CODEX, person: ME, messageId: Q, others: 2 },
      "codex waits for your answer. 2 more agents need a person.",
    ],
    [{ kind: "permission", agent: CLAUDE, others: 0 }, "claude waits for an answer to a prompt in its own terminal."],
    [
      {
        kind: "circle",
        edges: [
          { from: CODEX, to: CLAUDE, awaits: "answer", messageId: Q },
          { from: CLAUDE, to: CODEX, awaits: "stick" },
        ],
      },
      "codex waits for claude's answer; claude waits for the stick that codex holds.",
    ],
    [{ kind: "holder_gone", holder: CLAUDE, waiting }, "claude holds the stick, but its process is gone; codex waits."],
    [{ kind: "reserved_gone", agent: CLAUDE, waiting: [] }, "The stick is reserved for claude, whose process is gone."],
    [
      { kind: "asked_gone", asker: CODEX, asked: CLAUDE },
      "codex waits for claude's answer, but claude's process is gone.",
    ],
    [{ kind: "paused", by: ME, since: AGO, reason: "lunch" }, "You paused the room 2m ago: lunch"],
    [
      { kind: "holder_silent", holder: CLAUDE, waiting },
      "claude holds the stick, but its machine may have been restarted; codex waits.",
    ],
    [
      { kind: "asked_silent", asker: CODEX, asked: CLAUDE },
      "codex waits for claude's answer, but claude's machine may have been restarted.",
    ],
    [
      { kind: "lease_expired", holder: CLAUDE, waiting },
      "claude holds the stick, but its lease has expired; codex waits.",
    ],
    [
      { kind: "holder_idle", holder: CLAUDE, waiting: [CODEX, ME] },
      "claude holds the stick and is idle; codex and you wait.",
    ],
    [
      { kind: "asked_idle", asker: CODEX, asked: CLAUDE, messageId: Q },
      "codex waits for claude's answer, but claude is idle.",
    ],
    [
      { kind: "unanswered", asker: CODEX, person: ME, messageId: Q },
      "Nobody is stuck, but codex asked a question that you have not answered.",
    ],
    [{ kind: "reserved", agent: CLAUDE, waiting }, "Nobody is stuck: the stick is reserved for claude; codex waits."],
    [
      { kind: "held", holder: ME, waiting: [], asked: null },
      "Nobody is stuck: you hold the stick; nobody waits for it.",
    ],
    [
      { kind: "held", holder: CLAUDE, waiting, asked: ME },
      "Nobody is stuck: claude holds the stick and waits for your answer; codex waits.",
    ],
    [{ kind: "free", waiting: [] }, "Nobody is stuck: the stick is free."],
  ])("%j", (reason, words) => {
    expect(whyWords(picture({}, reason), NOW_MS)).toBe(words);
  });
});
