import type { ReactNode } from "react";
import type { RoomView } from "../../page-context.ts";

export function TurnsView({ room }: { readonly room: RoomView }): ReactNode {
  return <p>{room.picture.path}</p>;
}
