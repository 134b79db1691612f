/**
 * The last way: keys in the terminal of an idle session. The pane must be proven to be the session's own, its process
 * in the foreground there, and the composer empty; all that is looked at again right before the keys, and once more
 * before Enter: then the composer must hold the wake and not one letter more. That keys were typed proves nothing about
 * what became of them, and from the first one on it is not certain any more that nothing has happened.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { WakeTarget } from "../engine/ports/wake.ts";
import { WAKE_TEXT, type WakeTry } from "../mail/rules/wake-status.ts";
import { createProcessSights } from "../platform/process/process-sights.ts";
import { paneAbove } from "../platform/terminal/tmux-panes.ts";
import {
  isInForeground,
  listPanes,
  pressEnter,
  sendText,
  type TmuxView,
  viewPane,
} from "../platform/terminal/tmux-terminal.ts";
import { type Composer, holdsExactly, obstacleIn, type TerminalSight } from "../wake/rules/composer.ts";
import { readScreen } from "../wake/rules/screen.ts";
import type { HarnessWorld } from "./contract.ts";

/** Some composers turn an Enter that comes too soon into a new line. */
const GAP_MS = 200;
/** With less time than this nothing is begun that could not be ended. */
const LEAST_MS = 400;

interface Terminal {
  readonly pane: string;
  readonly tty: string;
  readonly pid: number;
  readonly composer: Composer;
  readonly activity: WakeTarget["activity"]["state"];
}

export async function terminalObstacle(
  world: HarnessWorld,
  target: WakeTarget,
  composer: Composer | undefined,
  forMs: number,
): Promise<WakeTry | null> {
  const terminal = await terminalOf(world, target, composer, forMs);
  return terminal ? obstacleNow(world, terminal, forMs) : "no_target";
}

export async function typeIntoTerminal(
  world: HarnessWorld,
  target: WakeTarget,
  composer: Composer | undefined,
  { forMs, mayAct }: { readonly forMs: number; readonly mayAct: () => Promise<boolean> },
): Promise<WakeTry> {
  if (forMs < LEAST_MS) return "failed";
  const terminal = await terminalOf(world, target, composer, forMs);
  if (!terminal) return "no_target";
  const obstacle = await obstacleNow(world, terminal, forMs);
  if (obstacle !== null) return obstacle;
  if (!(await mayAct())) return "failed";
  const { pane, tty, pid } = terminal;
  const sent = await sendText(pane, WAKE_TEXT, world.env, forMs);
  if (sent !== "done") return sent === "refused" ? "failed" : "sent";
  await pause(GAP_MS);
  const view = await viewPane(pane, world.env, forMs);
  if (view && isInForeground(pid, tty) && isReadyForEnter(view, terminal)) await pressEnter(pane, world.env, forMs);
  return "sent";
}

/** The pane above the session's process, if that process has it. */
async function terminalOf(
  { env, probe }: HarnessWorld,
  { process, activity }: WakeTarget,
  composer: Composer | undefined,
  forMs: number,
): Promise<Terminal | null> {
  if (!process || !composer || probe.verdict(process) !== "alive") return null;
  const panes = await listPanes(env, forMs);
  const { pid } = process;
  const pane = paneAbove(pid, createProcessSights(probe.self()), panes);
  const listed = panes.find((candidate) => candidate.pane === pane);
  if (!listed || !isInForeground(pid, listed.tty)) return null;
  return { ...listed, pid, composer, activity: activity.state };
}

async function obstacleNow({ env }: HarnessWorld, terminal: Terminal, forMs: number): Promise<WakeTry | null> {
  const view = await viewPane(terminal.pane, env, forMs);
  if (!view || !isInForeground(terminal.pid, terminal.tty)) return "no_target";
  return obstacleOn(view, terminal);
}

function obstacleOn(view: TmuxView, { composer, activity }: Terminal) {
  const obstacle = obstacleIn(sightOf(view), composer, activity === "idle");
  return obstacle ?? (activity === "busy" ? "busy" : null);
}

/** Otherwise Enter would also send what a person has typed meanwhile, or answer a question. */
function isReadyForEnter(view: TmuxView, terminal: Terminal): boolean {
  const isAsking = obstacleOn(view, terminal) === "dialog";
  return !isAsking && !view.inMode && holdsExactly(sightOf(view), terminal.composer, WAKE_TEXT);
}

function sightOf({ title, cursor, screen, inMode }: TmuxView): TerminalSight {
  return { title, cursor, rows: readScreen(screen), isScrolled: inMode };
}
