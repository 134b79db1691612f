/** The pane of a session, in a real tmux server of the test's own. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { CliWorld } from "./support/cli-world.ts";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
if (!hasTmux) process.stderr.write("SKIPPED: the panes of sessions: there is no tmux\n");

class PaneWorld extends CliWorld {
  readonly sockets = this.directory("sockets");
  readonly tmuxEnv = { TMUX_TMPDIR: this.sockets, TERM: "xterm-256color" };

  constructor() {
    super();
    onTestFinished(() => void spawnSync("tmux", ["kill-server"], { env: this.env(this.tmuxEnv) }));
  }

  /** Runs a script in a new pane; it writes the number of the process that stands for its session. */
  async startPane(name: string, script: string): Promise<string> {
    const file = join(this.root, `${name}.pid`);
    const line = `PID_FILE=${file}; ${script}`;
    execFileSync("tmux", ["-f", "/dev/null", "new-session", "-d", "-s", name, "-x", "100", "-y", "30", line], {
      env: this.env(this.tmuxEnv),
    });
    await expect.poll(() => existsSync(file) && readFileSync(file, "utf8").trim()).toMatch(/^\d+$/);
    return readFileSync(file, "utf8").trim();
  }

  /** A member whose process is the given one. */
  async joined(agent: string, pid: string): Promise<void> {
    await this.done("join", { as: agent, env: { TT_AGENT_PID: pid } });
  }

  read(words: string) {
    return this.tt(`read ${words} --json`, { as: "reader:1", env: this.tmuxEnv });
  }
}

describe.skipIf(!hasTmux)("the pane of a session", () => {
  it("is the one that its process runs in, however deep below", async () => {
    const world = new PaneWorld();
    await world.startPane("other", 'echo $$ > "$PID_FILE"; echo wrong pane; exec sleep 600');
    const pid = await world.startPane(
      "right",
      'sleep 600 & echo $! > "$PID_FILE"; echo "Grüße 🪄 from the pane"; wait',
    );
    await world.joined("claude:1", pid);
    await expect.poll(async () => (await world.read("claude --pane")).stdout).toContain("from the pane");
    const outcome = await world.read("claude --pane");
    expect(outcome.json()).toMatchObject({ agent_id: "claude:1", mode: "pane", text: "Grüße 🪄 from the pane" });
    // Nothing else can be read of it, so this is what auto shows.
    expect((await world.read("claude")).json()).toMatchObject({ mode: "pane" });
  });

  it("keeps the newest characters", async () => {
    const world = new PaneWorld();
    const pid = await world.startPane("busy", 'seq 1 500; echo "end 🪄"; echo $$ > "$PID_FILE"; exec sleep 600');
    await world.joined("claude:1", pid);
    await expect.poll(async () => (await world.read("claude --pane")).stdout).toContain("end");
    const all = (await world.read("claude --pane --pane-lines 1000")).json()["text"] as string;
    expect(all.split("\n")).toHaveLength(501);
    expect((await world.read("claude --pane --pane-lines 2")).json()).toMatchObject({ text: "500\nend 🪄" });
    expect((await world.read("claude --pane --pane-max-chars 7")).json()).toMatchObject({
      text: "0\nend 🪄",
      chars_truncated: true,
    });
  });

  it("is refused when the session's process runs in none, or is gone", async () => {
    const world = new PaneWorld();
    const pid = await world.startPane("soon", 'echo $$ > "$PID_FILE"; exec sleep 600');
    await world.joined("claude:1", String(process.pid));
    await world.joined("codex:1", pid);
    expect((await world.read("claude --pane")).error()).toMatchObject({
      error: "recipient_unreachable",
      message: "Its process runs in no pane of your tmux server.",
    });
    process.kill(Number(pid), "SIGKILL");
    await expect
      .poll(async () => (await world.read("codex --pane")).stderr)
      .toContain("Its process is not running here.");
  });
});
