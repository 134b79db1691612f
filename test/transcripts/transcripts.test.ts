/** Every harness's transcript, as the real program wrote it, is found by its own rule and read alike. */
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TranscriptRequest, Whereabouts } from "../../src/engine/ports/peer-sights.ts";
import { messagesBefore, partsOf } from "../../src/harness/opencode/database.ts";
import { createPeerSights } from "../../src/harness/peer-sights.ts";
import { loadSqliteDriver, openReadOnlyDatabase } from "../../src/store/sqlite/driver.ts";
import { type HarnessName, PROJECT, placeTranscript, SESSION_IDS } from "../support/harness-home.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const ALL: TranscriptRequest = { limit: 20, maxBytes: 24_000, tailOnly: true };
const HARNESSES = Object.keys(SESSION_IDS) as HarnessName[];
const JSON_LINES = HARNESSES.filter((name) => name !== "opencode");
const CALLS: Readonly<Record<HarnessName, string>> = {
  claude: 'Bash {"command":"printf \\"42 passed\\"","description":"run the tests"}',
  codex: 'exec_command {"cmd":"printf \\"42 passed\\""}',
  gemini: 'run_shell_command {"command":"printf \\"42 passed\\"","description":"run the tests"}',
  opencode: 'bash {"command":"printf \\"42 passed\\"","description":"run the tests"}',
};

class World {
  readonly home = temporaryDirectory();
  readonly path: string;
  readonly harness: HarnessName;

  constructor(harness: HarnessName) {
    this.harness = harness;
    this.path = placeTranscript(this.home, harness);
  }

  read(request: Partial<TranscriptRequest> = {}, peer: Partial<Whereabouts> = {}) {
    return this.sights().transcript(this.peer(peer), { ...ALL, ...request });
  }

  async turns(request: Partial<TranscriptRequest> = {}) {
    const seen = await this.read(request);
    if ("unseen" in seen) throw new Error(seen.unseen);
    return seen;
  }

  sights({ env = {}, home = this.home }: { env?: Record<string, string>; home?: string } = {}) {
    return createPeerSights({
      env,
      home,
      clock: { now: () => ({ instant: { epoch: "boot", ms: 0 }, suspendedMs: 0, wallMs: 1_794_731_999_000 }) },
      probe: { self: () => process(), find: () => null, verdict: () => "alive", isSuspended: () => false },
      openDatabase: openReadOnlyDatabase,
    });
  }

  peer(known: Partial<Whereabouts> = {}): Whereabouts {
    const { harness } = this;
    return { harness, sessionId: SESSION_IDS[harness], process: null, cwd: PROJECT, transcriptPath: null, ...known };
  }
}

function claudeLine(more: object): string {
  return `${JSON.stringify({ type: "user", message: { content: "secret" }, ...more })}\n`;
}

function process() {
  return { host: "local", bootId: "boot", pidNamespace: "pid:[1]", pid: 1, startTicks: "1" };
}

describe.each(HARNESSES)("a session of %s", (harness) => {
  test("says who said what, in the order of the talk", async () => {
    const { turns, ...rest } = await new World(harness).turns();
    expect(turns.map(({ role, text }) => [role, text])).toEqual([
      ["user", "Run the tests, please."],
      ["tool", CALLS[harness]],
      ["assistant", "The tests are green: 42 of 42. Grüße 🪄"],
      ["user", "What is left to do?"],
      ["assistant", "Only the changelog is left."],
    ]);
    expect(turns.every(({ at }) => at?.startsWith("2026-11-15T08:25:"))).toBe(true);
    expect(rest).toMatchObject({
      countTruncated: false,
      bytesTruncated: false,
      totalMessages: 5,
      totalMessagesExact: true,
      skippedRecords: 0,
    });
  });

  test("keeps the newest turns when only few are wanted", async () => {
    const tail = await new World(harness).turns({ limit: 2 });
    expect(tail.turns.map(({ text }) => text)).toEqual(["What is left to do?", "Only the changelog is left."]);
    expect(tail).toMatchObject({ countTruncated: true, bytesTruncated: false });
  });

  test("is cut from its beginning when there is too much text", async () => {
    const tail = await new World(harness).turns({ maxBytes: 256, limit: 20 });
    expect(tail.turns.at(-1)?.text).toBe("Only the changelog is left.");
    expect((await new World(harness).turns({ maxBytes: 30 })).turns.map(({ text }) => text)).toEqual([
      "do?",
      "Only the changelog is left.",
    ]);
  });

  test("is found without knowing where it works", async () => {
    const world = new World(harness);
    expect(world.sights().transcriptPath(world.peer({ cwd: null }))).toBe(world.path);
  });

  test("of which there is no transcript is a refusal that says so", async () => {
    const world = new World(harness);
    rmSync(world.home, { recursive: true });
    mkdirSync(world.home);
    expect(await world.read()).toMatchObject({ unseen: expect.stringContaining("no transcript") as string });
    expect(await world.read({}, { sessionId: null })).toMatchObject({
      unseen: expect.stringContaining("not known") as string,
    });
  });
});

