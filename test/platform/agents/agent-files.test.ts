import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Fault } from "../../../src/core/fault.ts";
import { asAgentId, asEventId, asLeaseId, asRoomId } from "../../../src/core/ids.ts";
import type { ToldLoss } from "../../../src/hooks/rules/told-loss.ts";
import { openAgentFiles } from "../../../src/platform/agents/agent-files.ts";
import { createRetiredSessions } from "../../../src/platform/agents/retired-sessions.ts";
import { createSessionCards } from "../../../src/platform/agents/session-card.ts";
import { createSessionClaims, readStickyClaim } from "../../../src/platform/agents/sticky-claim.ts";
import { createSubagentMarks } from "../../../src/platform/agents/subagent-marks.ts";
import { isRoot, NOBODY } from "../../support/privileges.ts";
import { processOf } from "../../support/room-world.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const CLAUDE = { agentId: asAgentId("claude:1") };
const CODEX = { agentId: asAgentId("codex:1") };
const ROOM = asRoomId("room1");
const SESSION = "3f1c9a52-0000-4000-8000-000000000000";
const PROCESS = processOf("claude:1");
const TURN = { turnId: 3, leaseId: asLeaseId("secret") };

function memory() {
  const dataDir = join(temporaryDirectory(), "data");
  mkdirSync(dataDir, { mode: 0o700 });
  return { files: openAgentFiles(dataDir), dataDir, agents: join(dataDir, "agents") };
}

