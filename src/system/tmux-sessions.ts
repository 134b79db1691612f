/** Asks the tmux server of this user which session each pane belongs to. No server, no tmux: no panes. */
const PATIENCE_MS = 500;

export function tmuxSessions(): ReadonlyMap<string, string> {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const format = "#{pane_id} #{session_name}";
  const { status, stdout } = spawnSync("tmux", ["list-panes", "-a", "-F", format], {
    encoding: "utf8",
    timeout: PATIENCE_MS,
    stdio: ["ignore", "pipe", "ignore"],
  });
  if (status !== 0) return new Map();
  const panes = stdout.split("\n").map((line) => /^(%\d+) (.+)$/.exec(line));
  return new Map(panes.flatMap((pane) => (pane ? [[pane[1] as string, pane[2] as string] as const] : [])));
}
