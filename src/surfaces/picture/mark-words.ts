/** What became of a message for each of its recipients, as signs and in words. */
import type { AgentId } from "../../core/ids.ts";
import type { DeliveryMark, MarkedRecipient } from "../../peers/rules/picture-talk.ts";
import { readersName, type WordsReader } from "./happening-words.ts";

/** Those that need a look come first. */
export const MARK_ORDER: readonly DeliveryMark[] = ["dead", "waiting", "shown", "read"];

export const MARK_SIGNS: Readonly<Record<DeliveryMark, string>> = { dead: "!", waiting: "…", shown: "›", read: "✓" };

/** Of one recipient, whose name stands beside it already. */
const ALONE: Readonly<Record<DeliveryMark, string>> = {
  dead: "will not be read",
  waiting: "waiting",
  shown: "shown",
  read: "read",
};

const OF: Readonly<Record<DeliveryMark, string>> = {
  dead: "will not be read by",
  waiting: "waits for",
  shown: "shown to",
  read: "read by",
};

/** More recipients with the same mark are counted. */
const MOST_NAMES = 2;

export interface MarkWords {
  readonly mark: DeliveryMark;
  readonly words: string;
  /** Whose mark it is. */
  readonly to: readonly AgentId[];
}

/** One for each mark that occurs. */
export function markWords(marks: readonly MarkedRecipient[], reader: WordsReader): readonly MarkWords[] {
  const [first, ...others] = marks;
  if (first && others.length === 0) return [{ mark: first.mark, words: ALONE[first.mark], to: [first.to] }];
  return MARK_ORDER.flatMap((mark) => {
    const to = marks.flatMap((one) => (one.mark === mark ? one.to : []));
    if (to.length === 0) return [];
    const names = to.length > MOST_NAMES ? String(to.length) : to.map((id) => readersName(id, reader)).join(" and ");
    return [{ mark, words: `${OF[mark]} ${names}`, to }];
  });
}
