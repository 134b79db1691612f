/** The keys of the board, and what they do. */

import type { AgentId } from "../../../core/ids.ts";
import { isRefusal, type Refusal } from "../../../core/refusal.ts";
import { wallMsOf } from "../../../core/time.ts";
import type { PaneAnswer, TranscriptAnswer } from "../../../peers/read-session.ts";
import type { RoomPicture } from "../../../peers/rules/picture.ts";
import type { CliContext } from "../../cli/context.ts";
import {
  give,
  pauseOrResume,
  questionOf,
  questionsIn,
  type StepIn,
  type StepInQuestion,
  take,
} from "../../picture/step-in.ts";
import { nameOf, sentWords } from "../../picture/why-words.ts";
import { EMPTY_COMPOSER, edited, fits, graphemesOf, tooLong } from "../composer.ts";
import type { Key } from "../keys.ts";
import { type Act, failureText, RoomActions } from "../room-actions.ts";
import type { Board } from "./board.ts";
import { textRows } from "./board-lines.ts";
import { agentOf, type BoardText, keepingChoice, moved, pictureOf, type Writing } from "./board-state.ts";

const HELP = `↑ ↓        choose an agent; in the list, a room
Enter      read the agent's transcript or its tmux pane; in the list, open the room
m          write a message to the agent; Enter sends it, Escape throws it away
a          answer the question that the agent asks you, or else the first that waits for you
g          give the stick to the agent
t          take the stick yourself
p          pause the room, or resume it
d          the diff of the present turn
l          the newest of the log
?          this page
q          goes back; on the board it ends it, as Ctrl-C and Ctrl-D do everywhere
Esc        goes back

Giving and taking ask first while the holder is active. Nothing that is shown here is acknowledged.
▶ works  ◉ waits  ○ idle  ■ needs you  ✗ gone`;

/** The room may allow less, which it says when the message is sent. */
const MOST_BYTES = 65_536;

export class BoardKeys {
  readonly #board: Board;
  readonly #context: CliContext;
  readonly #quit: AbortController;

  constructor(board: Board, context: CliContext, quit: AbortController) {
    this.#board = board;
    this.#context = context;
    this.#quit = quit;
  }

  press(key: Key): void {
    const { state } = this.#board;
    const name = "name" in key ? key.name : null;
    if (name === "suspend") return this.#board.suspend();
    if (name === "interrupt" || name === "end-of-input") return this.#quit.abort();
    if (state.question !== null) return this.#decide(key, state.question);
    if (state.writing) return this.#write(key, state.writing);
    if (name === "redraw") return this.#board.repaint();
    if (name === "escape" || name === "left") return this.#back();
    if (name === "enter") return this.#open();
    if (name !== null) {
      const next = moved(state, name, textRows(state, this.#board.view));
      if (next) this.#board.state = { ...next, notice: null };
      return;
    }
    if (!("text" in key)) return;
    const [letter = "", ...rest] = graphemesOf(key.text);
    this.#letter(letter);
    // What follows may be the message that the first letter began.
    if (rest.length > 0) this.press({ text: rest.join("") });
  }

  #letter(letter: string): void {
    const state = { ...this.#board.state, notice: null };
    this.#board.state = state;
    if (letter === "q") return state.text ? this.#back() : this.#quit.abort();
    if (state.text) return;
    if (letter === "?") return this.#showText({ title: "tt watch", text: HELP, tone: "plain", top: 0 });
    const picture = pictureOf(state);
    if (picture === null) return this.#tell("There is no room here.");
    if (letter === "l") return this.#load(() => this.#log(picture));
    if (letter === "d") return this.#load(() => this.#diff(picture));
    const acts = letter === "t" || letter === "p" || letter === "m" || letter === "a" || letter === "g";
    if (!acts) return;
    if (state.isReadOnly) return this.#tell("No person started this under their own name, so it only shows.");
    if (letter === "t") return this.#stepIn(picture, take(picture, ""));
    if (letter === "p") return this.#stepIn(picture, pauseOrResume(picture, ""));
    const agent = agentOf(state);
    // Who asks needs not be chosen first.
    const asked = letter === "a" ? questionsIn(picture) : [];
    const question = questionOf(asked, agent ?? "") ?? asked[0] ?? null;
    if (question !== null) return this.#begin(picture, question.asker, question);
    if (agent === null || agent === picture.me) return this.#tell("Choose an agent first, with the arrows.");
    if (letter === "g") return this.#stepIn(picture, give(picture, nameOf(picture, agent), ""));
    if (letter === "a") return this.#tell(`${nameOf(picture, agent)} asks you nothing. m writes a message.`);
    this.#begin(picture, agent, null);
  }

  #begin({ roomId }: RoomPicture, to: AgentId, question: Writing["question"]): void {
    const writing = { roomId, to, question, composer: EMPTY_COMPOSER };
    this.#board.state = { ...this.#board.state, writing, notice: null };
  }

  #write(key: Key, writing: Writing): void {
    const { roomId, to, question, composer } = writing;
    const { state } = this.#board;
    const name = "name" in key ? key.name : null;
    const picture = state.pictures.find((each) => each.roomId === roomId) ?? null;
    if (name === "escape") return void (this.#board.state = { ...state, writing: null });
    if (name !== "enter") {
      if (!fits(composer, key, MOST_BYTES)) return this.#tell(tooLong(MOST_BYTES));
      this.#board.state = { ...state, writing: { ...writing, composer: edited(composer, key) }, notice: null };
      return;
    }
    if (picture === null) return this.#tell("This room was removed. Escape throws the message away.");
    this.#board.state = { ...state, writing: null, notice: null };
    if (composer.text.trim() === "") return;
    const { text } = composer;
    const actions = this.#actions(picture);
    const send = () => (question === null ? actions.send(to, text, false) : actions.answer(question.messageId, text));
    this.#do(send, sentWords(picture, to, wallMsOf(picture.asOf)), writing);
  }

  #decide(key: Key, { roomId, steps }: StepInQuestion): void {
    const isYes = "text" in key && /^y/i.test(key.text);
    this.#board.state = { ...this.#board.state, question: null, notice: isYes ? null : "Nothing was done." };
    if (isYes) this.#do(() => this.#actions({ roomId }).carryOut(steps), null);
  }

