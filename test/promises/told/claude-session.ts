/**
 * A session as Claude Code shows one to others: a process, the file that it keeps about itself, an inbox, and hooks. The
 * hooks are the real ones, run in this process. The inbox drops a text that is the same as the one before, as the real one
 * does.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { asAgentId } from "../../../src/core/ids.ts";
import type { ProcessRef } from "../../../src/core/process.ts";
import type { Deps } from "../../../src/engine/deps.ts";
import { adviceFrom } from "../../../src/guard/advice-news.ts";
import type { HookDeps } from "../../../src/hooks/hook-deps.ts";
import type { HookEvent } from "../../../src/hooks/rules/hook.ts";
import { leaveSign } from "../../../src/platform/agents/activity.ts";
import { createAdvice } from "../../../src/platform/agents/advice-files.ts";
import { openAgentFiles } from "../../../src/platform/agents/agent-files.ts";
import { createMailFlags } from "../../../src/platform/agents/mail-flags.ts";
import { createRetiredSessions } from "../../../src/platform/agents/retired-sessions.ts";
import { createSessionCards } from "../../../src/platform/agents/session-card.ts";
import { createSessionClaims } from "../../../src/platform/agents/sticky-claim.ts";
import { createSubagentMarks } from "../../../src/platform/agents/subagent-marks.ts";
import type { Caller } from "../../../src/session/rules/decision-input.ts";
import { runHook } from "../../../src/surfaces/hook/run-hook.ts";
import { idOf } from "../../support/session-clues.ts";
import type { Ground } from "../../support/sqlite-world.ts";

const SESSION = "c8533aa6-8e82-4f35-8100-fa4f9adb9d85";

export class ClaudeSession {
  readonly agentId = asAgentId(idOf("claude", SESSION));
  /** Whether a wake begins a turn, or gets lost. */
  isDeaf = false;
  /** What the hooks of this session have printed since the last question. */
  #printed = "";
  #status: "busy" | "idle" = "idle";
  #turn = 0;
  #lastPush = "";
  #waking: Promise<void> = Promise.resolve();
  #child: ChildProcess;
  readonly #deps: Deps;
  readonly #ground: Ground;
  readonly #hookDeps: HookDeps;
  readonly #inbox: Server;
  readonly #socket: string;

  constructor(deps: Deps, ground: Ground) {
    this.#deps = deps;
    this.#ground = ground;
    this.#hookDeps = hookDepsOf(deps, ground.dataDir);
    this.#socket = join(ground.tree, "../inbox.sock");
    this.#inbox = createServer((client) => {
      let said = "";
      client.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
      client.once("end", () => this.#pushed(said));
    });
    this.#child = startProcess();
  }

  async begin(): Promise<void> {
    mkdirSync(join(this.#ground.dataDir, "activity"), { recursive: true, mode: 0o700 });
    mkdirSync(this.#sessions, { recursive: true });
    writeFileSync(this.#transcript, `${JSON.stringify({ type: "permission-mode", permissionMode: "default" })}\n`);
    this.#inbox.listen(this.#socket);
    await once(this.#inbox, "listening");
    await this.#start("startup");
  }

  end(): void {
    this.#child.kill("SIGKILL");
    this.#inbox.close();
  }

  get status(): "busy" | "idle" {
    return this.#status;
  }

  /** What its model has been shown since this was last asked. */
  takePrinted(): string {
    const printed = this.#printed;
    this.#printed = "";
    return printed;
  }

  /** Its user writes to it, or a wake begins a turn. */
  async prompt(): Promise<void> {
    this.#turn += 1;
    this.#become("busy");
    await this.#hook("prompt");
  }

  async useTool(): Promise<void> {
    await this.#hook("pre-tool");
    await this.#hook("post-tool");
  }

  /** The model is done, and goes on once if a hook has something for it. */
  async stop(): Promise<void> {
    await this.#stopHook();
    this.#become("idle");
  }

  /** The same, but another hook at the end of the turn is still at work, and so the file says that the session is. */
  async stopSlowly(): Promise<void> {
    await this.#stopHook();
    this.#status = "idle";
  }

  /** The same, but that other hook lets the turn go on. The file says nothing new. */
  async stopAndGoOn(): Promise<void> {
    await this.#stopHook();
  }

  /** Esc: no hook tells of it, only the file. */
  escape(): void {
    this.#become("idle");
  }

  /** Resolves when a turn that a wake began has got its prompt. */
  async woken(): Promise<void> {
    await this.#waking;
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }

  /** `/exit`, and the process ends. */
  async leave(): Promise<void> {
    await this.#hook("session-end", { reason: "prompt_input_exit" });
    await this.kill();
  }

  async resume(): Promise<void> {
    this.#child = startProcess();
    await this.#start("resume");
  }

  async #stopHook(): Promise<void> {
    const before = this.#printed;
    await this.#hook("stop");
    if (this.#printed !== before) await this.#hook("stop", { stop_hook_active: true });
  }

  async #start(source: string): Promise<void> {
    this.#become("idle");
    await this.#hook("session-start", { source });
  }

  get #sessions(): string {
    return join(this.#ground.env["HOME"] ?? "", ".claude/sessions");
  }

  get #transcript(): string {
    return join(this.#sessions, `${SESSION}.jsonl`);
  }

  #become(status: "busy" | "idle"): void {
    this.#status = status;
    const { pid } = this.#child;
    const about = { pid, sessionId: SESSION, messagingSocketPath: this.#socket, status, statusUpdatedAt: Date.now() };
    writeFileSync(join(this.#sessions, `${pid}.json`), JSON.stringify(about));
    const digest = createHash("sha256").update(this.#socket).digest("hex");
    writeFileSync(join(this.#sessions, `${pid}.${digest}.key`), '{"peerToken":"secret"}');
  }

  #pushed(said: string): void {
    const isSame = said === this.#lastPush;
    this.#lastPush = said;
    if (!this.isDeaf && !isSame) this.#waking = this.prompt();
  }

  async #hook(event: HookEvent, more: object = {}): Promise<void> {
    this.#leaveSign();
    const payload = {
      session_id: SESSION,
      cwd: this.#ground.tree,
      transcript_path: this.#transcript,
      prompt_id: `turn-${this.#turn}`,
      ...more,
    };
    await runHook(["claude", event], {
      readPayload: async () => payload,
      writeOut: (text) => {
        this.#printed += text;
      },
      openDeps: async () => this.#hookDeps,
      identify: async () => this.#caller,
      log: (what) => {
        throw new Error(`${event}: ${what}`);
      },
    });
  }

  /** As the script of the hooks does before it starts our program. */
  #leaveSign(): void {
    const [uptime] = readFileSync("/proc/uptime", "utf8").split(" ");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
    writeFileSync(join(this.#ground.dataDir, "activity", SESSION), `${uptime}\n${boot}`);
  }

  get #process(): ProcessRef | null {
    return this.#deps.probe.find(this.#child.pid ?? -1);
  }

  get #caller(): Caller {
    const { tree: cwd } = this.#ground;
    return {
      agentId: this.agentId,
      harness: "claude",
      isPerson: false,
      process: this.#process,
      sessionId: SESSION,
      formerId: null,
      tmuxPane: null,
      facts: { idSource: "hook", harnessVersion: null, cwd, transcriptPath: this.#transcript },
    };
  }
}

function startProcess(): ChildProcess {
  return spawn("sleep", ["100000"], { stdio: "ignore" });
}

/** One store for all of them: it stays open. */
function hookDepsOf(deps: Deps, dataDir: string): HookDeps {
  const store = new Proxy(deps.store, {
    get: (target, key) => {
      if (key === "close") return async () => undefined;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return {
    ...deps,
    store,
    flags: createMailFlags(dataDir),
    cards: createSessionCards(dataDir),
    claims: createSessionClaims(dataDir),
    retired: createRetiredSessions(dataDir),
    subagents: createSubagentMarks(dataDir),
    memory: openAgentFiles(dataDir),
    adviceNews: adviceFrom(createAdvice(dataDir)),
    isMarked: () => false,
    leftMs: () => 1000,
    leaveSign: (sessionId) => leaveSign({ dataDir, clock: deps.clock }, sessionId),
    wakeMode: "auto",
  };
}
