/** Peers, cards and transcripts on the command line, with transcripts that real harnesses wrote. */
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeRepository } from "../support/git-repository.ts";
import { type HarnessName, placeTranscript, SESSION_IDS } from "../support/harness-home.ts";
import { CliWorld, PERSON, type RunOptions } from "./support/cli-world.ts";
import { atTerminal, Terminals } from "./support/terminal.ts";
import { Transcript } from "./support/transcript.ts";

const A = { as: "a:1" };
const HOURS_MS = 3_600_000;

/** A command of a real session: known by its harness's variables. */
const SESSIONS: Readonly<Record<"claude" | "codex", RunOptions>> = {
  claude: {
    who: "claude",
    env: { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: SESSION_IDS.claude, AI_AGENT: "claude-code_2-1-325_agent" },
  },
  codex: { who: "codex", env: { CODEX_SESSION_ID: SESSION_IDS.codex, CODEX_VERSION: "0.166.0" } },
};

function place(world: CliWorld, harness: HarnessName): string {
  const path = placeTranscript(world.home, harness, world.tree);
  const then = (Date.now() - 2 * HOURS_MS) / 1000;
  utimesSync(path, then, then);
  return path;
}

it("peers, cards and transcripts, word for word", async () => {
  const world = new CliWorld();
  makeRepository(world.tree);
  place(world, "claude");
  const shown = new Transcript(world);
  await shown.type("peers", A);
  await world.done("join", A);
  await world.done("join", SESSIONS.claude);
  await world.done("join", SESSIONS.codex);
  await shown.type(
    ["card", "parse dates with offsets", "--file", "src/dates.ts", "--blocked-on", "review of the dates"],
    A,
  );
  await shown.type(
    ["card", "parse dates with offsets", "--file", "src/dates.ts", "--blocked-on", "review of the dates"],
    A,
  );
  await shown.type(["card", "x".repeat(201)], A);
  await world.done(["card", `reading ${"the long words of others ".repeat(7)}`], SESSIONS.claude);
  await world.done("try", A);
  await shown.type("peers", A);
  await shown.type("peers --all");
  await shown.type("read claude", A);
  await shown.type("read claude --limit 1 --whole", A);
  await shown.type("read claude --max-bytes 256 --limit 2", A);
  await shown.type("read codex", A);
  await shown.type("read claude --pane", A);
  await shown.type("read cloude", A);
  await shown.type("read claude --limit 0", A);
  await shown.type("read", A);
  await expect(shown.text).toMatchFileSnapshot(join(import.meta.dirname, "golden", "sessions.txt"));
});

describe("as JSON", () => {
  it("peers print list_project_sessions, and read prints read_session", async () => {
    const world = new CliWorld();
    const path = place(world, "codex");
    await world.done("join", SESSIONS.codex);
    const { sessions } = (await world.done("peers --json")).json() as { sessions: Record<string, unknown>[] };
    expect(sessions.map((session) => Object.keys(session))).toEqual([
      [
        "agent_id",
        "handle",
        "harness",
        "session_id",
        "state_card",
        "activity",
        "activity_since",
        "holds_stick",
        "reachable",
        "unread",
        "last_seen_at",
      ],
    ]);
    expect(sessions[0]).toMatchObject({ handle: "codex", session_id: SESSION_IDS.codex, activity: "unknown" });
    const read = (await world.done("read codex --limit 1 --timestamps --json")).json();
    expect(read).toMatchObject({
      handle: "codex",
      mode: "transcript",
      transcript_path: path,
      count: 1,
      messages: [{ role: "assistant", text: "Only the changelog is left.", at: "2026-11-15T08:25:44.576Z" }],
      count_truncated: true,
      bytes_truncated: false,
      total_messages_exact: false,
      skipped_records: 0,
    });
    expect(read["age_ms"]).toBeGreaterThanOrEqual(2 * HOURS_MS);
    const text = (await world.done("read codex --limit 1 --timestamps")).stdout;
    expect(text).toMatch(/^assistant {2}(now|\d+[smhd] ago)\n {11}Only the changelog is left\.$/m);
    expect((await world.tt("read codex --pane --transcript")).code).toBe(2);
  });

  it("a session of another project is not there", async () => {
    const world = new CliWorld();
    place(world, "claude");
    const other = { cwd: world.directory("other") };
    await world.done("join", SESSIONS.claude);
    await world.done("join", { ...A, ...other });
    expect((await world.done("peers --json", other)).stdout).not.toContain(SESSION_IDS.claude);
    for (const name of ["claude", SESSION_IDS.claude]) {
      const outcome = await world.tt(["read", name, "--json"], other);
      expect(outcome.code).toBe(5);
      expect(outcome.error()).toMatchObject({ error: "unknown_recipient", candidates: ["a (a:1)"] });
    }
  });

  it("a claim is refused where no process stands for one session alone", async () => {
    const world = new CliWorld();
    const outcome = await world.tt(["claim", SESSION_IDS.gemini, "--harness", "gemini", "--json"]);
    expect([outcome.code, outcome.error()["error"]]).toEqual([5, "not_authorized"]);
  });

  atTerminal(
    "a claim at a terminal says how to take it back, and that gives the person its own name again",
    async () => {
      const you = new Terminals(new CliWorld()).open("you");
      expect(await you.run("tt claim abc")).toContain("tt claim --forget");
      expect(await you.run("tt whoami")).toMatch(/^You are agent:/m);
      expect(await you.run("tt --agent me:b join")).toMatch(/claim\s+--forget/);
      expect(await you.run("tt --agent me:b claim --forget")).toContain("Forgotten. You are me:b.");
      expect(await you.run("tt claim --forget")).toContain(`Nothing was claimed here. You are ${PERSON}.`);
      expect(await you.run("tt --agent me:b join")).toContain("[0]");
      for (const line of ["claim", "claim abc --forget"]) expect(await you.run(`tt ${line}`)).toContain("[2]");
    },
  );
});
