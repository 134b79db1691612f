/** The panes of this user's tmux server, each with the process it was made for, and what they show. */
import { findProgram } from "../process/find-program.ts";
import type { ProcessSights } from "../process/process-sights.ts";

const PATIENCE_MS = 1000;
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_GENERATIONS = 64;

export interface TmuxPane {
  readonly pane: string;
  readonly pid: number;
  readonly session: string;
  /** `session:window.pane`; and for the pane that its session shows, the session's name. */
  readonly names: readonly string[];
}

const FORMAT = "#{pane_id} #{pane_pid} #{window_active}#{pane_active} #{window_index}.#{pane_index} #{session_name}";

/** No server, no tmux: no panes. */
export function tmuxPanes(timeoutMs = PATIENCE_MS): readonly TmuxPane[] {
  const panes = (askTmux(["list-panes", "-a", "-F", FORMAT], timeoutMs) ?? "").split("\n");
  return panes.flatMap((line) => {
    const [, pane, pid, active, place, session] = /^(%\d+) (\d+) (\d+) (\d+\.\d+) (.+)$/.exec(line) ?? [];
    if (pane === undefined || session === undefined) return [];
    const names = [`${session}:${place}`, ...(active === "11" ? [session] : [])];
    return [{ pane, pid: Number(pid), session, names }];
  });
}

/** The tmux session that each pane belongs to. */
export function tmuxSessions(): ReadonlyMap<string, string> {
  return new Map(tmuxPanes(PATIENCE_MS / 2).map(({ pane, session }) => [pane, session]));
}

/** The nearest pane above a process: it shows the session. Pane ids in an environment prove nothing. */
export function paneAbove(
  pid: number,
  sights: Pick<ProcessSights, "look">,
  panes: readonly Pick<TmuxPane, "pane" | "pid">[],
): string | null {
  let current = pid;
  for (let generation = 0; generation < MOST_GENERATIONS && current > 1; generation += 1) {
    const pane = panes.find((candidate) => candidate.pid === current);
    if (pane) return pane.pane;
    current = sights.look(current)?.parentPid ?? 0;
  }
  return null;
}

/** What is on the screen and above it, without colours; null when the pane is gone. */
export function capturePane(pane: string, lines: number): string | null {
  return askTmux(["capture-pane", "-p", "-t", pane, "-S", `-${lines}`]);
}

/**
 * The directory of the process in the pane's foreground; null when tmux does not know it. A question of its own: a path
 * may contain line breaks, and in the list of panes it could imitate another pane.
 */
export function paneDirectory(pane: string): string | null {
  return askTmux(["display-message", "-p", "-t", pane, "#{pane_current_path}"])?.replace(/\n$/, "") || null;
}

/** What tmux prints; null when it is missing, fails or takes too long. */
function askTmux(args: readonly string[], timeoutMs = PATIENCE_MS): string | null {
  const program = findProgram(process.env, "tmux");
  if (program === null) return null;
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  // -u: in a locale without UTF-8, tmux would print other letters as `_`, also in paths.
  const { status, stdout } = spawnSync(program, ["-u", ...args], {
    encoding: "utf8",
    timeout: timeoutMs,
    maxBuffer: MOST_BYTES,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout : null;
}
