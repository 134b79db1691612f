import { oneLine } from "../../../core/visible.ts";

/** What people call a room: the last part of its path. */
export function nameOfPath(path: string): string {
  return oneLine(path.split("/").findLast((part) => part !== "") ?? path);
}
