/** One pane of this user's tmux server: what it shows, where its cursor is, and keys for it. */
import { statSync } from "node:fs";
import { askProgram } from "../process/ask-program.ts";
import { readProcText, STAT_LENGTH, statFields } from "../process/proc-text.ts";
import { runBriefly } from "../process/run-briefly.ts";
import type { Environment } from "../settings/environment.ts";

export interface TmuxView {
  readonly pane: string;
  readonly title: string;
  readonly cursor: { readonly x: number; readonly y: number };
  readonly inMode: boolean;
  /** With colours. */
  readonly screen: string;
}

const FIELDS = ["pane_id", "pane_pid", "cursor_x", "cursor_y", "pane_in_mode", "pane_dead", "pane_tty", "pane_title"];
const FORMAT = FIELDS.map((field) => `#{${field}}`).join(" ");
const FIELD_LINE = /^(%\d+) (\d+) (\d+) (\d+) (\d+) ([01]?) (\S+) ?(.*)$/;

export interface ListedPane {
  readonly pane: string;
  readonly pid: number;
  readonly tty: string;
}

/** Every pane with the process it was made for and its terminal; none where there is no tmux. */
export async function listPanes(env: Environment, timeoutMs: number): Promise<readonly ListedPane[]> {
  const lines = (await tmux(["list-panes", "-a", "-F", FORMAT], env, timeoutMs))?.split("\n") ?? [];
  return lines.flatMap((line) => {
    const [, pane, pid, , , , dead, tty] = FIELD_LINE.exec(line) ?? [];
    return pane === undefined || tty === undefined || dead === "1" ? [] : [{ pane, pid: Number(pid), tty }];
  });
}

/** Both in one call, so that the cursor belongs to the screen. */
export async function viewPane(pane: string, env: Environment, timeoutMs: number): Promise<TmuxView | null> {
  const words = ["display-message", "-p", "-t", pane, FORMAT, ";", "capture-pane", "-p", "-e", "-t", pane];
  const answer = await tmux(words, env, timeoutMs);
  const end = answer?.indexOf("\n") ?? -1;
  if (answer === null || end < 0) return null;
  const [, id, , x, y, mode, , , title = ""] = FIELD_LINE.exec(answer.slice(0, end)) ?? [];
  if (id !== pane) return null;
  const cursor = { x: Number(x), y: Number(y) };
  return { pane, title, cursor, inMode: mode !== "0", screen: answer.slice(end + 1) };
}

/** Whether keys typed into that terminal go to this very process, and not to a shell that it was stopped in. */
export function isInForeground(pid: number, tty: string): boolean {
  const terminal = deviceOf(tty);
  return terminal !== null && terminal === foregroundOf(pid);
}

/** The device number of the terminal in whose foreground a process is; null if it is in none, or that cannot be told. */
function foregroundOf(pid: number): number | null {
  if (process.platform !== "linux") return foregroundByPs(pid);
  const stat = statFields(readProcText(`/proc/${pid}/stat`, STAT_LENGTH) ?? "");
  return stat?.isForeground && stat.terminal !== 0 ? stat.terminal : null;
}

function foregroundByPs(pid: number): number | null {
  try {
    const [tty = "", state = ""] = askProgram("ps", ["-o", "tty=,stat=", "-p", String(pid)])
      .trim()
      .split(/\s+/);
    return tty === "" || tty.startsWith("?") || !state.includes("+") ? null : deviceOf(`/dev/${tty}`);
  } catch {
    // No such process, or one that we may not read.
    return null;
  }
}

/** `refused`: nothing was typed. `doubtful`: it took too long, and may have been typed. */
export type Typed = "done" | "refused" | "doubtful";

export async function sendText(pane: string, text: string, env: Environment, timeoutMs: number): Promise<Typed> {
  const answer = await runBriefly("tmux", ["send-keys", "-t", pane, "-l", "--", text], { env, timeoutMs });
  if (answer.ended === "exit") return answer.code === 0 ? "done" : "refused";
  return answer.ended === "missing" ? "refused" : "doubtful";
}

export async function pressEnter(pane: string, env: Environment, timeoutMs: number): Promise<void> {
  await tmux(["send-keys", "-t", pane, "Enter"], env, timeoutMs);
}

async function tmux(words: readonly string[], env: Environment, timeoutMs: number): Promise<string | null> {
  const answer = await runBriefly("tmux", words, { env, timeoutMs });
  return answer.ended === "exit" && answer.code === 0 ? answer.output : null;
}

function deviceOf(path: string): number | null {
  try {
    return statSync(path).rdev;
  } catch {
    // The terminal has closed, or is another machine's.
    return null;
  }
}
