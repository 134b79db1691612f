/** What the chat says about itself and about the agents. */
import type { AgentId } from "../../../core/ids.ts";
import type { Step } from "../../../core/next.ts";
import { wallMsOf } from "../../../core/time.ts";
import { oneLine } from "../../../core/visible.ts";
import { nameIn, type RoomPicture } from "../../../peers/rules/picture.ts";
import { commandFor } from "../../cli/command-for.ts";
import { AGENT_MARKS, MARK_WORDS } from "../../picture/agent-words.ts";
import { foldedLines } from "../../picture/board.ts";
import { whereWords } from "../../picture/stick-words.ts";
import { namedStep, nameOf, stepWords, whyWords } from "../../picture/why-words.ts";
import { ONE_LINE, plainText } from "../room-lines.ts";

export const CHAT_HELP = `text            to the addressee in the prompt
@name text      to one agent; if it waits for your answer, this is the answer
!@name text     interrupts it
?name text      asks it; the answer appears when it comes
@name           makes it the addressee; @room goes back to everybody
/give NAME      gives NAME the stick; /take takes it yourself
/kick NAME      removes NAME from the room
                they ask first if an agent would lose something;
                a reason may follow
/pause /resume  stops the room, and lets it go on
/why /who       why nobody moves; who is here
/quit           ends the chat, as Ctrl-D does
A blank before / ? @ ! makes it plain text.
Ctrl-J or Alt-Enter begins a line. Tab completes names.
Marks: … waiting, › shown, ✓ read, ! dead.`;

/** Why nobody moves, and the command that helps. */
export function whyText(picture: RoomPicture, nowMs: number, tt: string): string {
  const { step, reason } = picture.why;
  const words = whyWords(picture, nowMs);
  if (step === null) return words;
  if (reason.kind === "question" || reason.kind === "unanswered")
    return `${words}\nAnswer: @${nameOf(picture, reason.asker)} TEXT`;
  const named = namedStep(step, picture);
  const command = typedHere(named, picture) ?? `in another terminal: ${commandFor(named, tt)}`;
  return `${words}\n${stepWords(step, picture)}: ${command}`;
}

/** The line of the chat that takes the step; null if the chat has none. */
function typedHere({ do: operation, with: given = {} }: Step, { now, names }: RoomPicture): string | null {
  const [next] = now.queue;
  if (operation === "resume_room") return "/resume";
  if (operation === "takeover_stick" || operation === "wait_for_turn") return "/take";
  if (operation === "release_stick" && next !== undefined) return `/give ${nameIn(names, next)}`;
  if (operation === "give_stick") return `/give ${String(given["to_agent_id"])}`;
  return operation === "send_message" ? `@${String(given["to"])} TEXT` : null;
}

/** A longer name moves what is behind it. */
const MOST_NAME = 16;

/** A row for each agent that is here, and a line each for the gone and the away. */
export function whoText(picture: RoomPicture): string {
  const nameFor = (agentId: AgentId) => (agentId === picture.me ? "you" : nameIn(picture.names, agentId));
  const widest = Math.min(MOST_NAME, Math.max(0, ...picture.agents.map(({ agentId }) => nameFor(agentId).length)));
  const rows = picture.agents.map(({ agentId, mark, harness, card, unread, machine }) => {
    const name = nameFor(agentId).padEnd(widest);
    const where = machine === null ? [] : [whereWords(machine, wallMsOf(picture.asOf))];
    const facts = [harness, ...where, ...(unread > 0 ? [`${unread} unread`] : []), ...(card ? [card.purpose] : [])];
    return oneLine(
      `${AGENT_MARKS[mark]} ${MARK_WORDS[mark].padEnd(MARK_WORDS.needs_you.length)}  ${name}  ${facts.join(", ")}`,
    );
  });
  const folded = foldedLines(picture, { width: ONE_LINE, nowMs: wallMsOf(picture.asOf) });
  return [...rows, ...folded.map((line) => plainText(line).trim())].join("\n");
}
