/** A home directory with the transcript of one real session of each harness, where that harness would keep it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadSqliteDriver } from "../../src/store/sqlite/driver.ts";

const FIXTURES = join(import.meta.dirname, "../harness-fixtures");

/** Where the sessions worked. */
export const PROJECT = "/home/ada/notes";

export const SESSION_IDS = {
  claude: "898509a1-5dab-4f24-a4e9-7b7158c02f3e",
  codex: "01a1de4f-f37c-7292-8a4a-8ad18c8e90ee",
  gemini: "f5fc8db0-37d8-48bf-853e-4658fcb2d658",
  opencode: "ses_e21aff79fffeU75BlmtKNlm0Oh",
} as const;

export type HarnessName = keyof typeof SESSION_IDS;

const PLACES: Readonly<Record<Exclude<HarnessName, "opencode">, readonly [fixture: string, path: string]>> = {
  claude: ["claude-code.jsonl", `.claude/projects/-home-ada-notes/${SESSION_IDS.claude}.jsonl`],
  codex: ["codex.jsonl", `.codex/sessions/2026/11/15/rollout-2026-11-15T08-25-44-${SESSION_IDS.codex}.jsonl`],
  gemini: ["gemini.jsonl", ".gemini/tmp/notes/chats/session-2026-11-15T08-25-f5fc8db0.jsonl"],
};

/** Of a session that works in `directory`. Returns where the transcript is. */
export function placeTranscript(home: string, harness: HarnessName, directory: string = PROJECT): string {
  if (harness === "opencode") return placeDatabase(home);
  const [fixture, place] = PLACES[harness];
  const path = join(home, place.replace("-home-ada-notes", directory.replace(/[^A-Za-z0-9]/g, "-")));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, readFileSync(join(FIXTURES, fixture), "utf8").replaceAll(PROJECT, directory));
  if (harness === "gemini") {
    writeFileSync(join(home, ".gemini/projects.json"), JSON.stringify({ projects: { [directory]: "notes" } }));
  }
  return path;
}

function placeDatabase(home: string): string {
  const path = join(home, ".local/share/opencode/opencode.db");
  mkdirSync(dirname(path), { recursive: true });
  const database = loadSqliteDriver()(path);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec(readFileSync(join(FIXTURES, "opencode.sql"), "utf8"));
  database.close();
  return path;
}
