/** The event of a write without the stick, and what both sides are told about it. */
import { FOREIGN_PATHS, type ForeignWrite } from "../../core/event.ts";
import { oneLine } from "../../core/visible.ts";
import { plainName } from "./verdict-text.ts";

const NAMED_PATHS = 3;
const PATH_CHARACTERS = 80;

/** The event names some of the paths, and says how many more there were. */
export function foreignWrite(paths: readonly string[], how: Omit<ForeignWrite, "paths" | "more">): ForeignWrite {
  const all = [...new Set(paths)].toSorted();
  return { paths: all.slice(0, FOREIGN_PATHS), more: Math.max(0, all.length - FOREIGN_PATHS), ...how };
}

/** The names of agents fit into a sentence. */
export function toldHolder(write: ForeignWrite, writer: string): string {
  return `[talking stick] ${writer} ${didText(write)} during your turn ${write.duringTurn}, without the stick. Look at that before you go on.`;
}

export function toldWriter(write: ForeignWrite, holder: string | null): string {
  const did = `[talking stick] You ${didText(write)} without the stick`;
  if (holder === null) return `${did}, while nobody held it. Take the stick before you write again.`;
  return `${did}, while ${holder} held it (turn ${write.duringTurn}). Tell the holder what you changed, and take the stick before you write again.`;
}

function didText({ paths, more, evidence, tool }: ForeignWrite): string {
  const named = paths.slice(0, NAMED_PATHS).map((path) => shortened(path));
  const others = paths.length + more - named.length;
  const what = others === 0 ? named.join(", ") : `${named.join(", ")} and ${others} more`;
  const how = tool === undefined ? "" : ` with ${plainName(tool)}`;
  return evidence === "git_ref" ? `moved ${what} in git` : `changed ${what}${how}`;
}

/** A path that is more than one word is quoted, so that it does not read as a sentence of ours. */
function shortened(path: string): string {
  const shown = oneLine(path).replaceAll("<", "&lt;");
  const end = shown.length <= PATH_CHARACTERS ? shown : `…${shown.slice(1 - PATH_CHARACTERS)}`;
  return /[\s"`[\]]/.test(end) ? JSON.stringify(end) : end;
}
