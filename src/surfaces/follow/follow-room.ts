/**
 * Follows one room for a reader: its log, what became of its messages, who is there, and the reader's own mail. One
 * waiter does it all; a look tells only what is new. Mail is confirmed when the reader says that it is on the screen.
 */
import type { RoomEvent } from "../../core/event.ts";
import type { EventId, RoomId } from "../../core/ids.ts";
import type { Delivery } from "../../core/mail-records.ts";
import type { ProcessRef } from "../../core/process.ts";
import { isRefusal } from "../../core/refusal.ts";
import { oneLine } from "../../core/visible.ts";
import type { Deps } from "../../engine/deps.ts";
import { ignoringFaults } from "../../engine/ignoring-faults.ts";
import { waitUntil } from "../../engine/wait-until.ts";
import { questionsTo } from "../../mail/mail-watch.ts";
import { type TakeCommand, type TakenMessages, takeIfAny } from "../../mail/take-messages.ts";
import { type PictureOptions, roomPicture } from "../../peers/room-picture.ts";
import type { RoomPicture } from "../../peers/rules/picture.ts";
import type { FoldedAgent, ShownMachine } from "../../peers/rules/picture-agents.ts";
import { type MarkedRecipient, marksOf } from "../../peers/rules/picture-talk.ts";
import { type LogCursor, readLines } from "../../room/log-stream.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import { type AskedQuestion, questionsIn } from "../picture/step-in.ts";
import { namedFor } from "../picture/why-words.ts";

export interface RoomNews {
  readonly events: readonly RoomEvent[];
  /** For the messages that the reader watches. */
  readonly marks: ReadonlyMap<EventId, readonly MarkedRecipient[]>;
  /** Null: the room is gone. */
  readonly picture: RoomPicture | null;
  /** The questions that wait for the reader's answer, of other rooms, too. */
  readonly asked: readonly AskedQuestion[];
  /** In flight until it is confirmed. */
  readonly mail: FollowedMail | null;
}

export interface FollowedMail extends TakenMessages {
  /** Where the messages of this room are in its log. */
  readonly places: ReadonlyMap<EventId, number>;
}

export interface FollowRoom {
  readonly deps: Deps;
  readonly roomId: RoomId;
  /** The person who reads; null for a reader that takes no mail. */
  readonly person: Caller | null;
  readonly cancel: AbortSignal;
  /** Whether the reader wants ids in place of handles. */
  readonly ids: boolean;
  readonly protectionOf?: PictureOptions["protectionOf"];
}

const TAKE: TakeCommand = { limit: 20, maxBytes: 65_536, onePerSender: false, from: null, transport: "chat" };
const EVERYTHING = { types: null, target: { kind: "any" }, from: null } as const;
const MINUTE_MS = 60_000;

export class RoomFollower {
  readonly #follow: FollowRoom;
  #cursor: LogCursor;
  #shown = "";

  constructor(follow: FollowRoom, afterSeq: number) {
    this.#follow = follow;
    this.#cursor = new Map([[follow.roomId, afterSeq]]);
  }

  /** Resolves with what is new; null once it is cancelled. `watched` are the messages whose marks may still change. */
  async next(watched: () => readonly EventId[]): Promise<RoomNews | null> {
    const { deps, cancel } = this.#follow;
    const ended = await waitUntil<RoomNews>(deps, {
      name: "all",
      cancel,
      look: async () => {
        const news = await this.#look(watched());
        const { wallMs } = deps.clock.now();
        const shown = JSON.stringify([news.picture && drawnOf(news.picture, wallMs), [...news.marks], news.asked]);
        const hasNews = news.events.length > 0 || (news.mail?.answer.count ?? 0) > 0 || shown !== this.#shown;
        this.#shown = shown;
        if (hasNews) return { found: news };
        const changesInMs = Math.min(msToNextMinute(wallMs), news.mail?.nextDueMs ?? MINUTE_MS);
        return { changesInMs, decisive: await processesIn(deps, news.picture === null ? [] : [news.picture]) };
      },
    });
    return "found" in ended ? ended.found : null;
  }

  /**
   * Mail is taken before the log is read, so that the log has every message that was taken. A look that fails is made
   * again: its mail goes back, and the next look begins where this one began.
   */
  async #look(watched: readonly EventId[]): Promise<RoomNews> {
    const { deps, person } = this.#follow;
    const taken = person && (await takeIfAny(deps, person, TAKE));
    try {
      const mail = taken && { ...taken, places: await this.#placesOf(taken) };
      const { events, marks, cursor } = await readLog(deps, this.#cursor, watched);
      const picture = await this.#picture();
      const asked = picture === null ? [] : await this.#askedIn(picture);
      this.#cursor = cursor;
      return { events, marks, picture, asked, mail };
    } catch (error) {
      await ignoringFaults(async () => taken?.giveBack());
      throw error;
    }
  }

  async #placesOf({ answer }: TakenMessages): Promise<FollowedMail["places"]> {
    const { deps, roomId } = this.#follow;
    const ids = answer.messages.filter(({ room }) => room.id === roomId).map(({ messageId }) => messageId);
    const messages = ids.length === 0 ? [] : await deps.store.readMessages(ids);
    return new Map(messages.map(({ eventId, seq }) => [eventId, seq]));
  }

