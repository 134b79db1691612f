/**
 * What the board shows, and what the keys that move do to it. Pure.
 *
 *   rooms ──Enter──▶ room ──Enter, d, l, ?──▶ text
 *     ◀────Escape────   ◀────Escape, q───────
 */
import type { AgentId, RoomId } from "../../../core/ids.ts";
import type { RoomPicture } from "../../../peers/rules/picture.ts";
import type { AskedQuestion, StepInQuestion } from "../../picture/step-in.ts";
import type { ComposerState } from "../composer.ts";
import type { KeyName } from "../keys.ts";

/** Text that was asked for: a transcript, a diff, a log. `tone` paints a line by how it begins. */
export interface BoardText {
  readonly title: string;
  readonly text: string;
  readonly tone: "plain" | "diff";
  /** Rows that are scrolled past; null keeps to the end. */
  readonly top: number | null;
}

/** What the person writes, and to which agent. */
export interface Writing {
  readonly roomId: RoomId;
  readonly to: AgentId;
  /** The question that it answers; null: it is a message of its own. */
  readonly question: AskedQuestion | null;
  readonly composer: ComposerState;
}

export interface BoardState {
  readonly pictures: readonly RoomPicture[];
  /** Before the first look at the rooms. */
  readonly isOpening: boolean;
  /** Whether it began with the list of all rooms. */
  readonly isOfAll: boolean;
  /** The room whose board is shown; null while the list of rooms is. */
  readonly roomId: RoomId | null;
  /** Which room of the list, and which agent of the room. */
  readonly chosenRoom: RoomId | null;
  readonly chosenAgent: AgentId | null;
  readonly text: BoardText | null;
  readonly writing: Writing | null;
  readonly question: StepInQuestion | null;
  readonly notice: string | null;
  readonly trouble: string | null;
  readonly isReadOnly: boolean;
}

/** The room that keys are about; null if there is none. */
export function pictureOf({ pictures, roomId, chosenRoom }: BoardState): RoomPicture | null {
  const wanted = roomId ?? chosenRoom;
  return pictures.find((picture) => picture.roomId === wanted) ?? (roomId === null ? (pictures[0] ?? null) : null);
}

/** The agent that keys are about: the chosen one, or else the first that is not the reader. */
export function agentOf(state: BoardState): AgentId | null {
  const picture = pictureOf(state);
  if (picture === null || state.roomId === null) return null;
  const agents = picture.agents.map(({ agentId }) => agentId);
  const chosen = state.chosenAgent;
  if (chosen !== null && agents.includes(chosen)) return chosen;
  return agents.find((agentId) => agentId !== picture.me) ?? agents[0] ?? null;
}

/** What is chosen stays chosen when the order changes: a key must not meet another room or agent than the person saw. */
export function keepingChoice(state: BoardState): BoardState {
  const chosenRoom = state.chosenRoom ?? (state.roomId === null ? (pictureOf(state)?.roomId ?? null) : null);
  return { ...state, chosenRoom, chosenAgent: state.chosenAgent ?? agentOf(state) };
}

/** The keys that move through rooms, agents and text. `rows`: how many rows of text there are, and how many are seen. */
export function moved(
  state: BoardState,
  key: KeyName,
  rows: { readonly all: number; readonly seen: number },
): BoardState | null {
  if (state.text) {
    const top = scrolled(state.text.top ?? Math.max(0, rows.all - rows.seen), key, rows);
    return top === null ? null : { ...state, text: { ...state.text, top } };
  }
  const step = key === "up" ? -1 : key === "down" ? 1 : 0;
  if (step === 0) return null;
  if (state.roomId === null) {
    const ids = state.pictures.map(({ roomId }) => roomId);
    return { ...state, chosenRoom: neighbour(ids, pictureOf(state)?.roomId ?? null, step) };
  }
  const agents = pictureOf(state)?.agents.map(({ agentId }) => agentId) ?? [];
  return { ...state, chosenAgent: neighbour(agents, agentOf(state), step) };
}

function neighbour<Id>(ids: readonly Id[], from: Id | null, step: number): Id | null {
  const at = from === null ? -1 : ids.indexOf(from);
  return ids[Math.min(ids.length - 1, Math.max(0, at + step))] ?? null;
}

function scrolled(top: number, key: KeyName, { all, seen }: { readonly all: number; readonly seen: number }) {
  const page = Math.max(1, seen - 1);
  const steps: Partial<Record<KeyName, number>> = {
    up: -1,
    down: 1,
    "page-up": -page,
    "page-down": page,
    home: -all,
    end: all,
  };
  const step = steps[key];
  return step === undefined ? null : Math.max(0, Math.min(all - seen, top + step));
}
