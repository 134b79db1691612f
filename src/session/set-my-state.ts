import type { StateCard } from "../core/event.ts";
import { LIMITS } from "../core/limits.ts";
import { invalidInput, isRefusal, type Refusal } from "../core/refusal.ts";
import { changeRoom } from "../engine/commit.ts";
import { decodeText } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { type CardSet, setCard } from "../room/rules/set-card.ts";
import type { Caller } from "./rules/decision-input.ts";

export interface SetMyStateInput {
  readonly roomId: string;
  readonly purpose: string;
  readonly files?: readonly string[];
  readonly blockedOn?: string;
}

export async function setMyState(deps: Deps, caller: Caller, input: SetMyStateInput): Promise<CardSet | Refusal> {
  const card = decodeCard(input);
  if (isRefusal(card)) return card;
  return changeRoom(deps, caller, input, ({ room, handles }, given) => setCard(room, given, handles, card));
}

function decodeCard({ purpose, files = [], blockedOn }: SetMyStateInput): StateCard | Refusal {
  const text = decodeLine("purpose", purpose);
  if (isRefusal(text)) return text;
  if (!Array.isArray(files) || files.length > LIMITS.cardFiles) {
    return invalidInput(
      "files",
      `files is not a list of at most ${LIMITS.cardFiles} paths.`,
      "Name the few files that matter to others.",
    );
  }
  for (const file of files as readonly unknown[]) {
    const path = decodeText("files", file, LIMITS.pathCharacters);
    if (isRefusal(path)) return path;
  }
  const blocked = blockedOn === undefined ? undefined : decodeLine("blocked_on", blockedOn);
  if (isRefusal(blocked)) return blocked;
  return {
    purpose: text,
    ...(files.length > 0 && { files: [...files] }),
    ...(blocked !== undefined && { blockedOn: blocked }),
  };
}

/** Characters as people count them: one emoji is one. */
function decodeLine(field: string, value: unknown): string | Refusal {
  const most = LIMITS.cardCharacters;
  if (typeof value !== "string" || value.trim() === "") {
    return invalidInput(field, `${field} says nothing.`, `Say in a few words what ${field} is.`);
  }
  const { length } = Array.from(value.slice(0, 4 * most));
  if (length <= most) return value;
  return invalidInput(field, `${field} has more than ${most} characters.`, `Shorten ${field}; details go into a note.`);
}
