/**
 * `tt chat`: a person's place in a room. Talk and events flow up into the terminal's own scrollback; what may still
 * change stays in a region at the bottom. Mail to the person is acknowledged once it is on the terminal.
 */
import { meansRoom } from "../../../core/agent-id.ts";
import type { RoomEvent } from "../../../core/event.ts";
import type { AgentId, EventId } from "../../../core/ids.ts";
import { clockOf, wallMsOf } from "../../../core/time.ts";
import type { Deps } from "../../../engine/deps.ts";
import { ignoringFaults } from "../../../engine/ignoring-faults.ts";
import type { InFlight } from "../../../engine/in-flight.ts";
import { newestEvents } from "../../../engine/newest-events.ts";
import { asReceiver } from "../../../mail/as-receiver.ts";
import { type ReceivedMessage, receivedMessage } from "../../../mail/rules/message.ts";
import type { MarkedRecipient } from "../../../peers/rules/picture-talk.ts";
import type { Room } from "../../../room/rules/room.ts";
import type { Caller } from "../../../session/rules/decision-input.ts";
import type { CliContext } from "../../cli/context.ts";
import { granted } from "../../cli/granted.ts";
import { protectionSight } from "../../cli/protection-of.ts";
import { pause } from "../../follow/follow-board.ts";
import {
  type FollowedMail,
  isFinal,
  messagesAmong,
  RoomFollower,
  type RoomNews,
  readMarks,
} from "../../follow/follow-room.ts";
import { whileAway } from "../../follow/while-away.ts";
import { NO_LONGER_TRUE, isOutdated as outdated } from "../../picture/step-in.ts";
import { EMPTY_COMPOSER } from "../composer.ts";
import type { ConsoleTerminal } from "../console-terminal.ts";
import { LiveScreen } from "../live-screen.ts";
import { changedMarksText } from "../marks.ts";
import { callsIn, Ringer } from "../ringer.ts";
import { dayLine, type TalkView } from "../talk.ts";
import { type ChatState, type FlowItem, flowLines, overflow, regionLines, tailRows } from "./chat-region.ts";

/** So much of the log is shown when the chat opens. */
const FIRST_EVENTS = 30;
/** Of so many messages that have left the region, later marks are told. */
const MOST_WATCHED = 50;

/** In a flood, many events come with one look. */
const BETWEEN_LOOKS_MS = 50;

interface ChatOptions {
  readonly context: CliContext;
  readonly terminal: ConsoleTerminal;
  readonly room: Room;
  /** Null: the chat only shows. */
  readonly person: Caller | null;
  readonly quit: AbortController;
}