  async #picture(): Promise<RoomPicture | null> {
    const { deps, roomId, person, ids, protectionOf } = this.#follow;
    const picture = await roomPicture(deps, person, roomId, { protectionOf });
    return isRefusal(picture) ? null : namedFor(picture, { ids });
  }

  async #askedIn(picture: RoomPicture): Promise<readonly AskedQuestion[]> {
    const { deps, person, ids } = this.#follow;
    const here = questionsIn(picture);
    if (person === null) return here;
    const known = new Set(here.map(({ messageId }) => messageId));
    const elsewhere = (await questionsTo(deps, person)).filter(({ messageId }) => !known.has(messageId));
    const named = elsewhere.map(({ messageId, from, fromHandle }) => ({
      asker: from,
      name: oneLine(ids ? from : (fromHandle ?? from)),
      messageId,
      words: "",
    }));
    return [...here, ...named];
  }
}

/** The events after the cursor, and the marks of the messages among them and of those that are watched. */
export async function readLog(deps: Deps, from: LogCursor, watched: readonly EventId[]) {
  const { events, cursor } = await readLines(deps, { cursor: from, filter: EVERYTHING });
  return { events, marks: await readMarks(deps, [...watched, ...messagesAmong(events)]), cursor };
}

export function messagesAmong(events: readonly RoomEvent[]): readonly EventId[] {
  return events.filter(({ type }) => type === "message_sent").map(({ eventId }) => eventId);
}

/** Read and dead are for good. */
export function isFinal({ mark }: MarkedRecipient): boolean {
  return mark === "read" || mark === "dead";
}

/** Of each of these messages, in one read. */
export async function readMarks(
  { store, clock }: Deps,
  messageIds: readonly EventId[],
): Promise<ReadonlyMap<EventId, readonly MarkedRecipient[]>> {
  const ids = [...new Set(messageIds)];
  const deliveries = new Map(ids.map((id): [EventId, Delivery[]] => [id, []]));
  if (ids.length > 0)
    for (const delivery of await store.readDeliveries(ids)) deliveries.get(delivery.messageId)?.push(delivery);
  const moment = clock.now();
  return new Map([...deliveries].map(([id, own]) => [id, marksOf(own, moment)]));
}

/** Of the agents that the pictures show as here: the death of one is worth a look. */
export async function processesIn({ store }: Deps, pictures: readonly RoomPicture[]): Promise<readonly ProcessRef[]> {
  const found = await Promise.all(
    pictures.map(async ({ roomId, agents }) => {
      const presence = (await store.readRoom(roomId))?.room.presence;
      return agents.flatMap(({ agentId }) => presence?.get(agentId)?.process ?? []);
    }),
  );
  return found.flat();
}

export function msToNextMinute(wallMs: number): number {
  return MINUTE_MS - (wallMs % MINUTE_MS);
}

function unseen(agents: readonly FoldedAgent[]): readonly FoldedAgent[] {
  return agents.map((agent) => ({ ...agent, lastSeenAt: null }));
}

/** When it was last heard of differs a little at each look. */
function drawnMachine(machine: ShownMachine | null): unknown {
  return machine && [machine.name, machine.silentSince !== null];
}

/** What of the picture is drawn. Ages move at minute boundaries; signs of life alone are no news. */
export function drawnOf(picture: RoomPicture, nowMs: number): unknown {
  const { asOf: _, detail: __, lastSeq: ___, now, agents, folded, machine, ...rest } = picture;
  // Deadlines are told on a clock of their own: as wall times they differ a little at each look.
  const holder = now.holder && { ...now.holder, leaseUntil: null };
  const reservation = now.reservation && { ...now.reservation, until: null };
  const rows = agents.map((row) => ({
    ...row,
    lastSeenAt: null,
    activity: row.activity.state,
    machine: drawnMachine(row.machine),
  }));
  const notHere = { ...folded, gone: unseen(folded.gone), away: unseen(folded.away) };
  return [rest, drawnMachine(machine), { ...now, holder, reservation }, rows, notHere, Math.floor(nowMs / MINUTE_MS)];
}
