/** An operation as the model calls it: its tool, the gateway where that is all there is, or the command. */
import type { Step } from "../../core/next.ts";
import { commandFor } from "../cli/command-for.ts";
import { OPERATIONS } from "../operations.ts";

/** Those that a room can be named for. */
const IN_ROOMS = new Set<string>(OPERATIONS.filter(({ needs }) => needs.room !== "none").map(({ name }) => name));

interface Offer {
  readonly tools: { has(name: string): boolean };
  /** A number that no call of this server was told to name before. */
  readonly nextAttempt: () => number;
}

/** `roomId`: for a call about another room than that of the client's directory. */
export function nameFor(step: Step, { tools, nextAttempt }: Offer, roomId?: string): string {
  const { do: name } = step;
  const isInRoom = roomId !== undefined && IN_ROOMS.has(name);
  // Gemini CLI stops a model that repeats one call, or a few in a circle: each wait names another attempt.
  const attempt = name === "wait_for_turn" && { attempt: nextAttempt() };
  const all = { ...(isInRoom && { room_id: roomId }), ...step.with, ...attempt };
  const given = Object.keys(all).length > 0 ? all : undefined;
  if (tools.has(name)) return given ? `${name} ${JSON.stringify(given)}` : name;
  if (tools.has("tt")) return `tt ${JSON.stringify({ operation: name, ...(given && { arguments: given }) })}`;
  return commandFor(step);
}
