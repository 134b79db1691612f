/**
 * What an agent reads when a tool of its is refused, or when it should have held the stick. One line of at most 400
 * characters: who holds the stick and since when, that nothing was written, the command that gets the stick, and that
 * reading is not refused.
 */
import type { RoomId } from "../../core/ids.ts";
import { shellWord } from "../../core/shell-word.ts";
import { cutTo, visible } from "../../core/visible.ts";
import type { Room } from "../../room/rules/room.ts";
import type { Effect } from "./shell/finding.ts";
import type { GuardVerdict, StickSight } from "./verdict.ts";

export interface StickFacts {
  readonly stick: StickSight;
  /** The handle of the holder, of the agent that the stick is reserved for, or of the person who paused the room. */
  readonly who: string | null;
  /** When its turn began; null if nobody holds the stick or the log does not say. */
  readonly since: string | null;
  readonly turnId: number;
  readonly roomId: RoomId;
  readonly path: string;
  /** Whether the command must name the room: it is not that of the directory in which the agent works. */
  readonly isElsewhere: boolean;
}

const NAME_CHARACTERS = 40;
const PATH_CHARACTERS = 120;

/** `done`: what became of the attempt, if it was refused. */
export function verdictText(
  verdict: Exclude<GuardVerdict, "allow">,
  effect: Effect,
  facts: StickFacts,
  done = "Nothing was written.",
): string {
  const command = commandFor(facts);
  if (verdict === "tell")
    return `[talking stick] ${stickText(facts)} Before you write, take the stick: \`${command}\`.`;
  const readOnly =
    effect === "unknown" ? " If your command only reads: `tt ro -- COMMAND`." : " Reading is not refused.";
  return `Refused: ${stickText(facts)} ${done} Get the stick first: \`${command}\`.${readOnly}`;
}

/** What advice about writing is known by: an agent gets it once in a turn of the stick, whether before its write or after. */
export function writingIn(rooms: readonly Pick<Room, "id" | "state">[]): string {
  return `write ${rooms.map(({ id, state }) => `${id} ${state.turnId}`).join(" ")}`;
}

function stickText({ stick, who, since, turnId }: StickFacts): string {
  const name = plainName(who ?? "another agent");
  const time = since === null ? "" : ` since ${since.slice(11, 16)} UTC`;
  if (stick === "held") return `${name} holds the stick${time} (turn ${turnId}).`;
  if (stick === "abandoned") return `${name} held the stick${time} (turn ${turnId}) and is gone or silent.`;
  if (stick === "paused") return `${name} paused the room: no agent writes until it is resumed.`;
  if (stick === "reserved") return `The stick is reserved for ${name}.`;
  return "You do not hold the stick; nobody does.";
}

/** Each of these works as it is printed. */
function commandFor({ stick, roomId, path, isElsewhere }: StickFacts): string {
  // A path that is long, or odd enough for quotes, could hide the command or imitate our text.
  const isPlain = path.length <= PATH_CHARACTERS && shellWord(path) === path;
  const there = isElsewhere ? (isPlain ? ` --path ${path}` : ` --room ${roomId}`) : "";
  if (stick === "abandoned") return `tt take${there} --reason "its holder is gone or silent"`;
  return stick === "free" ? `tt try${there}` : `tt wait${there}`;
}

/** One word, without anything that could imitate our own text. */
export function plainName(name: string): string {
  const word = visible(name).replace(/[\s<>[\]`]/gu, "_");
  return cutTo(word, NAME_CHARACTERS);
}
