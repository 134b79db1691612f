import { namesFrom } from "../../src/surfaces/cli/text/names.ts";
import { paint } from "../../src/surfaces/cli/text/paint.ts";

/** A reader of texts without colour. */
export function pageOf(
  width: number,
  { handles = {}, ids = false }: { handles?: Record<string, string>; ids?: boolean } = {},
) {
  return { width, tt: "tt", paint: paint(false), names: namesFrom(new Map(Object.entries(handles)), ids) };
}
