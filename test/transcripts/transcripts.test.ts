/** Every harness's transcript, as the real program wrote it, is found by its own rule and read alike. */
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createPeerSights } from "../../src/harness/peer-sights.ts";
import type { TranscriptRequest, Whereabouts } from "../../src/ports/peer-sights.ts";
import { openOpencodeDatabase } from "../../src/store/sqlite/opencode-database.ts";
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

  turns(request: Partial<TranscriptRequest> = {}) {
    const seen = this.read(request);
    if ("unseen" in seen) throw new Error(seen.unseen);
    return seen;
  }

  sights() {
    return createPeerSights({
      env: {},
      home: this.home,
      clock: { now: () => ({ instant: { epoch: "boot", ms: 0 }, suspendedMs: 0, wallMs: 1_794_731_999_000 }) },
      probe: { self: () => process(), find: () => null, verdict: () => "alive" },
      openOpencode: openOpencodeDatabase,
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
  test("says who said what, in the order of the talk", () => {
    const { turns, ...rest } = new World(harness).turns();
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

  test("keeps the newest turns when only few are wanted", () => {
    const tail = new World(harness).turns({ limit: 2 });
    expect(tail.turns.map(({ text }) => text)).toEqual(["What is left to do?", "Only the changelog is left."]);
    expect(tail).toMatchObject({ countTruncated: true, bytesTruncated: false });
  });

  test("is cut from its beginning when there is too much text", () => {
    const tail = new World(harness).turns({ maxBytes: 256, limit: 20 });
    expect(tail.turns.at(-1)?.text).toBe("Only the changelog is left.");
    expect(new World(harness).turns({ maxBytes: 30 }).turns.map(({ text }) => text)).toEqual([
      "do?",
      "Only the changelog is left.",
    ]);
  });

  test("is found without knowing where it works", () => {
    const world = new World(harness);
    expect(world.sights().transcriptPath(world.peer({ cwd: null }))).toBe(world.path);
  });

  test("of which there is no transcript is a refusal that says so", () => {
    const world = new World(harness);
    rmSync(world.home, { recursive: true });
    mkdirSync(world.home);
    expect(world.read()).toMatchObject({ unseen: expect.stringContaining("no transcript") as string });
    expect(world.read({}, { sessionId: null })).toMatchObject({
      unseen: expect.stringContaining("not known") as string,
    });
  });
});

describe.each(JSON_LINES)("a file of %s", (harness) => {
  test("with records of unknown kinds is read, and they are counted", () => {
    const world = new World(harness);
    appendFileSync(world.path, '{"type":"from-the-future","payload":{}}\n42\n{"half": "a li');
    expect(world.turns()).toMatchObject({ skippedRecords: 3, totalMessages: 5 });
  });

  test("is read where a hook said it is, before the harness's own rule", () => {
    const world = new World(harness);
    const elsewhere = join(world.home, "elsewhere.jsonl");
    renameSync(world.path, elsewhere);
    expect(world.read({}, { transcriptPath: elsewhere })).toMatchObject({ path: elsewhere, totalMessages: 5 });
  });

  test("that vanished from where a hook said it was is looked for by the rule, and named if it is nowhere", () => {
    const world = new World(harness);
    const vanished = { transcriptPath: join(world.home, "vanished.jsonl") };
    expect(world.read({}, vanished)).toMatchObject({ path: world.path });
    rmSync(world.path);
    expect(world.read({}, vanished)).toMatchObject({
      unseen: expect.stringContaining("vanished.jsonl is not") as string,
    });
  });

  test("that is empty has no turns", () => {
    const world = new World(harness);
    truncateSync(world.path);
    expect(world.turns()).toMatchObject({ turns: [], totalMessages: 0, totalMessagesExact: true });
  });
});

test("a directory, or a pipe that nobody writes to, is no transcript", () => {
  const world = new World("claude");
  rmSync(world.path);
  mkdirSync(world.path);
  expect(world.read()).toHaveProperty("unseen");
  rmSync(world.path, { recursive: true });
  symlinkSync("/dev/zero", world.path);
  expect(world.read()).toHaveProperty("unseen");
});

test("what subagents say, and what the program adds by itself, is left out", () => {
  const world = new World("claude");
  appendFileSync(world.path, claudeLine({ isSidechain: true }) + claudeLine({ isMeta: true }));
  expect(world.turns()).toMatchObject({ totalMessages: 5 });
});

test("a record that is too long to be held is passed over", () => {
  const world = new World("codex");
  writeFileSync(world.path, `{"type":"response_item","payload":"${"x".repeat(5_000_000)}"}\n`, { flag: "a" });
  expect(world.turns({ tailOnly: false })).toMatchObject({ totalMessages: 5, skippedRecords: 1 });
});

test("turns that lie deeper than a look goes are not counted, and the count says so", () => {
  const world = new World("gemini");
  const filler = `${JSON.stringify({ $set: { lastUpdated: "x".repeat(1000) } })}\n`.repeat(20_000);
  appendFileSync(world.path, filler);
  expect(world.turns()).toMatchObject({ totalMessages: 0, totalMessagesExact: false });
  expect(world.turns({ tailOnly: false })).toMatchObject({ totalMessages: 5, totalMessagesExact: true });
});

test("what Gemini has taken back does not come again", () => {
  const world = new World("gemini");
  const messages = [{ id: "1", timestamp: "2026-11-15T09:00:00.000Z", type: "user", content: "Begin again." }];
  appendFileSync(world.path, `${JSON.stringify({ $set: { messages } })}\n`);
  expect(world.turns()).toMatchObject({ turns: [{ text: "Begin again." }], totalMessagesExact: true });
});

test("what a hook has put before a prompt in Gemini is no word of its user", () => {
  const world = new World("gemini");
  const text = "<hook_context>You are gemini.\nNobody holds the stick.</hook_context>\n\nWrite the changelog.";
  const told = { id: "1", timestamp: "2026-11-15T09:00:00.000Z", type: "user", content: [{ text }] };
  appendFileSync(world.path, `${JSON.stringify(told)}\n`);
  expect(world.turns().turns.at(-1)).toMatchObject({ role: "user", text: "Write the changelog." });
});

test("OpenCode's parts of unknown kinds are counted", () => {
  const world = new World("opencode");
  const database = openOpencodeDatabase(world.path);
  const [newest] = database.messagesBefore(SESSION_IDS.opencode, null, 1);
  database.close();
  expect(newest?.parts.map(({ type }) => type)).toEqual(["step-start", "text", "step-finish"]);
});

test("a database that is none is a refusal", () => {
  const world = new World("opencode");
  writeFileSync(world.path, "not a database, whatever its name says");
  expect(world.read()).toMatchObject({ unseen: expect.stringContaining("cannot be read") as string });
});
