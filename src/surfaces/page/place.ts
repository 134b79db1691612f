/** Where in the page the person is, as the address says it: `#/room/<id>/turns/12`. Pure. */
export const VIEWS = ["talk", "timeline", "turns", "agents", "notes", "mail", "log"] as const;

export type ViewName = (typeof VIEWS)[number];

export interface PagePlace {
  /** Null: the list of rooms. */
  readonly roomId: string | null;
  readonly view: ViewName;
  /** What is open in the view: a turn, an agent, a message. */
  readonly item: string | null;
}

export const START: PagePlace = { roomId: null, view: "talk", item: null };

export function addressOf({ roomId, view, item }: PagePlace): string {
  if (roomId === null) return "#/";
  return ["#/room", encodeURIComponent(roomId), view, ...(item === null ? [] : [encodeURIComponent(item)])].join("/");
}

/** Of an address that is wrong, as much as is right. */
export function placeAt(address: string): PagePlace {
  const [, room, roomId, view, item] = address.split("/");
  if (room !== "room" || roomId === undefined || roomId === "") return START;
  const known = VIEWS.find((name) => name === view) ?? START.view;
  return { roomId: decoded(roomId), view: known, item: item === undefined || item === "" ? null : decoded(item) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
