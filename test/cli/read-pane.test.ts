/** The pane of a session, in a real tmux server of the test's own. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../promises/verifies.ts";
import { asPerson, CliWorld } from "./support/cli-world.ts";

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
  async startPane(name: string, script: string, directory = this.tree): Promise<string> {
    const file = join(this.root, `${name}.pid`);
    const line = `PID_FILE=${file}; ${script}`;
    const size = ["-x", "100", "-y", "30"];
    execFileSync("tmux", ["-f", "/dev/null", "new-session", "-d", "-s", name, "-c", directory, ...size, line], {
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

  verifies("X2", "the pane of a holder shows no lease to others, however the terminal breaks its lines", async () => {
    const world = new PaneWorld();
    // The holder's own command in its own pane. The spaces before it move the end of the line to each place of the lease.
    const tt = `TT_AGENT_ID=claude:1 TT_AGENT_PID=$$ '${process.execPath}' '${world.program}'`;
    const tries = `for width in 22 29 36 43 50; do printf "%\${width}s"; ${tt} try --json; done`;
    await world.startPane("holder", `cd '${world.tree}'; ${tries}; echo $$ > "$PID_FILE"; exec sleep 600`);
    await expect.poll(async () => (await world.read("claude --pane")).stdout).toContain("already_owner");
    const text = (await world.read("claude --pane")).json()["text"] as string;
    expect(text.match(/\[lease\]/g)).toHaveLength(5);
    const { lease_id: lease } = (await world.done("try --json", { as: "claude:1" })).json() as { lease_id: string };
    const plain = text.replaceAll(/[^0-9a-z]/g, "");
    for (let at = 0; at + 8 <= 25; at += 1) expect(plain).not.toContain(lease.slice(-25).slice(at, at + 8));
  });

  it("is read by the name of its tmux session, window or pane where no agent is known", async () => {
    const world = new PaneWorld();
    await world.startPane("build", 'echo $$ > "$PID_FILE"; echo "tests pass"; exec sleep 600');
    await world.done("join", { as: "reader:1" });
    await expect.poll(async () => (await world.read("build --pane")).stdout).toContain("tests pass");
    const shown = (await world.read("build --pane")).json();
    const nobody = { agent_id: null, handle: null, harness: null, mode: "pane", text: "tests pass" };
    expect(shown).toMatchObject(nobody);
    expect((await world.read(`${String(shown["pane"])} --pane`)).json()).toMatchObject(nobody);
    expect((await world.read("build:0.0 --pane")).json()).toMatchObject(nobody);
    const text = await world.tt("read build --pane --text", { as: "reader:1", env: world.tmuxEnv });
    expect(text.stdout).toBe(`pane ${String(shown["pane"])}:\n\ntests pass\n`);
    // There is no transcript, so this is what auto shows.
    expect((await world.read("build")).json()).toMatchObject(nobody);
    // A part of a name is none, and neither is a pattern.
    for (const words of ["build --transcript", "buil --pane", "b* --pane", "=build --pane"]) {
      expect((await world.read(words)).error()).toMatchObject({ error: "unknown_recipient" });
    }
  });

  it("is read by agents only within their project where no agent is known, and by a person anywhere", async () => {
    const world = new PaneWorld();
    const elsewhere = world.directory("else where");
    await world.startPane("private", 'echo $$ > "$PID_FILE"; echo "my bank"; exec sleep 600', elsewhere);
    await world.done("join", { as: "reader:1" });
    for (const words of ["private", "private --pane", "private:0.0 --pane", "%0 --pane"]) {
      const { stdout, stderr } = await world.read(words);
      expect(`${stdout}${stderr}`).not.toContain("my bank");
      expect(JSON.parse(stderr)).toMatchObject({ error: "cross_project" });
    }
    // tmux would tell another path where the locale knows no such letter.
    const accent = world.directory("é");
    await world.startPane("accent", 'echo $$ > "$PID_FILE"; echo "ours"; exec sleep 600', accent);
    const env = { ...world.tmuxEnv, LANG: "C", LC_ALL: "C" };
    const accented = await world.tt("read accent --pane --json", { as: "reader:1", env, cwd: accent });
    expect(accented.json()).toMatchObject({ agent_id: null, text: "ours" });
    // A path whose first line is a path of the project is not in it.
    await world.startPane("broken", 'echo $$ > "$PID_FILE"; exec sleep 600', world.directory("tree\nelsewhere"));
    expect((await world.read("broken --pane")).error()).toMatchObject({ error: "cross_project" });
    const shown = await asPerson(world, "read private --pane", { env: world.tmuxEnv });
    expect(shown.stdout).toContain("my bank");
    const inProject = await world.tt("read private --json", { as: "reader:1", env: world.tmuxEnv, cwd: elsewhere });
    expect(inProject.json()).toMatchObject({ agent_id: null, text: "my bank" });
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
