/** Makes the pictures of one room or of all rooms again whenever something has changed. Reads only. */
import type { RoomId } from "../../core/ids.ts";
import { isRefusal } from "../../core/refusal.ts";
import type { Deps } from "../../engine/deps.ts";
import { waitUntil } from "../../engine/wait-until.ts";
import { roomPicture } from "../../peers/room-picture.ts";
import type { RoomPicture } from "../../peers/rules/picture.ts";
import { roomsAround } from "../../room/list-rooms.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import { namedFor } from "../picture/why-words.ts";
import { drawnOf, msToNextMinute, processesIn } from "./follow-room.ts";

/** At most four times a second. */
const PAUSE_MS = 250;
/** A list of more rooms is not read. */
const MOST_ROOMS = 100;

interface FollowBoard {
  readonly deps: Deps;
  /** Null: all rooms of the user. */
  readonly roomId: RoomId | null;
  readonly person: Caller | null;
  readonly cancel: AbortSignal;
  readonly ids: boolean;
  /** Called when something that is drawn has changed. */
  readonly show: (pictures: readonly RoomPicture[]) => void;
}

export async function followBoard({ deps, roomId, person, cancel, ids, show }: FollowBoard): Promise<void> {
  let drawn: string | null = null;
  while (!cancel.aborted) {
    const ended = await waitUntil<readonly RoomPicture[]>(deps, {
      name: "all",
      cancel,
      look: async () => {
        const pictures = (await picturesOf(deps, roomId, person)).map((picture) => namedFor(picture, { ids }));
        const { wallMs } = deps.clock.now();
        const now = JSON.stringify(pictures.map((picture) => drawnOf(picture, wallMs)));
        if (now === drawn) return { changesInMs: msToNextMinute(wallMs), decisive: await processesIn(deps, pictures) };
        drawn = now;
        return { found: pictures };
      },
    });
    if (!("found" in ended)) return;
    show(ended.found);
    await pause(PAUSE_MS, cancel);
  }
}

async function picturesOf(deps: Deps, roomId: RoomId | null, person: Caller | null): Promise<readonly RoomPicture[]> {
  const pictures: RoomPicture[] = [];
  for (const id of roomId === null ? await allRooms(deps, person) : [roomId]) {
    const picture = await roomPicture(deps, person, id, { since: true });
    if (!isRefusal(picture)) pictures.push(picture);
  }
  return pictures;
}

/** The rooms that changed last come first. */
async function allRooms(deps: Deps, person: Caller | null): Promise<readonly RoomId[]> {
  const found = await roomsAround(deps, person, null);
  return isRefusal(found) ? [] : found.rooms.slice(0, MOST_ROOMS).map(({ roomId }) => roomId);
}

/** Ends early when the person quits. */
export function pause(ms: number, cancel: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      cancel.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    cancel.addEventListener("abort", over);
    if (cancel.aborted) over();
  });
}
