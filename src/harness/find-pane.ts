/** Which pane shows a session: the nearest one above its process. Pane ids that somebody wrote down prove nothing. */
import type { ProcessSights } from "../platform/process/process-sights.ts";
import type { TmuxPane } from "../platform/terminal/tmux-panes.ts";

const MOST_GENERATIONS = 64;

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
