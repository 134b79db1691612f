/** Asks the tmux server of this user which session each pane belongs to. No server, no tmux: no panes. */
import { askTmux } from "./tmux-panes.ts";

const PATIENCE_MS = 500;

export function tmuxSessions(): ReadonlyMap<string, string> {
  const listed = askTmux(["list-panes", "-a", "-F", "#{pane_id} #{session_name}"], PATIENCE_MS) ?? "";
  const panes = listed.split("\n").map((line) => /^(%\d+) (.+)$/.exec(line));
  return new Map(panes.flatMap((pane) => (pane ? [[pane[1] as string, pane[2] as string] as const] : [])));
}
