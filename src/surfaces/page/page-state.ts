/**
 * What the page knows. Pure: the lines of the stream change it, and the views draw it.
 *
 *   opening ──first line──▶ live ──cut──▶ behind ──next stream──▶ live
 *                            │                └──the server is gone──▶ ended
 *   recorded: nothing changes any more
 */
import type { AgentId, EventId, RoomId } from "../../core/ids.ts";
import type { RoomPicture } from "../../peers/rules/picture.ts";
import type { MarkedRecipient } from "../../peers/rules/picture-talk.ts";
import type { StreamLine } from "../wire/stream-line.ts";
import { EMPTY_LOG, type EventLog, replaced, withNewer } from "./event-log.ts";

/** How the page stands with its data. `words` say it to the person. */
export type Link =
  | { readonly kind: "opening" | "live" }
  /** `isPast`: a moment before the recording was made, of which only the log tells. */
  | { readonly kind: "recorded"; readonly isPast: boolean }
  | { readonly kind: "behind" | "ended"; readonly words: string };

export interface OpenRoom {
  readonly roomId: RoomId;
  /** Of messages in the log. */
  readonly marks: ReadonlyMap<EventId, readonly MarkedRecipient[]>;
  readonly log: EventLog;
}

export interface PageState {
  readonly link: Link;
  readonly me: AgentId | null;
  /** Why the page may change nothing; null if it may. */
  readonly readOnly: string | null;
  readonly version: string | null;
  readonly here: RoomId | null;
  /** Those that changed last first. A room that was removed while it is open stays, as it was last seen. */
  readonly rooms: readonly RoomPicture[];
  /** Whether the rooms are known: before, an empty list says nothing. */
  readonly hasRooms: boolean;
  readonly open: OpenRoom | null;
  readonly isOpenRemoved: boolean;
  /** Why the store cannot be read at the moment. */
  readonly trouble: string | null;
  /** Mail to the person that no surface has shown. */
  readonly unreadMail: number;
}

export const EMPTY_STATE: PageState = {
  link: { kind: "opening" },
  me: null,
  readOnly: null,
  version: null,
  here: null,
  rooms: [],
  hasRooms: false,
  open: null,
  isOpenRemoved: false,
  trouble: null,
  unreadMail: 0,
};

/** A page that is open for days keeps the marks of no more messages than it keeps events. */
const MOST_MARKED = 20_000;

export function opened(state: PageState, roomId: RoomId | null): PageState {
  if (state.open?.roomId === roomId) return state;
  const open = roomId === null ? null : { roomId, marks: new Map(), log: EMPTY_LOG };
  return { ...state, open, isOpenRemoved: false };
}

export function received(state: PageState, line: StreamLine): PageState {
  switch (line.line) {
    case "hello":
      return { ...state, me: line.me, readOnly: line.readOnly, version: line.version, here: line.here };
    case "rooms":
      return withRooms(state, line.order, line.changed);
    case "log": {
      if (state.open?.roomId !== line.roomId) return state;
      const log = line.isNewest ? replaced(line.events) : withNewer(state.open.log, line.events);
      return { ...state, open: { ...state.open, log } };
    }
    case "marks": {
      if (state.open?.roomId !== line.roomId) return state;
      const marks = new Map(state.open.marks);
      for (const { messageId, marks: of } of line.marks) marks.set(messageId, of);
      for (const oldest of marks.keys()) {
        if (marks.size <= MOST_MARKED) break;
        marks.delete(oldest);
      }
      return { ...state, open: { ...state.open, marks } };
    }
    case "mail":
      return { ...state, unreadMail: line.unread };
    case "trouble":
      return { ...state, trouble: line.words };
    case "beat":
      return state;
    default:
      // A page that was opened before an update meets a newer server only by accident.
      return state;
  }
}

function withRooms(state: PageState, order: readonly RoomId[], changed: readonly RoomPicture[]): PageState {
  const known = new Map([...state.rooms, ...changed].map((picture) => [picture.roomId, picture]));
  const rooms = order.flatMap((roomId) => known.get(roomId) ?? []);
  const openId = state.open?.roomId ?? null;
  const isOpenRemoved = openId !== null && !order.includes(openId);
  const kept = isOpenRemoved ? known.get(openId) : undefined;
  return { ...state, rooms: kept ? [...rooms, kept] : rooms, hasRooms: true, isOpenRemoved };
}

/** Whether only the log tells of the moment that is shown: not who worked or waited, nor what was read. */
export function isInPast({ link }: Pick<PageState, "link">): boolean {
  return link.kind === "recorded" && link.isPast;
}

/** The picture of the room that is open. */
export function openPicture({ rooms, open }: PageState): RoomPicture | null {
  return (open && rooms.find(({ roomId }) => roomId === open.roomId)) ?? null;
}