function faultOf(work: () => unknown): Fault {
  try {
    work();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

/** The one file that remembering a turn makes. */
function turnFile(agents: string): string {
  const [name = ""] = readdirSync(agents);
  return join(agents, name);
}

describe("what the command line remembers", () => {
  it("is kept for each agent and room by itself", () => {
    const { files } = memory();
    files.rememberTurn(CLAUDE, ROOM, TURN);
    files.rememberCursor(CLAUDE, ROOM, 12);
    expect(files.recallTurn(CLAUDE, ROOM)).toEqual(TURN);
    expect(files.recallCursor(CLAUDE, ROOM)).toBe(12);
    expect(files.recallTurn(CODEX, ROOM)).toBeNull();
    expect(files.recallTurn(CLAUDE, asRoomId("room2"))).toBeNull();
    expect(files.recallCursor(CODEX, ROOM)).toBeNull();
  });

  it("is replaced, and forgotten as often as one likes", () => {
    const { files, agents } = memory();
    files.rememberTurn(CLAUDE, ROOM, TURN);
    files.rememberTurn(CLAUDE, ROOM, { ...TURN, turnId: 4 });
    expect(files.recallTurn(CLAUDE, ROOM)?.turnId).toBe(4);
    expect(readdirSync(agents)).toHaveLength(1);
    files.forgetTurn(CLAUDE, ROOM);
    files.forgetTurn(CLAUDE, ROOM);
    expect(files.recallTurn(CLAUDE, ROOM)).toBeNull();
    expect(readdirSync(agents)).toEqual([]);
  });

  it("counts on after a provisional name became the verified one", () => {
    const { files } = memory();
    const verified = { agentId: asAgentId("claude:2"), formerId: CLAUDE.agentId };
    files.rememberTurn(CLAUDE, ROOM, TURN);
    expect(files.recallTurn(verified, ROOM)).toEqual(TURN);
    files.forgetTurn(verified, ROOM);
    expect(files.recallTurn(CLAUDE, ROOM)).toBeNull();
  });

  it("holds what an agent was told of losses, in all its rooms; a former name's counts where its own says nothing", () => {
    const { files, agents } = memory();
    const loss: ToldLoss = { eventSeq: 7, eventId: asEventId("e7"), state: "shown", turn: "t1", times: 1 };
    const other = asRoomId("room2");
    expect(files.recallLosses(CLAUDE)).toEqual(new Map());
    files.rememberLosses(
      CLAUDE,
      new Map([
        [ROOM, loss],
        [other, { ...loss, turn: null }],
      ]),
    );
    expect(files.recallLosses(CLAUDE)).toEqual(
      new Map([
        [ROOM, loss],
        [other, { ...loss, turn: null }],
      ]),
    );
    expect(files.recallLosses(CODEX)).toEqual(new Map());
    const verified = { agentId: asAgentId("claude:2"), formerId: CLAUDE.agentId };
    files.rememberLosses(verified, new Map([[ROOM, { ...loss, state: "told" }]]));
    expect(files.recallLosses(verified).get(ROOM)?.state).toBe("told");
    expect(files.recallLosses(verified).get(other)?.state).toBe("shown");
    for (const name of readdirSync(agents)) writeFileSync(join(agents, name), '{"losses":[{"room_id":1},null,7]}');
    expect(files.recallLosses(verified)).toEqual(new Map());
  });

  it("has no limit to the length of names", () => {
    const { files } = memory();
    const long = { agentId: asAgentId("ü".repeat(256)) };
    files.rememberTurn(long, ROOM, TURN);
    expect(files.recallTurn(long, ROOM)).toEqual(TURN);
  });

  it("is the user's alone, whatever the umask", () => {
    const { files, agents } = memory();
    const before = process.umask(0o777);
    try {
      files.rememberTurn(CLAUDE, ROOM, TURN);
    } finally {
      process.umask(before);
    }
    expect(statSync(agents).mode & 0o777).toBe(0o700);
    expect(statSync(turnFile(agents)).mode & 0o777).toBe(0o600);
  });

  it.each(["", "{", "null", "[]", '{"turn_id":-1,"lease_id":"x"}', '{"turn_id":1,"lease_id":"a b"}'])(
    "is nothing when the file holds %j, until it is written again",
    (text) => {
      const { files, agents } = memory();
      files.rememberTurn(CLAUDE, ROOM, TURN);
      writeFileSync(turnFile(agents), text);
      expect(files.recallTurn(CLAUDE, ROOM)).toBeNull();
      files.rememberTurn(CLAUDE, ROOM, TURN);
      expect(files.recallTurn(CLAUDE, ROOM)).toEqual(TURN);
    },
  );
});

describe("a planted link", () => {
  it("in a file's place is neither read nor written through", () => {
    const { files, agents } = memory();
    files.rememberTurn(CLAUDE, ROOM, TURN);
    const path = turnFile(agents);
    files.forgetTurn(CLAUDE, ROOM);
    const target = join(agents, "..", "victim");
    writeFileSync(target, '{"turn_id":9,"lease_id":"planted"}');
    symlinkSync(target, path);
    expect(files.recallTurn(CLAUDE, ROOM)).toBeNull();
    files.rememberTurn(CLAUDE, ROOM, TURN);
    expect(readFileSync(target, "utf8")).toContain("planted");
    expect(lstatSync(path).isFile()).toBe(true);
    expect(files.recallTurn(CLAUDE, ROOM)).toEqual(TURN);
  });

  it("in the directory's place is refused", () => {
    const { files, agents } = memory();
    const elsewhere = temporaryDirectory();
    symlinkSync(elsewhere, agents);
    expect(() => files.rememberTurn(CLAUDE, ROOM, TURN)).toThrow(Fault);
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe("a file that others may use", () => {
  const loosen: readonly (readonly [string, RegExp, (path: string) => void])[] = [
    ["is readable for others", /can be used by other users \(mode 0644\)/, (path) => chmodSync(path, 0o644)],
    ["is writable for its group", /can be used by other users \(mode 0620\)/, (path) => chmodSync(path, 0o620)],
    ["has a second name", /has 2 names/, (path) => linkSync(path, `${path}.other`)],
    ...(isRoot
      ? [["is another's", /belongs to user id 65534/, (path: string) => chownSync(path, NOBODY.uid, -1)] as const]
      : []),
  ];

  it.each(loosen)("because it %s is neither read nor written", (_, message, plant) => {
    const { files, agents } = memory();
    files.rememberTurn(CLAUDE, ROOM, TURN);
    const path = turnFile(agents);
    plant(path);
    const uses = [() => files.recallTurn(CLAUDE, ROOM), () => files.rememberTurn(CLAUDE, ROOM, { ...TURN, turnId: 4 })];
    for (const use of uses) {
      const expected = { code: "store_unsafe", message: expect.stringMatching(message), facts: { path } };
      expect(faultOf(use)).toMatchObject(expected);
    }
    expect(readFileSync(path, "utf8")).toContain('"turn_id":3');
  });

  it("is told of with a command that puts all of them right", () => {
    const { files, agents } = memory();
    const long = { agentId: asAgentId("x".repeat(250)) };
    files.rememberTurn(long, ROOM, TURN);
    files.rememberCursor(CLAUDE, ROOM, 12);
    expect(spawnSync("chmod", ["-R", "a+rX", agents]).status).toBe(0);
    const { next } = faultOf(() => files.recallCursor(CLAUDE, ROOM));
    expect(next).toBe(`Run: chmod -R go= ${agents}`);
    expect(spawnSync("sh", ["-c", next.slice("Run: ".length)]).status).toBe(0);
    expect([files.recallCursor(CLAUDE, ROOM), files.recallTurn(long, ROOM)]).toEqual([12, TURN]);
  });

  it("is refused as a card, a claim, a retirement and a mark of subagents, too", () => {
    const { dataDir, agents } = memory();
    const cards = createSessionCards(dataDir);
    const retired = createRetiredSessions(dataDir);
    const marks = createSubagentMarks(dataDir);
    const claims = createSessionClaims(dataDir);
    const session = { harness: "claude", sessionId: SESSION };
    cards.write(PROCESS, { ...session, transcriptPath: null, ending: null });
    retired.retire(session, { at: { epoch: "boot", ms: 1 }, process: null });
    marks.began(SESSION);
    claims.write(PROCESS, session);
    const uses = [
      () => cards.read(PROCESS),
      () => retired.read(session),
      () => marks.areAtWork(SESSION),
      () => marks.ended(SESSION),
      () => readStickyClaim(dataDir, PROCESS),
    ];
    for (const use of uses) expect(use).not.toThrow();
    for (const name of readdirSync(agents)) chmodSync(join(agents, name), 0o640);
    expect(uses.map((use) => faultOf(use).code)).toEqual(uses.map(() => "store_unsafe"));
  });
});

describe("a directory that others may use", () => {
  it("is refused before a secret is written there", () => {
    const { files, agents } = memory();
    mkdirSync(agents);
    chmodSync(agents, 0o755);
    expect(() => files.rememberTurn(CLAUDE, ROOM, TURN)).toThrow(/can be used by other users/);
    expect(existsSync(agents) && readdirSync(agents)).toEqual([]);
  });
});
