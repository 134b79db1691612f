/** A tmux server of the test's own, with programs in its panes that the test draws. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { WakeTarget, Waking } from "../../../src/engine/ports/wake.ts";
import { createWaking } from "../../../src/harness/waking.ts";
import type { WakeTry } from "../../../src/mail/rules/wake-status.ts";
import { createProcessProbe } from "../../../src/platform/process/process-probe.ts";
import type { ActivityState } from "../../../src/session/rules/session.ts";
import type { Bundle } from "../../support/fixture.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

export interface Screen {
  readonly title: string;
  readonly rows: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number };
  readonly dialogOnText?: string;
  /** As the fixture says. */
  readonly holds?: string;
  readonly back?: number;
}

export class TmuxServer {
  readonly #directory = temporaryDirectory();
  readonly home = this.#directory;
  readonly #log = join(this.#directory, "typed");
  readonly env = { ...process.env, TMUX: undefined, TMUX_TMPDIR: this.#directory, LC_ALL: "C.UTF-8" };
  readonly probe = createProcessProbe({ host: "local" });
  readonly waking = createWaking({ mode: "auto", env: this.env, home: this.home, probe: this.probe });
  readonly #bundle: Bundle;

  constructor(bundle: Bundle) {
    this.#bundle = bundle;
    onTestFinished(() => void spawnSync("tmux", ["kill-server"], { env: this.env }));
  }

  run(...words: string[]): string {
    return execFileSync("tmux", words, { env: this.env, encoding: "utf8" });
  }

  /** The words that show a screen. */
  program(screen: Screen): readonly string[] {
    return [process.execPath, this.#bundle.file, this.#log, JSON.stringify(screen)];
  }

  /** Resolves when the screen is there. */
  async show(screen: Screen, harness: string, state: ActivityState = "unknown"): Promise<WakeTarget> {
    this.run("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "20", ...this.program(screen));
    await this.isShown(screen);
    return this.target(Number(this.run("list-panes", "-F", "#{pane_pid}")), harness, state);
  }

  async isShown({ title, cursor }: Screen): Promise<void> {
    const at = () => this.run("display-message", "-p", "#{cursor_x} #{cursor_y} #{pane_title}").trimEnd();
    await expect.poll(at).toBe(`${cursor.x} ${cursor.y} ${title}`.trimEnd());
  }

  target(pid: number, harness: string, state: ActivityState = "unknown"): WakeTarget {
    const place = { harness, sessionId: null, process: this.probe.find(pid), cwd: null, transcriptPath: null };
    return { ...place, activity: { state, since: null } };
  }

  /** Ways that use a tmux which does this before anything else. */
  withTmux(first: string): Waking {
    const directory = join(this.#directory, "odd");
    mkdirSync(directory);
    const real = execFileSync("sh", ["-c", "command -v tmux"], { encoding: "utf8" }).trim();
    const lines = `#!/bin/sh\nHOME='${this.home}'\n${first}\nexec '${real}' "$@"\n`;
    writeFileSync(join(directory, "tmux"), lines, { mode: 0o700 });
    const env = { ...this.env, PATH: `${directory}:${process.env["PATH"]}` };
    return createWaking({ mode: "auto", env, home: this.home, probe: this.probe });
  }

  /** Types like a process whose claim holds. */
  type(target: WakeTarget, forMs: number): Promise<WakeTry> {
    return this.waking.type(target, forMs, async () => true);
  }

  childrenOf(pid: string): readonly string[] {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  }

  /** Everything that was typed so far. */
  get typed(): string {
    return existsSync(this.#log) ? readFileSync(this.#log, "utf8") : "";
  }
}