  #stepIn({ roomId }: RoomPicture, { question, steps }: StepIn): void {
    if (question === null) return this.#do(() => this.#actions({ roomId }).carryOut(steps), null);
    this.#board.state = { ...this.#board.state, question: { ...question, roomId, steps } };
  }

  #back(): void {
    const { state } = this.#board;
    if (state.text) this.#board.state = { ...state, text: null };
    else if (state.isOfAll) this.#board.state = { ...state, roomId: null, chosenAgent: null, notice: null };
  }

  #open(): void {
    const { state } = this.#board;
    const picture = pictureOf(state);
    if (state.text || picture === null) return;
    if (state.roomId === null) {
      const { roomId } = picture;
      this.#board.state = keepingChoice({ ...state, roomId, chosenRoom: roomId, notice: null });
      return;
    }
    const agent = agentOf(state);
    if (agent !== null) this.#load(() => this.#transcript(picture, agent));
  }

  async #transcript(picture: RoomPicture, agent: AgentId): Promise<BoardText | Refusal> {
    const seen = await this.#actions(picture).read(agent);
    if (isRefusal(seen)) return seen;
    return { title: `${nameOf(picture, agent)}: ${seen.mode}`, text: wordsOf(seen), tone: "plain", top: null };
  }

  async #diff(picture: RoomPicture): Promise<BoardText | Refusal> {
    const seen = await this.#actions(picture).diff();
    if (isRefusal(seen)) return seen;
    return { title: `Turn ${seen.turnId ?? ""}`, text: seen.patch || "It changed nothing.", tone: "diff", top: 0 };
  }

  async #log(picture: RoomPicture): Promise<BoardText> {
    return { title: `Log of ${picture.path}`, text: await this.#board.logOf(picture), tone: "plain", top: null };
  }

  #load(load: () => Promise<BoardText | Refusal>): void {
    this.#do(async () => {
      const loaded = await load();
      if (!isRefusal(loaded)) this.#showText(loaded);
      return loaded;
    }, null);
  }

  #showText(text: BoardText): void {
    this.#board.set({ text, notice: null });
  }

  #tell(notice: string): void {
    this.#board.state = { ...this.#board.state, notice };
  }

  #actions({ roomId }: Pick<RoomPicture, "roomId">): RoomActions {
    const cancel = this.#quit.signal;
    return new RoomActions({ context: this.#context, roomId, cancel, taken: async () => undefined });
  }

  /** What was written and not sent comes back, unless the person has begun another message. */
  #do(act: Act, done: string | null, written: Writing | null = null): void {
    // A change would create a store in place of one that is gone.
    if (this.#board.state.trouble !== null) {
      this.#bringBack(written);
      return this.#tell("The room cannot be reached at the moment.");
    }
    void this.#tellOutcome(act, done, written);
  }

  #bringBack(written: Writing | null): void {
    const { state } = this.#board;
    if (state.writing === null && state.question === null) this.#board.state = { ...state, writing: written };
  }

  async #tellOutcome(act: Act, done: string | null, written: Writing | null): Promise<void> {
    try {
      const answer = await act();
      if (isRefusal(answer)) this.#bringBack(written);
      this.#board.set({ notice: failureText(this.#context, answer) ?? done });
    } catch (error) {
      this.#board.set({ notice: error instanceof Error ? error.message : String(error) });
    }
  }
}

function wordsOf(seen: TranscriptAnswer | PaneAnswer): string {
  if (seen.mode === "pane") return seen.text;
  return seen.messages.map(({ role, text }) => `${role}:\n${text}`).join("\n\n");
}
