/** A machine on which it shows whether a hook has started its program, with a peer in the room of the session. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hookScript } from "../../../src/harness/hook-script.ts";
import type { HookEvent } from "../../../src/hooks/rules/hook.ts";
import { type Harness, type HarnessName, type HookRun, HookWorld, type Payload } from "./hook-world.ts";

export const PEER = { as: "peer:1" };
const SESSION = "11111111-aaaa-4aaa-8aaa-111111111111";

/** The version of the script, unless a test says otherwise. */
const VERSION = "0.0.0";

export class QuietWorld extends HookWorld {
  readonly #starts = join(this.root, "starts");

  /** One session that has begun, beside a peer. Its first prompt has found nothing to do. */
  static async with(name: HarnessName, { shell = "/bin/sh" } = {}): Promise<QuietSession> {
    const world = new QuietWorld();
    await world.done("join", PEER);
    world.install({ shell });
    const session = new QuietSession(world, name, world.harness(name));
    await session.hook("session-start", { source: "startup" });
    await session.prompt();
    return session;
  }

  /** The program leaves a line whenever it starts. */
  install({ version = VERSION, shell = "/bin/sh", sharedStore = false, edit = (text: string) => text } = {}): void {
    const node = join(this.root, "node");
    writeFileSync(node, `#!/bin/sh\necho started >>'${this.#starts}'\nexec '${process.execPath}' "$@"\n`, {
      mode: 0o700,
    });
    const hookProgram = join(this.program, "../hook.cjs");
    const text = hookScript({ version, node, hookProgram, dataDir: this.data, sharedStore });
    writeFileSync(this.script, edit(text.replace("#!/bin/sh", `#!${shell}`)), { mode: 0o700 });
  }

  /** How often a program was started since the last question. */
  starts(): number {
    const lines = existsSync(this.#starts) ? readFileSync(this.#starts, "utf8") : "";
    rmSync(this.#starts, { force: true });
    return lines.split("\n").length - 1;
  }
}

export interface QuietRun extends HookRun {
  readonly isQuiet: boolean;
}

export class QuietSession {
  readonly id = SESSION;
  readonly world: QuietWorld;
  readonly harness: Harness;
  readonly #name: HarnessName;

  constructor(world: QuietWorld, name: HarnessName, harness: Harness) {
    this.world = world;
    this.harness = harness;
    this.#name = name;
  }

  async hook(event: HookEvent, more: Payload = {}, harness = this.harness): Promise<QuietRun> {
    this.world.starts();
    const run = await harness.hook(event, this.id, more);
    return { ...run, isQuiet: this.world.starts() === 0 };
  }

  prompt(more: Payload = {}): Promise<QuietRun> {
    return this.hook("prompt", { prompt: "go on", ...more });
  }

  stop(more: Payload = {}): Promise<QuietRun> {
    return this.hook("stop", { stop_hook_active: false, ...more });
  }

  tt(words: string): Promise<HookRun> {
    return this.harness.tt(words, this.id);
  }

  file(kind: "mark" | "told" | "permit"): string {
    const [permit = ""] = kind === "permit" ? [this.mark[0]?.split(" ")[3]] : [];
    return join(this.world.data, "quiet", kind, kind === "permit" ? permit : this.id);
  }

  /** The lines of its mark. */
  get mark(): readonly string[] {
    return readFileSync(this.file("mark"), "utf8").split("\n");
  }

  /** Writes its mark again, with some words of the first line changed. */
  changeMark(change: (words: string[]) => readonly string[]): void {
    const [first = "", ...rest] = this.mark;
    writeFileSync(this.file("mark"), [change(first.split(" ")).join(" "), ...rest].join("\n"));
  }

  /** What others see of it. */
  async activity(): Promise<string | undefined> {
    const peers = await this.world.done("peers --json", PEER);
    const { sessions } = peers.json() as { sessions: readonly { harness: string; activity: string }[] };
    return sessions.find(({ harness }) => harness === this.#name)?.activity;
  }
}
