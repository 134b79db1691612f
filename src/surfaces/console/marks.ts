/** What became of a message, as one sign for each recipient. */
import type { AgentId } from "../../core/ids.ts";
import { oneLine } from "../../core/visible.ts";
import type { DeliveryMark, MarkedRecipient } from "../../peers/rules/picture-talk.ts";
import { MARK_ORDER, MARK_SIGNS } from "../picture/mark-words.ts";
import { graphemesOf } from "./composer.ts";

/** One recipient needs no name. Many with the same mark are counted. */
export function marksText(
  marks: readonly MarkedRecipient[],
  { me, nameOf }: { readonly me: AgentId | null; readonly nameOf: (agentId: AgentId) => string },
): string {
  const [first, ...others] = marks;
  if (!first) return "";
  if (others.length === 0) return MARK_SIGNS[first.mark];
  return MARK_ORDER.flatMap((mark) => {
    const names = marks.filter((one) => one.mark === mark).map(({ to }) => (to === me ? "you" : oneLine(nameOf(to))));
    if (names.length === 0) return [];
    return [`${MARK_SIGNS[mark]} ${names.length > 3 ? names.length : names.join(", ")}`];
  }).join("  ");
}

const WORDS: Readonly<Record<DeliveryMark, string>> = {
  waiting: "waits for",
  shown: "was shown to",
  read: "was read by",
  dead: "died for",
};

/** What changed after the message had left the region: one line for each mark. */
export function changedMarksText(
  changed: readonly MarkedRecipient[],
  body: string,
  nameOf: (agentId: AgentId) => string,
): readonly string[] {
  const marks = [...new Set(changed.map(({ mark }) => mark))];
  const [start = ""] = body.split("\n");
  const characters = graphemesOf(start);
  const quoted = characters.length > 30 ? `${characters.slice(0, 30).join("")}…` : start;
  return marks.map((mark) => {
    const names = changed.filter((one) => one.mark === mark).map(({ to }) => oneLine(nameOf(to)));
    return `${MARK_SIGNS[mark]} “${oneLine(quoted)}” ${WORDS[mark]} ${names.join(", ")}`;
  });
}
