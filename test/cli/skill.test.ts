/** The skill is what an agent learns from: it stays short, and whatever it says to type works, in the order it says it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeRepository } from "../support/git-repository.ts";
import { placeTranscript, SESSION_IDS } from "../support/harness-home.ts";
import { CliWorld, changePolicy, type Outcome, type RunOptions } from "./support/cli-world.ts";
import { pathWithTt, ShellAgent } from "./support/shell-agent.ts";

const skill = readFileSync(join(import.meta.dirname, "../../skills/talking-stick/SKILL.md"), "utf8");
const CLAUDE: RunOptions = { who: "claude", env: { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: SESSION_IDS.claude } };

/** Every line of its examples, in order. */
function typedLines(): readonly string[] {
  return [...skill.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) => block.trimEnd().split("\n"));
}

/** The first message, or note, that a listing in JSON shows. */
function firstId(answer: Record<string, unknown>, list: string, id: string): string {
  return (answer[list] as Record<string, string>[])[0]?.[id] ?? "";
}

class Story {
  readonly world = new CliWorld();
  readonly codex: ShellAgent;
  #me: string | null = null;

  constructor() {
    makeRepository(this.world.tree);
    placeTranscript(this.world.home, "codex", this.world.tree);
    this.codex = new ShellAgent(this.world, "codex", { CODEX_SESSION_ID: SESSION_IDS.codex, CODEX_VERSION: "0.166.0" });
  }

  /** What has to be true before the line is typed, by what it begins with; and what it has to say instead of NAME-ID. */
  async prepare(line: string): Promise<string> {
    const { world, codex } = this;
    if (/^tt (listen|msg recv)/.test(line)) await codex.run('tt msg send claude "the lexer is done"');
    if (line.startsWith("tt request")) await codex.run("tt try");
    if (line.startsWith("tt take")) await this.#codexDies();
    if (line.includes("NOTE-ID")) {
      const notes = (await world.done("notes list --open --json", CLAUDE)).json();
      return line.replace("NOTE-ID", firstId(notes, "notes", "note_id"));
    }
    if (!line.includes("MESSAGE-ID")) return line;
    await codex.run('tt msg send claude "may they go?"');
    const mail = (await world.done("msg recv --json", CLAUDE)).json();
    return line.replace("MESSAGE-ID", firstId(mail, "messages", "message_id"));
  }

  async #codexDies(): Promise<void> {
    const { world, codex } = this;
    await changePolicy(world, "gone_grace_ms=0");
    await codex.die();
    await world.until("state --json", ({ stdout }) => stdout.includes('"owner_gone"'), CLAUDE);
  }

  async type(line: string): Promise<Outcome["code"]> {
    // Its own lease may be shown to it.
    this.#me ??= String((await this.world.done("whoami --json", CLAUDE)).json()["agent_id"]);
    const running = this.world.startProgram("sh", ["-c", line], {
      who: this.#me,
      env: { ...CLAUDE.env, PATH: pathWithTt(this.world) },
    });
    if (line.startsWith("tt ask")) await this.#answer();
    const { code, stderr } = await running.ended;
    expect([line, stderr]).toEqual([line, ""]);
    return code;
  }

  /** What else is in the mailbox comes first. */
  async #answer(): Promise<void> {
    for (;;) {
      const { messages } = JSON.parse(await this.codex.run("tt msg recv --wait --timeout 50s --json")) as {
        messages: Record<string, string>[];
      };
      const ask = messages.find(({ kind }) => kind === "ask");
      if (ask) return void (await this.codex.run(`tt reply ${ask["message_id"]} "yes"`));
    }
  }
}

it("has at most 5 000 characters, a name and a description", () => {
  expect(skill.length).toBeLessThanOrEqual(5000);
  const [, front = ""] = /^---\n(.*?)\n---\n/s.exec(skill) ?? [];
  expect(front.split("\n").map((line) => line.split(":")[0])).toEqual(["name", "description"]);
  expect(front).toContain("name: talking-stick\n");
  // Harnesses refuse longer ones.
  expect((front.split("description: ")[1] ?? "").length).toBeLessThanOrEqual(1024);
});

it("every line that it tells to type works, one after the other, with another agent at work", async () => {
  const lines = typedLines();
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.every((line) => line === "tt" || line.startsWith("tt "))).toBe(true);
  const story = new Story();
  await story.codex.run("tt join");
  for (const line of lines) {
    expect([line, await story.type(await story.prepare(line))]).toEqual([line, 0]);
  }
});
