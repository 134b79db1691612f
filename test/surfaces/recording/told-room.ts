/** A room in which much happens by chance, and which is looked at after each step. */
import { asRoomId } from "../../../src/core/ids.ts";
import { isRefusal, type Refusal } from "../../../src/core/refusal.ts";
import type { Deps } from "../../../src/engine/deps.ts";
import type { Store } from "../../../src/engine/ports/store.ts";
import { roomPicture } from "../../../src/peers/room-picture.ts";
import type { RoomPicture } from "../../../src/peers/rules/picture.ts";
import { gatherRecording, type WantedRecording } from "../../../src/surfaces/recording/gather-recording.ts";
import type { Recording } from "../../../src/surfaces/wire/recording.ts";
import { SeededRandom } from "../../support/random.ts";
import { accepted, type ServiceOptions, ServiceWorld } from "../../support/service-world.ts";

const AGENTS = ["claude:1", "codex:1", "gemini:1", "opencode:1"];
const PERSON = "human:me";
const TAKEOVER = { reason: "I need it", operatorRequested: true };

export class ToldRoom extends ServiceWorld {
  readonly path: string;
  roomId = "";
  /** By the newest event that each knows of. */
  readonly pictures = new Map<number, RoomPicture>();
  readonly leases = new Set<string>();
  readonly #notes: string[] = [];
  readonly #random: SeededRandom;

  constructor(seed: number, options: ServiceOptions = {}) {
    super({}, options);
    this.path = this.directory("tree");
    this.#random = new SeededRandom(seed);
  }

  get store(): Store {
    return this.deps.store;
  }

  /** Plays so many steps; some of them are refused, as in life. */
  async play(steps: number): Promise<this> {
    const joined = accepted(await this.as(AGENTS[0] ?? "").joinPath({ contextPath: this.path }));
    this.roomId = joined.roomId;
    await this.#look();
    for (let step = 0; step < steps; step += 1) {
      this.nowMs += this.#random.between(10, 90_000);
      await this.#step();
      await this.#look();
    }
    return this;
  }

  async #look(): Promise<void> {
    const picture = accepted(await roomPicture(this.deps, null, asRoomId(this.roomId), { since: true }));
    this.pictures.set(picture.lastSeq, picture);
  }

  async #step(): Promise<void> {
    const random = this.#random;
    const agent = random.pick(AGENTS);
    const [me, to, roomId] = [this.as(agent), random.pick(AGENTS), this.roomId];
    const person = this.as(PERSON, { person: true });
    const holder = [...this.pictures.values()].at(-1)?.now.holder?.agentId;
    const held = holder === undefined ? null : await this.#held(holder);
    const owner = this.as(holder ?? agent);
    const handoff = { status: `done by ${agent}`, nextAction: "go on" };
    const acts: readonly (() => Promise<unknown>)[] = [
      () => me.joinPath({ contextPath: this.path }),
      () => me.waitForTurn({ roomId, maxWaitMs: 0 }),
      () => me.waitForTurn({ roomId, maxWaitMs: 0 }),
      () => me.waitForTurn({ roomId, maxWaitMs: 0, claim: false }),
      async () => held && owner.releaseStick({ roomId, ...held, handoff }),
      async () => held && owner.releaseStick({ roomId, ...held, handoff }),
      async () => held && owner.passStick({ roomId, ...held, toAgentId: to, handoff }),
      () => person.giveStick({ roomId, toAgentId: to, operatorRequested: true }),
      async () => held && person.takeoverStick({ roomId, ...TAKEOVER, expectedTurnId: held.expectedTurnId }),
      () => person.pauseRoom({ roomId, reason: "lunch" }),
      () => person.resumeRoom({ roomId }),
      () => person.resumeRoom({ roomId }),
      () => me.leaveRoom({ roomId }),
      () => person.kickMember({ roomId, targetAgentId: to, force: true, reason: "away" }),
      () => me.setMyState({ roomId, purpose: `purpose ${random.between(1, 99)}` }),
      () => me.sendMessage({ roomId, to, body: `hello from ${agent}` }),
      () => me.sendMessage({ roomId, to: "room", body: "to all of you" }),
      () => this.#note(agent),
      () => this.#note(agent),
      async () => this.#notes.length > 0 && me.resolveNote({ roomId, noteId: random.pick(this.#notes) }),
      () => person.changePolicy({ roomId, changes: { guard: random.pick(["off", "advise", "deny"] as const) } }),
      async () => random.chance(0.1) && person.closeRoom({ roomId }),
    ];
    const answer = await random.pick(acts)();
    const granted = answer as { readonly leaseId?: string } | Refusal | null | false;
    if (granted && !isRefusal(granted) && granted.leaseId !== undefined) this.leases.add(granted.leaseId);
  }

  async #note(agent: string): Promise<void> {
    const note = await this.as(agent).addNote({ roomId: this.roomId, body: `note ${this.#notes.length} of ${agent}` });
    if (!isRefusal(note)) this.#notes.push(note.noteId);
  }

  async #held(agentId: string) {
    const { room } = (await this.store.readRoom(asRoomId(this.roomId))) ?? {};
    if (!room?.lease || room.state.owner !== agentId) return null;
    this.leases.add(room.lease.leaseId);
    return { leaseId: room.lease.leaseId, expectedTurnId: room.state.turnId };
  }

  /** By a person, who takes the stick first if an agent holds it. The person may hold it already, by a takeover. */
  async close(): Promise<void> {
    const { roomId } = this;
    const person = this.as(PERSON, { person: true });
    accepted(await person.joinPath({ contextPath: this.path }));
    const { room } = (await this.store.readRoom(asRoomId(roomId))) ?? {};
    if (room && room.state.owner !== null && room.state.owner !== PERSON) {
      accepted(await person.takeoverStick({ roomId, ...TAKEOVER, expectedTurnId: room.state.turnId }));
    }
    accepted(await person.closeRoom({ roomId }));
  }

  async recorded(wanted: Partial<WantedRecording> = {}, deps: Deps = this.deps): Promise<Recording> {
    const { room } = (await this.store.readRoom(asRoomId(this.roomId))) ?? {};
    if (!room) throw new Error("there is no room");
    const all = {
      version: "1.2.3",
      since: null,
      until: null,
      diffs: false,
      ids: false,
      protectionOf: undefined,
      cancel: new AbortController().signal,
      tell: () => undefined,
    };
    const recording = accepted(await gatherRecording(deps, room, { ...all, ...wanted }));
    if (recording === null) throw new Error("it was cancelled");
    return JSON.parse(JSON.stringify(recording)) as Recording;
  }
}
