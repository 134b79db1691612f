import type { NotifyChoice } from "../settings/config.ts";
import type { Environment } from "../settings/environment.ts";
import { findProgram, programIn } from "./find-program.ts";

export const NOTIFY_SEND = "notify-send";
export const OSASCRIPT = "osascript";

/**
 * The program that shows notices, by its absolute path; null if there is none that can be run. `room`: the directory of
 * the room that a notice is about. Its agents write there, so no program is taken from its working tree.
 */
export function notifierProgram(choice: NotifyChoice, env: Environment, room: string | null = null): string | null {
  if (choice.kind === "command") return programIn(["/"], (choice.words[0] ?? "").slice(1));
  if (choice.kind === "off") return null;
  return findProgram(env, NOTIFY_SEND, room) ?? findProgram(env, OSASCRIPT, room);
}
