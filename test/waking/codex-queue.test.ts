/** A program called codex that does what the test says, found where Codex would be found. */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWaking } from "../../src/harness/waking.ts";
import { createProcessProbe } from "../../src/platform/process/process-probe.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { livingProcess } from "./support/living-process.ts";

const THREAD = "01a1deda-17b3-7ea0-8805-90a416c15406";
const WAKE = { text: "You have mail.", forMs: 5000 };
const probe = createProcessProbe({ host: "local" });

function machine({ script = "exit 0", loaded = true } = {}) {
  const home = temporaryDirectory();
  const bin = join(home, "bin");
  const locks = join(home, ".codex/thread-writer-locks");
  mkdirSync(bin);
  mkdirSync(locks, { recursive: true });
  if (loaded) writeFileSync(join(locks, `${THREAD}.lock`), "");
  const said = join(home, "said");
  const codex = join(bin, "codex");
  writeFileSync(codex, `#!/bin/sh\nprintf '%s\\n' "$CODEX_HOME" "$HOME" "$@" > '${said}'\n${script}\n`);
  chmodSync(codex, 0o755);
  const env = { PATH: [bin, process.env["PATH"]].join(delimiter) };
  const waking = createWaking({ mode: "auto", env, home, probe });
  return { home, said, waking };
}

function target(process = livingProcess(probe)) {
  const place = { harness: "codex", sessionId: THREAD, process, cwd: null, transcriptPath: null };
  return { ...place, activity: { state: "idle", since: null } as const };
}

describe("codex queue", () => {
  it("gets the thread and the text, in the user's own home", async () => {
    const { waking, said, home } = machine();
    expect(await waking.push(target(), WAKE)).toBe("sent");
    const words = ["queue", "--thread", THREAD, "--message", WAKE.text];
    expect(readFileSync(said, "utf8").trim().split("\n")).toEqual([join(home, ".codex"), home, ...words]);
  });

  it("that refuses has done nothing", async () => {
    expect(await machine({ script: "exit 1" }).waking.push(target(), WAKE)).toBe("failed");
  });

  it("that hangs may have done it, and is not left behind", async () => {
    const { waking, said } = machine({ script: 'echo $$ > "$HOME/pid"; exec sleep 1000' });
    const pushing = waking.push(target(), { ...WAKE, forMs: 1500 });
    await expect.poll(() => existsSync(said)).toBe(true);
    expect(await pushing).toBe("sent");
    const pid = Number(readFileSync(said.replace(/said$/, "pid"), "utf8"));
    await expect.poll(() => probe.find(pid)).toBeNull();
  });

  it("is not there", async () => {
    const { home } = machine();
    const waking = createWaking({ mode: "auto", env: { PATH: join(home, "nowhere") }, home, probe });
    expect(await waking.push(target(), WAKE)).toBe("failed");
  });

  it("is not used for a thread that is not loaded here", () => {
    expect(machine({ loaded: false }).waking.hasInbox(target())).toBe(false);
    expect(machine().waking.hasInbox(target())).toBe(true);
  });

  it("is not used for a thread whose process has ended, unless a process keeps it locked", async () => {
    const process = livingProcess(probe);
    process.end();
    await expect.poll(() => probe.verdict(process)).toBe("gone");
    const { home, waking } = machine();
    const gone = target(process);
    expect(waking.hasInbox(gone)).toBe(false);
    const daemon = spawn("flock", [join(home, ".codex/thread-writer-locks", `${THREAD}.lock`), "sleep", "1000"]);
    onTestFinished(() => void daemon.kill());
    await expect.poll(() => waking.hasInbox(gone)).toBe(true);
  });
});
