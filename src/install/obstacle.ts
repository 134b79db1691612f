/** Why a file of a harness stops its set-up: which file, which key and where, and what its user can do about it. */

import { type Refusal, refuse } from "../core/refusal.ts";
import { keyInTheWay } from "./rules/own-entries.ts";
import type { Obstacle } from "./rules/plan-file.ts";
import type { WantedFile } from "./rules/wanted-file.ts";

export function obstacle(file: WantedFile, what: Obstacle, text: string | null): Refusal {
  const { path } = file;
  if (what === "broken" && file.kind === "config" && file.format.isTooDeep(text ?? "")) {
    const next = "Write our entries by hand as docs/install.md shows, or make it flatter and run it again.";
    return refuse("invalid_path", `${path} is nested too deeply to be edited safely.`, next, { path });
  }
  if (what === "broken") {
    const name = file.kind === "config" ? file.format.name : "text";
    const place = file.kind === "config" ? file.format.whereBroken(text ?? "") : null;
    const where = place === null ? "" : ` (${place})`;
    return refuse("invalid_path", `${path} is not valid ${name}${where}.`, "Correct it, then run it again.", { path });
  }
  return occupied(file, text ?? "");
}

function occupied(file: WantedFile, text: string): Refusal {
  const { path } = file;
  const config = file.kind === "config" ? file : null;
  const key = config && keyInTheWay(config.format, text, config);
  const place = key && config.format.whereIs(text, key);
  const name = key ? key.join(".") : "Something";
  const where = place === null ? "" : ` (${place})`;
  const ours = config?.entries.map((entry) => entry.path.join(".")).join(", ") ?? "";
  const next = `Change or move ${key ? name : "what is there"}, or write our ${ours} by hand as docs/install.md shows, then run it again.`;
  return refuse("invalid_path", `${name} in ${path}${where} is in the way of our entries.`, next, { path });
}
