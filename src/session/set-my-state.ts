/** State cards: what a session is doing, in its own words. */
import { optional, shaped } from "../core/field.ts";
import { isFilled } from "../core/handoff.ts";
import { LIMITS } from "../core/limits.ts";
import { invalidInput, isRefusal, type Refusal } from "../core/refusal.ts";
import { changeRoom } from "../engine/commit.ts";
import { decodeText } from "../engine/decode.ts";
import { operation } from "../engine/operation.ts";
import { setCard } from "../room/rules/set-card.ts";

const line = (about: string) => shaped({ type: "string" }, decodeLine, about);

export const setMyState = operation({
  name: "set_my_state",
  summary:
    "Your state card: what you are doing in at most 200 characters, the files it concerns, what you wait for. It saves others from reading your transcript; renew it when your work changes.",
  needs: { store: "change", caller: "known", room: "joined" },
  input: {
    purpose: line(""),
    files: optional(shaped({ type: "array", items: { type: "string" } }, decodeFiles)),
    blockedOn: optional(line("")),
  },
  refusals: ["room_closed"],
  mcp: "gateway",
  run({ deps, caller, roomId }, { purpose, files = [], blockedOn }) {
    const card = { purpose, ...(files.length > 0 && { files }), ...(blockedOn !== undefined && { blockedOn }) };
    return changeRoom(deps, caller, { roomId }, ({ room, handles }, given) => setCard(room, given, handles, card));
  },
});

function decodeFiles(name: string, raw: unknown): readonly string[] | Refusal<"invalid_input"> {
  if (!Array.isArray(raw) || raw.length > LIMITS.cardFiles) {
    return invalidInput(
      name,
      `${name} is not a list of at most ${LIMITS.cardFiles} paths.`,
      "Name the few files that matter to others.",
    );
  }
  for (const path of raw as readonly unknown[]) {
    const decoded = decodeText(name, path, LIMITS.pathCharacters);
    if (isRefusal(decoded)) return decoded;
  }
  return raw as readonly string[];
}

/** Characters as people count them: one emoji is one. */
function decodeLine(name: string, raw: unknown): string | Refusal<"invalid_input"> {
  const most = LIMITS.cardCharacters;
  if (!isFilled(raw)) {
    return invalidInput(name, `${name} says nothing.`, `Say in a few words what ${name} is.`);
  }
  const { length } = Array.from(raw.slice(0, 4 * most));
  if (length <= most) return raw;
  return invalidInput(name, `${name} has more than ${most} characters.`, `Shorten ${name}; details go into a note.`);
}
