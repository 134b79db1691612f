/** Makes the pictures of one room or of all rooms again whenever something has changed. Reads only. */
import type { RoomEvent } from "../../core/event.ts";
import type { RoomId } from "../../core/ids.ts";
import { isRefusal } from "../../core/refusal.ts";
import type { Deps } from "../../engine/deps.ts";
import { waitUntil } from "../../engine/wait-until.ts";
import { type PictureOptions, roomPicture } from "../../peers/room-picture.ts";
import type { RoomPicture } from "../../peers/rules/picture.ts";
import { roomsAround } from "../../room/list-rooms.ts";
import { type LogCursor, readLines } from "../../room/log-stream.ts";
import type { EventFilter } from "../../room/rules/event-view.ts";
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
  readonly protectionOf: PictureOptions["protectionOf"];
  /** Called when something that is drawn has changed. `writes` are new writes without the stick. */
  readonly show: (pictures: readonly RoomPicture[], writes: readonly RoomEvent[]) => void;
}

const FOREIGN_WRITES: EventFilter = { types: new Set(["foreign_write"]), target: { kind: "any" }, from: null };

export async function followBoard(follow: FollowBoard): Promise<void> {
  const { deps, cancel, ids, show } = follow;
  let drawn: string | null = null;
  let writes: readonly RoomEvent[] = [];
  let seen: LogCursor = new Map();
  while (!cancel.aborted) {
    const ended = await waitUntil<readonly RoomPicture[]>(deps, {
      name: "all",
      cancel,
      look: async () => {
        const pictures = (await picturesOf(follow)).map((picture) => namedFor(picture, { ids }));
        const { wallMs } = deps.clock.now();
        const now = JSON.stringify(pictures.map((picture) => drawnOf(picture, wallMs)));
        const lines = await readLines(deps, { cursor: logsBehind(pictures, seen), filter: FOREIGN_WRITES });
        writes = lines.events;
        seen = new Map([...pictures.map(endOf), ...lines.cursor]);
        if (now === drawn && writes.length === 0)
          return { changesInMs: msToNextMinute(wallMs), decisive: await processesIn(deps, pictures) };
        drawn = now;
        return { found: pictures };
      },
    });
    if (!("found" in ended)) return;
    show(ended.found, writes);
    await pause(PAUSE_MS, cancel);
  }
}

function endOf({ roomId, lastSeq }: RoomPicture): readonly [RoomId, number] {
  return [roomId, lastSeq];
}

/** Where to read on in the logs that have grown. The log of a room that is new here is read from now on. */
function logsBehind(pictures: readonly RoomPicture[], seen: LogCursor): LogCursor {
  const before = pictures.map(({ roomId, lastSeq }) => [roomId, seen.get(roomId) ?? lastSeq, lastSeq] as const);
  return new Map(before.filter(([, from, to]) => from < to).map(([roomId, from]) => [roomId, from]));
}

async function picturesOf({ deps, roomId, person, protectionOf }: FollowBoard): Promise<readonly RoomPicture[]> {
  const pictures: RoomPicture[] = [];
  for (const id of roomId === null ? await allRooms(deps, person) : [roomId]) {
    const picture = await roomPicture(deps, person, id, { since: true, protectionOf });
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
