/**
 * A user's machine on which the real Claude Code and the real Codex run, each with our MCP server, against a scripted
 * model. They run in a network of their own with nothing in it but loopback, where the machine allows that.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { inject, onTestFinished } from "vitest";
import type { Bundle } from "../../support/fixture.ts";
import harnesses from "../harnesses.json" with { type: "json" };
import type { Scripts } from "./script.ts";

const cache = resolve(import.meta.dirname, "../../../.cache/harness");

export type HarnessName = "claude" | "codex";

/** Null when it is not installed; `npm run test:harness` installs it, and says so if it cannot. */
export function programOf(harness: HarnessName): string | null {
  const here = (harnesses as Partial<typeof harnesses>)[`${process.platform}-${process.arch}` as "linux-x64"];
  if (!here) return null;
  const { package: name, program } = here[harness];
  const path = join(cache, "node_modules", name, program);
  return existsSync(path) ? path : null;
}

/** Starts the rest of its line in a network that leads nowhere. */
const ALONE = ["unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
const canBeAlone = spawnSync(ALONE[0] ?? "", [...ALONE.slice(1), "true"]).status === 0;

export class HarnessWorld {
  /** Not in the system's temporary directory, in which Codex's sandbox may write anyway. */
  readonly root: string;
  readonly data: string;
  readonly tree: string;
  readonly #model: Bundle;
  readonly #tt = inject("tt");

  constructor(model: Bundle) {
    mkdirSync(cache, { recursive: true });
    this.root = mkdtempSync(join(cache, "world-"));
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true }));
    this.#model = model;
    this.data = this.directory("data");
    this.tree = this.directory("tree");
    spawnSync("git", ["init", "-q"], { cwd: this.tree });
  }

  directory(name: string): string {
    const path = join(this.root, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }

  write(name: string, content: string | object): string {
    const path = join(this.root, name);
    mkdirSync(resolve(path, ".."), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  }

  /** The line that runs `tt` in a shell of a harness. */
  tt(words: string): string {
    return `'${process.execPath}' '${this.#tt}' ${words}`;
  }

  get server() {
    return { command: process.execPath, args: [this.#tt, "mcp"], env: { TT_DATA_DIR: this.data } };
  }

  /** What the harness wrote to its model, oldest first. */
  requests(harness: HarnessName): readonly Readonly<Record<string, unknown>>[] {
    const lines = readFileSync(join(this.root, `${harness}.log`), "utf8")
      .trim()
      .split("\n");
    return lines.map((line) => (JSON.parse(line) as { body: Readonly<Record<string, unknown>> }).body);
  }

  run(harness: HarnessName, words: readonly string[], scripts: Scripts, env: Readonly<Record<string, string>>) {
    const program = programOf(harness) ?? "";
    const scriptsFile = this.write(`${harness}.scripts.json`, scripts);
    const model = [process.execPath, this.#model.file, scriptsFile, join(this.root, `${harness}.log`), program];
    const [first = "", ...line] = [...(canBeAlone ? ALONE : []), ...model, ...words];
    const child = spawn(first, line, {
      cwd: this.tree,
      env: {
        PATH: process.env["PATH"],
        HOME: this.directory(`${harness}-home`),
        LANG: "C.UTF-8",
        TERM: "xterm-256color",
        SHELL: "/bin/bash",
        USER: "root",
        TT_DATA_DIR: this.data,
        ...env,
      },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    // With everything it started.
    onTestFinished(() => {
      try {
        process.kill(-(child.pid ?? 0), "SIGKILL");
      } catch {
        // It has ended.
      }
    });
    return child;
  }
}