export class Chat {
  readonly #options: ChatOptions;
  readonly #screen: LiveScreen;
  readonly #ringer: Ringer;
  readonly #names = new Map<AgentId, string>();
  /** Messages of the person that left the region with marks that may still change. */
  readonly #watched = new Map<EventId, { readonly body: string; marks: readonly MarkedRecipient[] }>();
  /** Mail that is shown once the log is on the terminal up to there. */
  #unshown: { readonly mail: InFlight; readonly upTo: number }[] = [];
  /** Resolves when the mail that is on the terminal is confirmed. */
  #confirmed: Promise<unknown> = Promise.resolve();
  #firstSeq = 0;
  #lastSeq = 0;
  #day = "";
  #isOpen = false;
  state: ChatState;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#screen = new LiveScreen(options.terminal);
    this.#ringer = new Ringer(options.terminal);
    this.state = {
      composer: EMPTY_COMPOSER,
      addressee: "room",
      picture: null,
      asked: [],
      tail: [],
      notice: null,
      question: null,
      trouble: null,
      isReadOnly: options.person === null,
    };
  }

  /** Of the other agents that are here, and of those elsewhere that wait for an answer. */
  get names(): readonly string[] {
    const { picture, asked } = this.state;
    const { agents = [], me } = picture ?? {};
    const here = agents.filter(({ agentId }) => agentId !== me).map(({ agentId }) => this.nameOf(agentId));
    return [...new Set([...here, ...asked.map(({ name }) => name)])];
  }

  /** Whether a message to that name would find a member, as far as the picture tells. */
  isKnown(name: string): boolean {
    const { picture } = this.state;
    if (picture === null || meansRoom(name)) return true;
    const { agents, folded } = picture;
    if (folded.notListed > 0) return true;
    const isOne = ({ agentId }: { readonly agentId: AgentId }) => agentId === name || this.nameOf(agentId) === name;
    return [...agents, ...folded.gone, ...folded.away].some(isOne) || agents.some(({ harness }) => harness === name);
  }

  set(change: Partial<ChatState>): void {
    this.state = { ...this.state, ...change };
    this.draw();
  }

  /** Words of the chat itself join the flow. */
  say(words: string, tone: "dim" | "yellow" | "red" | "plain" = "dim"): void {
    this.#add([{ words, tone }]);
    this.draw();
  }

  /** A reply that a question brought is confirmed once it is shown: with the log of this room, or else as other mail. */
  async hold(mail: InFlight, reply: EventId | null): Promise<void> {
    const { context, room, person } = this.#options;
    const { store } = granted(await context.deps());
    const [message] = reply === null ? [] : await store.readMessages([reply]);
    const isHere = message?.roomId === room.id;
    if (message && !isHere) {
      const delivery = (await store.readDeliveries([message.eventId])).find(
        ({ recipient }) => recipient === person?.agentId,
      );
      // Its room was removed, and the reply with it.
      if (!delivery) return mail.giveBack();
      const roomPath = (await store.readRoom(message.roomId))?.room.path ?? null;
      this.#add([{ mail: receivedMessage(delivery, message, { roomPath, isLate: false }) }]);
    }
    this.#unshown.push({ mail, upTo: isHere ? message.seq : 0 });
    this.draw();
  }

  draw(): void {
    if (!this.#isOpen || this.#screen.isResizing) return;
    this.#flow();
    this.#screen.draw(regionLines(this.state, this.#view, this.#options.terminal.rows));
    this.#hasWritten();
  }

  resized(): void {
    this.#screen.resized(() => this.draw());
  }

  hasColumns(columns: number): void {
    this.#screen.hasColumns(columns);
  }

  /** While the process is stopped, nothing of the region is on the terminal. It may end before it goes on. */
  hide(): void {
    if (!this.#isOpen) return;
    this.#flowUp();
    this.#isOpen = false;
  }

  show(): void {
    this.#isOpen = true;
    this.draw();
  }

  /** Until the person quits. */
  async run(): Promise<void> {
    const { context, quit, room } = this.#options;
    this.#screen.start();
    this.#isOpen = true;
    try {
      this.say(
        `${room.path}${this.state.isReadOnly ? " (read-only: no person started this chat under their own name)" : ""}`,
        "plain",
      );
      this.say(this.state.isReadOnly ? "Ctrl-C ends it." : "Enter sends to the room. /help tells the rest.");
      const tell = (trouble: string) => this.set({ trouble });
      await whileAway({ context, quit: quit.signal, roomId: room.id, tell }, () => this.#follow());
    } finally {
      if (this.#isOpen) {
        this.#flowUp();
        this.#isOpen = false;
        this.#screen.stop();
      }
      await this.#giveBackUnshown();
    }
  }

  /** Everything that is left flows up, so that the terminal keeps it. */
  #flowUp(): void {
    this.#screen.draw([]);
    const { tail } = this.state;
    this.state = { ...this.state, tail: [] };
    this.#print(tail);
    this.#hasWritten();
  }

  async #follow(): Promise<void> {
    const { context, room, person, quit } = this.#options;
    const deps = granted(await context.deps(person ? "change" : "read"));
    if (this.#lastSeq === 0) await this.#open(deps);
    const ids = context.args.isSet("ids");
    const protectionOf = protectionSight(context, deps.clock);
    const follow = { deps, roomId: room.id, person, cancel: quit.signal, ids, protectionOf };
    const follower = new RoomFollower(follow, this.#lastSeq);
    const stream = async (stay: () => Promise<void>) => {
      // Mail that went back because the terminal is gone would be taken again and again.
      while (!quit.signal.aborted) {
        await stay();
        const news = await follower.next(() => this.#unsettled());
        if (news === null) return;
        await this.#take(news);
        await pause(BETWEEN_LOOKS_MS, quit.signal);
      }
    };
    try {
      await (person ? asReceiver(deps, person, {}, stream) : stream(async () => undefined));
    } catch (error) {
      await this.#giveBackUnshown();
      throw error;
    }
  }

  async #open(deps: Deps): Promise<void> {
    const { room } = this.#options;
    const events = await newestEvents(deps.store, room, FIRST_EVENTS, () => true);
    const marks = await readMarks(deps, messagesAmong(events));
    const marked = events.map((event): FlowItem => ({ event, marks: marks.get(event.eventId) ?? [] }));
    // From here on nothing can fail. A look that failed halfway would leave out events, and take their mail as shown.
    this.#day = clockOf(deps.clock.now().wallMs).day;
    this.#firstSeq = events[0]?.seq ?? room.state.lastSeq + 1;
    this.#lastSeq = room.state.lastSeq;
    for (const { agentId, handle } of room.presence.values()) if (handle) this.#names.set(agentId, handle);
    this.#learnNames(events);
    this.#add(marked);
    this.draw();
  }

  async #take(news: RoomNews): Promise<void> {
    this.#learnNames(news.events);
    for (const [agentId, name] of Object.entries(news.picture?.names ?? {})) this.#names.set(agentId as AgentId, name);
    this.#lastSeq = news.events.at(-1)?.seq ?? this.#lastSeq;
    this.#markAgain(news.marks);
    this.#add(news.events.map((event) => ({ event, marks: news.marks.get(event.eventId) ?? [] })));
    this.#add(this.#elsewhere(news.mail).map((mail) => ({ mail })));
    if (news.mail) this.#unshown.push({ mail: news.mail, upTo: Math.max(0, ...news.mail.places.values()) });
    const isOutdated = outdated(this.state.question, news.picture === null ? [] : [news.picture]);
    this.set({
      picture: news.picture,
      asked: news.asked,
      ...(isOutdated && { question: null, notice: NO_LONGER_TRUE }),
      trouble: news.picture === null ? "This room was removed. Ctrl-C ends the chat." : null,
    });
    if (news.picture !== null) this.#ringer.ringFor(callsIn(news.picture, news.asked));
    this.#ringer.ringForWrites(news.events, (agentId) => this.nameOf(agentId));
    await this.#confirmed;
  }

  /** Everything up to the newest event is on the terminal. */
  #hasWritten(): void {
    const shown = this.#unshown.filter(({ upTo }) => upTo <= this.#lastSeq);
    if (shown.length === 0) return;
    this.#unshown = this.#unshown.filter(({ upTo }) => upTo > this.#lastSeq);
    this.#confirmed = this.#confirmed.then(() => this.#confirm(shown.map(({ mail }) => mail)));
  }

  async #confirm(shown: readonly InFlight[]): Promise<void> {
    try {
      await this.#options.terminal.flushed();
    } catch {
      // The terminal is gone, which ends the chat. What it could not show waits for the next reader.
      return giveBack(shown);
    }
    for (const mail of shown) await ignoringFaults(async () => mail.confirm());
  }

  async #giveBackUnshown(): Promise<void> {
    await this.#confirmed;
    const unshown = this.#unshown.map(({ mail }) => mail);
    this.#unshown = [];
    await giveBack(unshown);
  }

  /** Mail that the flow does not show by itself: of other rooms, and older than what is shown of this one. */
  #elsewhere(mail: FollowedMail | null): readonly ReceivedMessage[] {
    if (mail === null) return [];
    const isInFlow = ({ messageId }: ReceivedMessage) => (mail.places.get(messageId) ?? 0) >= this.#firstSeq;
    return mail.answer.messages.filter((message) => !isInFlow(message));
  }

  #unsettled(): readonly EventId[] {
    const live = this.state.tail.flatMap((item) =>
      "event" in item && item.event.type === "message_sent" ? [item.event.eventId] : [],
    );
    return [...live, ...this.#watched.keys()];
  }

  #markAgain(marks: RoomNews["marks"]): void {
    const tail = this.state.tail.map((item) =>
      "event" in item ? { ...item, marks: marks.get(item.event.eventId) ?? item.marks } : item,
    );
    this.state = { ...this.state, tail };
    for (const [id, watched] of this.#watched) {
      const now = marks.get(id) ?? watched.marks;
      const before = new Map(watched.marks.map(({ to, mark }) => [to, mark]));
      const changed = now.filter((one) => isFinal(one) && before.get(one.to) !== one.mark);
      this.#add(
        changedMarksText(changed, watched.body, (agentId) => this.nameOf(agentId)).map((words) => ({
          words,
          tone: "dim" as const,
        })),
      );
      watched.marks = now;
      if (now.length > 0 && now.every(isFinal)) this.#watched.delete(id);
    }
  }

  #add(items: readonly FlowItem[]): void {
    this.state = { ...this.state, tail: [...this.state.tail, ...items] };
  }

  /** What has no place in the region any more flows up. */
  #flow(): void {
    const view = this.#view;
    const { out, kept } = overflow(this.state.tail, view, tailRows(this.state, view, this.#options.terminal.rows));
    if (out.length === 0) return;
    this.state = { ...this.state, tail: kept };
    // Without the region in between, so that the terminal does not draw it twice.
    this.#print(out);
  }

  #watch(item: FlowItem): void {
    if (!("event" in item) || item.event.type !== "message_sent") return;
    const { eventId, fromAgentId, payload } = item.event;
    const isMine = fromAgentId !== null && fromAgentId === this.#options.person?.agentId;
    if (!isMine || (item.marks.length > 0 && item.marks.every(isFinal))) return;
    this.#watched.set(eventId, { body: payload.body, marks: item.marks });
    const [oldest] = this.#watched.keys();
    if (this.#watched.size > MOST_WATCHED && oldest !== undefined) this.#watched.delete(oldest);
  }

  #print(items: readonly FlowItem[]): void {
    const view = this.#view;
    for (const item of items) this.#watch(item);
    this.#screen.print(
      items.flatMap((item) => {
        const lines = flowLines(item, view);
        if (!("event" in item)) return lines;
        const { day } = clockOf(wallMsOf(item.event.createdAt));
        const isSame = day === this.#day;
        this.#day = day;
        return isSame ? lines : [dayLine(day, view), ...lines];
      }),
    );
  }

  get #view(): TalkView {
    const { context, terminal, person } = this.#options;
    const me = person?.agentId ?? null;
    // One column stays free: terminals differ about the width of some characters.
    const width = Math.max(12, terminal.columns - 1);
    return { width, paint: context.paint, me, nameOf: (agentId) => this.nameOf(agentId) };
  }

  nameOf(agentId: AgentId): string {
    return this.#options.context.args.isSet("ids") ? agentId : (this.#names.get(agentId) ?? agentId);
  }

  #learnNames(events: readonly RoomEvent[]): void {
    for (const { type, fromAgentId, payload } of events)
      if (type === "member_joined" && fromAgentId !== null) this.#names.set(fromAgentId, payload.handle);
  }
}

async function giveBack(unshown: readonly InFlight[]): Promise<void> {
  for (const mail of unshown) await ignoringFaults(async () => mail.giveBack());
}
