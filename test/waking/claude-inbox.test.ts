/** Claude Code's inbox as a stranger finds it: a file about the process, a key beside it, and a socket. */
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWaking } from "../../src/harness/waking.ts";
import { createProcessProbe } from "../../src/platform/process/process-probe.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { livingProcess } from "./support/living-process.ts";

const SESSION = "c8533aa6-8e82-4f35-8100-fa4f9adb9d85";
const WAKE = { text: "You have mail.", forMs: 5000 };
const probe = createProcessProbe({ host: "local" });

interface Options {
  readonly words?: readonly string[];
  readonly mode?: string | null;
  readonly fileSession?: string;
  readonly key?: boolean;
  readonly listening?: boolean;
}

async function session({ words, mode = "default", fileSession = SESSION, key = true, listening = true }: Options = {}) {
  const home = temporaryDirectory();
  const process = livingProcess(probe, words);
  const sessions = join(home, ".claude/sessions");
  const project = join(home, ".claude/projects/-tree");
  mkdirSync(sessions, { recursive: true });
  mkdirSync(project, { recursive: true });
  const socket = join(home, "inbox.sock");
  const said: string[] = [];
  if (listening) await listen(socket, said);
  const about = { pid: process.pid, sessionId: fileSession, messagingSocketPath: socket, status: "idle" };
  writeFileSync(join(sessions, `${process.pid}.json`), JSON.stringify(about));
  const digest = createHash("sha256").update(socket).digest("hex");
  if (key) writeFileSync(join(sessions, `${process.pid}.${digest}.key`), '{"peerToken":"secret"}');
  const transcript = join(project, `${SESSION}.jsonl`);
  const note = (permissionMode: string) =>
    appendFileSync(transcript, `${JSON.stringify({ type: "permission-mode", permissionMode })}\n{"type":"user"}\n`);
  if (mode !== null) note(mode);
  const waking = createWaking({ mode: "auto", env: {}, home, probe });
  const place = { harness: "claude", sessionId: SESSION, process, cwd: "/tree", transcriptPath: null };
  return { waking, target: { ...place, activity: { state: "idle", since: null } } as const, said, note, transcript };
}

/** By this process, since it began. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

async function listen(path: string, said: string[]): Promise<void> {
  const server = createServer((client) => {
    client.setEncoding("utf8").on("data", (text: string) => said.push(text));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((listening) => {
    server.listen(path, listening);
  });
}

describe("Claude Code's inbox, from outside", () => {
  it("is used with the key that lies beside the file about its process", async () => {
    const { waking, target, said } = await session();
    expect(waking.hasInbox(target)).toBe(true);
    expect(await waking.push(target, WAKE)).toBe("sent");
    expect(said.join("")).toContain('{"type":"auth","token":"secret"}\n');
    expect(said.join("")).toContain('"content":"You have mail."');
  });

  it.each<[string, Options]>([
    ["its transcript says that permissions are bypassed", { mode: "bypassPermissions" }],
    ["nothing says whether permissions are bypassed", { mode: null }],
    ["its command line bypasses permissions", { words: ["--dangerously-skip-permissions"] }],
    ["its command line names that mode", { words: ["--permission-mode", "bypassPermissions"] }],
    ["its process has begun another session", { fileSession: "another" }],
    ["there is no key", { key: false }],
    ["nobody listens", { listening: false }],
  ])("is not used when %s", async (_, options) => {
    const { waking, target, said } = await session(options);
    expect(waking.hasInbox(target)).toBe(false);
    expect(await waking.push(target, WAKE)).toBe("no_target");
    expect(said).toEqual([]);
  });

  it.each<[string, Options]>([
    ["another session", { fileSession: "another" }],
    ["no key", { key: false }],
    ["no socket", { listening: false }],
    ["a command line that bypasses permissions", { words: ["--dangerously-skip-permissions"] }],
  ])("is not looked for in a long transcript where there is %s", async (_, options) => {
    const long = 2 * 1024 * 1024;
    const { waking, target, transcript } = await session(options);
    appendFileSync(transcript, '{"type":"user"}\n'.repeat(long / 16));
    const before = bytesRead();
    expect(waking.hasInbox(target)).toBe(false);
    expect(bytesRead() - before).toBeLessThan(long / 2);
  });

  it("follows the newest word about permissions", async () => {
    const { waking, target, note } = await session({ mode: "bypassPermissions" });
    note("plan");
    expect(waking.hasInbox(target)).toBe(true);
    note("bypassPermissions");
    expect(waking.hasInbox(target)).toBe(false);
  });
});
