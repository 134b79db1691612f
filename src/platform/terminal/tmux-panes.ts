/** The panes of this user's tmux server, each with the process it was made for, and what they show. */
import { findProgram } from "../process/find-program.ts";

const PATIENCE_MS = 1000;
const MOST_BYTES = 16 * 1024 * 1024;

export interface TmuxPane {
  readonly pane: string;
  readonly pid: number;
}

/** No server, no tmux: no panes. */
export function tmuxPanes(): readonly TmuxPane[] {
  const panes = (askTmux(["list-panes", "-a", "-F", "#{pane_id} #{pane_pid}"]) ?? "").split("\n");
  return panes.flatMap((line) => {
    const [, pane, pid] = /^(%\d+) (\d+)$/.exec(line) ?? [];
    return pane === undefined ? [] : [{ pane, pid: Number(pid) }];
  });
}

/** What is on the screen and above it, without colours; null when the pane is gone. */
export function capturePane(pane: string, lines: number): string | null {
  return askTmux(["capture-pane", "-p", "-t", pane, "-S", `-${lines}`]);
}

/** What tmux prints; null when it is missing, fails or takes too long. */
export function askTmux(args: readonly string[], timeoutMs = PATIENCE_MS): string | null {
  const program = findProgram(process.env, "tmux");
  if (program === null) return null;
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status, stdout } = spawnSync(program, args, {
    encoding: "utf8",
    timeout: timeoutMs,
    maxBuffer: MOST_BYTES,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout : null;
}