describe.each(JSON_LINES)("a file of %s", (harness) => {
  test("with records of unknown kinds is read, and they are counted", async () => {
    const world = new World(harness);
    appendFileSync(world.path, '{"type":"from-the-future","payload":{}}\n42\n{"half": "a li');
    expect(await world.turns()).toMatchObject({ skippedRecords: 3, totalMessages: 5 });
  });

  test("is read where a hook said it is, before the harness's own rule", async () => {
    const world = new World(harness);
    const elsewhere = join(world.home, "elsewhere.jsonl");
    renameSync(world.path, elsewhere);
    expect(await world.read({}, { transcriptPath: elsewhere })).toMatchObject({ path: elsewhere, totalMessages: 5 });
  });

  test("that vanished from where a hook said it was is looked for by the rule, and named if it is nowhere", async () => {
    const world = new World(harness);
    const vanished = { transcriptPath: join(world.home, "vanished.jsonl") };
    expect(await world.read({}, vanished)).toMatchObject({ path: world.path });
    rmSync(world.path);
    expect(await world.read({}, vanished)).toMatchObject({
      unseen: expect.stringContaining("vanished.jsonl is not") as string,
    });
  });

  test("that is empty has no turns", async () => {
    const world = new World(harness);
    truncateSync(world.path);
    expect(await world.turns()).toMatchObject({ turns: [], totalMessages: 0, totalMessagesExact: true });
  });
});

test("a directory, or a pipe that nobody writes to, is no transcript", async () => {
  const world = new World("claude");
  rmSync(world.path);
  mkdirSync(world.path);
  expect(await world.read()).toHaveProperty("unseen");
  rmSync(world.path, { recursive: true });
  symlinkSync("/dev/zero", world.path);
  expect(await world.read()).toHaveProperty("unseen");
});

test("what subagents say, and what the program adds by itself, is left out", async () => {
  const world = new World("claude");
  appendFileSync(world.path, claudeLine({ isSidechain: true }) + claudeLine({ isMeta: true }));
  expect(await world.turns()).toMatchObject({ totalMessages: 5 });
});

test("a record that is too long to be held is passed over", async () => {
  const world = new World("codex");
  writeFileSync(world.path, `{"type":"response_item","payload":"${"x".repeat(5_000_000)}"}\n`, { flag: "a" });
  expect(await world.turns({ tailOnly: false })).toMatchObject({ totalMessages: 5, skippedRecords: 1 });
});

test("turns that lie deeper than a look goes are not counted, and the count says so", async () => {
  const world = new World("gemini");
  const filler = `${JSON.stringify({ $set: { lastUpdated: "x".repeat(1000) } })}\n`.repeat(20_000);
  appendFileSync(world.path, filler);
  expect(await world.turns()).toMatchObject({ totalMessages: 0, totalMessagesExact: false });
  expect(await world.turns({ tailOnly: false })).toMatchObject({ totalMessages: 5, totalMessagesExact: true });
});

test("what Gemini has taken back does not come again", async () => {
  const world = new World("gemini");
  const messages = [{ id: "1", timestamp: "2026-11-15T09:00:00.000Z", type: "user", content: "Begin again." }];
  appendFileSync(world.path, `${JSON.stringify({ $set: { messages } })}\n`);
  expect(await world.turns()).toMatchObject({ turns: [{ text: "Begin again." }], totalMessagesExact: true });
});

