/** A machine with one guarded room, a peer without hooks, and sessions that ask before they write. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hookScript } from "../../../src/harness/hook-script.ts";
import { setGuard } from "../../cli/support/cli-world.ts";
import { makeRepository } from "../../support/git-repository.ts";
import { type Harness, type HarnessName, type HookRun, HookWorld, type Payload } from "./hook-world.ts";

export const PEER = { as: "peer:1" };
export const RELEASE = ["release", "--status", "done", "--next-action", "go on"];

export const SESSIONS: Readonly<Record<HarnessName, string>> = {
  claude: "11111111-aaaa-4aaa-8aaa-111111111111",
  codex: "01a1de4f-f37c-7292-8a4a-8ad18c8e90ee",
  gemini: "f5fc8db0-37d8-48bf-853e-4658fcb2d658",
  opencode: "ses_6f1ab3c2dffe4KxQ9vTzLm0RwY",
};

/** The payload of a tool that edits a file, in the words of each harness. */
export const EDITS: Readonly<Record<HarnessName, (path: string) => Payload>> = {
  claude: (path) => ({ tool_name: "Write", tool_input: { file_path: path, content: "x" } }),
  codex: (path) => ({ tool_name: "apply_patch", tool_input: { command: patchOf(path) } }),
  gemini: (path) => ({ tool_name: "write_file", tool_input: { file_path: path, content: "x" } }),
  opencode: (path) => ({ tool_name: "write", tool_input: { filePath: path, content: "x" } }),
};

export const SHELLS: Readonly<Record<HarnessName, string>> = {
  claude: "Bash",
  codex: "Bash",
  gemini: "run_shell_command",
  opencode: "bash",
};

function patchOf(path: string): string {
  return `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch\n`;
}

export class GuardedWorld extends HookWorld {
  roomId = "";
  readonly harnesses = new Map<HarnessName, Harness>();

  /** The peer holds the stick, or nobody does. */
  static async open(mode: string, holder: "peer" | "nobody" = "peer"): Promise<GuardedWorld> {
    const world = new GuardedWorld();
    await world.guard(mode, holder);
    return world;
  }

  async guard(mode: string, holder: "peer" | "nobody"): Promise<void> {
    makeRepository(this.tree);
    this.roomId = (await this.done("join --json", PEER)).json()["room_id"] as string;
    await setGuard(this, mode);
    if (holder === "peer") await this.done("try", PEER);
  }

  /** A session that has begun and has hooks. */
  async session(name: HarnessName): Promise<Harness> {
    const harness = this.harness(name);
    this.harnesses.set(name, harness);
    await harness.hook("session-start", SESSIONS[name], { source: "startup" });
    await harness.hook("prompt", SESSIONS[name], { prompt: "go on" });
    return harness;
  }

  /** Asks before an edit of a file in the tree. */
  edit(name: HarnessName, more: Payload = {}, path = join(this.tree, "x")): Promise<HookRun> {
    const harness = this.harnesses.get(name) ?? this.harness(name);
    return harness.hook("guard", SESSIONS[name], { ...EDITS[name](path), ...more });
  }

  /** From now on the script starts this instead of Node, which prints a word and ends. */
  withoutNode(code = 0): void {
    const stub = join(this.root, "stub");
    writeFileSync(stub, `#!/bin/sh\necho '{"context":"started"}'\nexit ${code}\n`);
    chmodSync(stub, 0o700);
    this.installWith({ node: stub, hookProgram: stub });
  }

  installWith(places: { readonly node?: string; readonly hookProgram?: string }): void {
    const hookProgram = join(this.program, "../hook.cjs");
    const right = { version: "0.0.0", node: process.execPath, hookProgram, dataDir: this.data };
    writeFileSync(this.script, hookScript({ ...right, ...places }), { mode: 0o700 });
  }

  passOf(name: HarnessName): string | null {
    const path = join(this.data, "guard/pass", SESSIONS[name]);
    return existsSync(path) ? readFileSync(path, "utf8") : null;
  }

  writePass(name: HarnessName, pass: string): void {
    writeFileSync(join(this.data, "guard/pass", SESSIONS[name]), pass, { mode: 0o600 });
  }
}
