/** What people call a room: by the last part of its path, and by the directories around it where that is not enough. */
import { oneLine } from "../../../core/visible.ts";

export function nameOfPath(path: string): string {
  return oneLine(partsOf(path).at(-1) ?? path);
}

/** The end of the path of the directory that it is in. What does not fit is left out at the beginning. */
export function placeOfPath(path: string, most: number): string {
  const around = partsOf(path).slice(0, -1);
  const whole = `${path.startsWith("/") ? "/" : ""}${around.join("/")}`;
  if (whole.length <= most) return oneLine(whole);
  const kept: string[] = [];
  for (const part of around.toReversed()) {
    if (kept.length > 0 && [part, ...kept].join("/").length > most - 2) break;
    kept.unshift(part);
  }
  return oneLine(`…/${kept.join("/")}`);
}

function partsOf(path: string): readonly string[] {
  return path.split("/").filter((part) => part !== "");
}