test("what a hook has put before a prompt in Gemini is no word of its user", async () => {
  const world = new World("gemini");
  const text = "<hook_context>You are gemini.\nNobody holds the stick.</hook_context>\n\nWrite the changelog.";
  const told = { id: "1", timestamp: "2026-11-15T09:00:00.000Z", type: "user", content: [{ text }] };
  appendFileSync(world.path, `${JSON.stringify(told)}\n`);
  expect((await world.turns()).turns.at(-1)).toMatchObject({ role: "user", text: "Write the changelog." });
});

test("OpenCode's parts of unknown kinds are counted", async () => {
  const world = new World("opencode");
  const database = openReadOnlyDatabase(world.path);
  const [newest] = messagesBefore(database, SESSION_IDS.opencode, null, 1);
  const parts = partsOf(database, newest?.id ?? "", 1_000_000);
  database.close();
  expect(parts.map(({ type }) => type)).toEqual(["step-start", "text", "step-finish"]);
});

test("a database that is none is a refusal", async () => {
  const world = new World("opencode");
  writeFileSync(world.path, "not a database, whatever its name says");
  expect(await world.read()).toMatchObject({ unseen: expect.stringContaining("cannot be read") as string });
});

test("a part of OpenCode's that is too long to be held is passed over, and a look goes only so far back", async () => {
  const world = new World("opencode");
  const database = loadSqliteDriver()(world.path);
  const insert = database.prepare(
    "INSERT INTO part (id,message_id,session_id,time_created,time_updated,data) VALUES (?, 'msg_1de501bec001SygJ10qFqOFk2P', 'x', 1, 1, ?)",
  );
  insert.run("prt_z0", JSON.stringify({ type: "text", text: "x".repeat(5_000_000) }));
  expect(await world.turns()).toMatchObject({ totalMessages: 5, skippedRecords: 1, totalMessagesExact: true });
  for (const index of [1, 2, 3, 4, 5]) {
    insert.run(`prt_z${index}`, JSON.stringify({ type: "reasoning", text: "x".repeat(4_000_000) }));
  }
  database.close();
  expect(await world.turns()).toMatchObject({ totalMessagesExact: false });
  expect(await world.turns({ tailOnly: false })).toMatchObject({ totalMessages: 5, totalMessagesExact: true });
});

test("reading a whole transcript yields to other work", async () => {
  const world = new World("gemini");
  appendFileSync(world.path, `${JSON.stringify({ $set: { lastUpdated: "x".repeat(1000) } })}\n`.repeat(20_000));
  let turns = 0;
  const others = setInterval(() => (turns += 1), 0);
  await world.turns({ tailOnly: false });
  clearInterval(others);
  expect(turns).toBeGreaterThan(5);
});

test.each(["claude", "gemini", "codex"] as const)(
  "%s: a session that works elsewhere is not found",
  async (harness) => {
    const world = new World(harness);
    const find = (cwd: string) => world.sights().transcriptPath(world.peer({ cwd }));
    for (const cwd of [PROJECT, `${PROJECT}/src`, dirname(PROJECT)])
      expect([cwd, find(cwd)]).toEqual([cwd, world.path]);
    for (const cwd of ["/home/ada/other", `${PROJECT}2`, "/home/bob"]) expect([cwd, find(cwd)]).toEqual([cwd, null]);
  },
);

test.each([
  ["claude", "CLAUDE_CONFIG_DIR", ".claude"],
  ["codex", "CODEX_HOME", ".codex"],
  ["gemini", "GEMINI_CLI_HOME", ""],
  ["opencode", "XDG_DATA_HOME", ".local/share"],
] as const)("%s: is looked for where %s leads", (harness, name, below) => {
  const world = new World(harness);
  const elsewhere = { home: temporaryDirectory() };
  expect(world.sights(elsewhere).transcriptPath(world.peer())).toBeNull();
  const sights = world.sights({ ...elsewhere, env: { [name]: join(world.home, below) } });
  expect(sights.transcriptPath(world.peer())).toBe(world.path);
});
