/** The panes of this user's tmux server, each with the process it was made for, and what they show. */
const PATIENCE_MS = 1000;
const MOST_BYTES = 16 * 1024 * 1024;

export interface TmuxPane {
  readonly pane: string;
  readonly pid: number;
}

/** No server, no tmux: no panes. */
export function tmuxPanes(): readonly TmuxPane[] {
  const panes = (tmux(["list-panes", "-a", "-F", "#{pane_id} #{pane_pid}"]) ?? "").split("\n");
  return panes.flatMap((line) => {
    const [, pane, pid] = /^(%\d+) (\d+)$/.exec(line) ?? [];
    return pane === undefined ? [] : [{ pane, pid: Number(pid) }];
  });
}

/** What is on the screen and above it, without colours; null when the pane is gone. */
export function capturePane(pane: string, lines: number): string | null {
  return tmux(["capture-pane", "-p", "-t", pane, "-S", `-${lines}`]);
}

function tmux(args: readonly string[]): string | null {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status, stdout } = spawnSync("tmux", args, {
    encoding: "utf8",
    timeout: PATIENCE_MS,
    maxBuffer: MOST_BYTES,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout : null;
}
