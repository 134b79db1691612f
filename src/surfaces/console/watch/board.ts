/** The board of `tt watch` on its screen: what it shows, and when it draws. */
import type { RoomEvent } from "../../../core/event.ts";
import type { RoomId } from "../../../core/ids.ts";
import { newestEvents } from "../../../engine/newest-events.ts";
import type { RoomPicture } from "../../../peers/rules/picture.ts";
import type { Caller } from "../../../session/rules/decision-input.ts";
import type { CliContext } from "../../cli/context.ts";
import { granted } from "../../cli/granted.ts";
import { protectionSight } from "../../cli/protection-of.ts";
import { paint } from "../../cli/text/paint.ts";
import { followBoard } from "../../follow/follow-board.ts";
import { whileAway } from "../../follow/while-away.ts";
import { isOutdated, NO_LONGER_TRUE, questionsIn } from "../../picture/step-in.ts";
import { nameOf } from "../../picture/why-words.ts";
import type { ConsoleTerminal } from "../console-terminal.ts";
import { LiveScreen } from "../live-screen.ts";
import { callsIn, Ringer } from "../ringer.ts";
import { eventLines } from "../talk.ts";
import { type BoardView, boardScreen } from "./board-lines.ts";
import { type BoardState, keepingChoice } from "./board-state.ts";

const LOG_EVENTS = 200;

interface BoardOptions {
  readonly context: CliContext;
  readonly terminal: ConsoleTerminal;
  readonly person: Caller | null;
  readonly quit: AbortController;
  readonly roomId: RoomId | null;
}

export class Board {
  readonly #options: BoardOptions;
  readonly #screen: LiveScreen;
  readonly #ringer: Ringer;
  #isOpen = false;
  state: BoardState;

  constructor(options: BoardOptions) {
    this.#options = options;
    this.#screen = new LiveScreen(options.terminal);
    this.#ringer = new Ringer(options.terminal);
    this.state = {
      pictures: [],
      isOpening: true,
      isOfAll: options.roomId === null,
      roomId: options.roomId,
      chosenRoom: null,
      chosenAgent: null,
      text: null,
      writing: null,
      question: null,
      notice: null,
      trouble: null,
      isReadOnly: options.person === null,
    };
  }

  get view(): BoardView {
    const { context, terminal } = this.#options;
    return { width: Math.max(12, terminal.columns - 1), rows: terminal.rows, paint: context.paint, tt: context.tt };
  }

  set(change: Partial<BoardState>): void {
    this.state = { ...this.state, ...change };
    this.draw();
  }

  draw(): void {
    if (this.#isOpen && !this.#screen.isResizing) this.#screen.draw(boardScreen(this.state, this.view));
  }

  repaint(): void {
    if (this.#isOpen) this.#screen.repaint(boardScreen(this.state, this.view));
  }

  resized(): void {
    this.repaint();
  }

  suspend(): void {
    this.#options.terminal.suspend();
  }

  async run(): Promise<void> {
    const { context, quit, person, roomId } = this.#options;
    this.#screen.start();
    this.#isOpen = true;
    this.draw();
    const follow = async () => {
      const deps = granted(await context.deps(person ? "change" : "read"));
      const ids = context.args.isSet("ids");
      const protectionOf = protectionSight(context, deps.clock);
      const show = this.#show.bind(this);
      await followBoard({ deps, roomId, person, ids, protectionOf, cancel: quit.signal, show });
    };
    try {
      const tell = (trouble: string) => this.set({ trouble });
      await whileAway({ context, quit: quit.signal, roomId, tell }, follow);
    } finally {
      this.#isOpen = false;
      this.#screen.stop();
    }
  }

  /** The newest of the log of a room, as the chat shows it. */
  async logOf(picture: RoomPicture): Promise<string> {
    const { context } = this.#options;
    const deps = granted(await context.deps());
    const snapshot = await deps.store.readRoom(picture.roomId);
    if (!snapshot) return "This room was removed.";
    const events = await newestEvents(deps.store, snapshot.room, LOG_EVENTS, () => true);
    const { width } = this.view;
    const names = new Map([...snapshot.room.presence.values()].map(({ agentId, handle }) => [agentId, handle]));
    const ids = context.args.isSet("ids");
    const nameFor = (agentId: Caller["agentId"]) => (ids ? agentId : (names.get(agentId) ?? nameOf(picture, agentId)));
    const view = { width, paint: paint(false), me: picture.me, nameOf: nameFor };
    return events.flatMap((event) => eventLines(event, view)).join("\n");
  }

  #show(pictures: readonly RoomPicture[], writes: readonly RoomEvent[]): void {
    const isGone = this.state.roomId !== null && pictures.every(({ roomId }) => roomId !== this.state.roomId);
    this.#ringer.ringFor(new Map(pictures.flatMap((picture) => [...callsIn(picture, questionsIn(picture))])));
    for (const picture of pictures) {
      const here = writes.filter(({ roomId }) => roomId === picture.roomId);
      this.#ringer.ringForWrites(here, (agentId) => nameOf(picture, agentId));
    }
    if (isOutdated(this.state.question, pictures))
      this.state = { ...this.state, question: null, notice: NO_LONGER_TRUE };
    // The last picture stays readable.
    const kept = isGone ? this.state.pictures.filter(({ roomId }) => roomId === this.state.roomId) : [];
    const trouble = isGone ? "This room was removed." : null;
    this.set(keepingChoice({ ...this.state, pictures: [...pictures, ...kept], trouble, isOpening: false }));
  }
}
