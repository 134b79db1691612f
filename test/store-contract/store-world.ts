/**
 * A store under test, changed by the real decisions. After every change the world reads the room and the log
 * back, through the same connection and another one, and compares them with what was decided: so every test of
 * the contract is a round trip of every field it touches.
 */
import { expect, onTestFinished } from "vitest";
import type { RoomEvent } from "../../src/core/event.ts";
import { type AgentId, asAgentId, asLeaseId, asNoteId, asRoomId, type RoomId } from "../../src/core/ids.ts";
import { DEFAULT_POLICY, type Policy } from "../../src/core/policy.ts";
import { type ProcessVerdict, processKey } from "../../src/core/process.ts";
import type { Moment } from "../../src/core/time.ts";
import type { Changed, ChangeTarget, Loaded, Store } from "../../src/engine/ports/store.ts";
import type { Decision } from "../../src/room/rules/change.ts";
import { changePolicy } from "../../src/room/rules/change-policy.ts";
import { closeRoom } from "../../src/room/rules/close.ts";
import { joinRoom } from "../../src/room/rules/join.ts";
import { kickMember } from "../../src/room/rules/kick.ts";
import { leaveRoom } from "../../src/room/rules/leave.ts";
import { addNote, resolveNote } from "../../src/room/rules/note.ts";
import type { NewRoom, Room } from "../../src/room/rules/room.ts";
import type { Given } from "../../src/session/rules/decision-input.ts";
import { attachEvidence } from "../../src/stick/rules/handoff-evidence.ts";
import { passStick } from "../../src/stick/rules/pass.ts";
import { releaseStick } from "../../src/stick/rules/release.ts";
import { takeoverStick } from "../../src/stick/rules/takeover.ts";
import { waitForTurn } from "../../src/stick/rules/wait.ts";
import { processOf } from "../support/room-world.ts";

/** How another process finds the same data. */
export type StoreLocation =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string; readonly schema: string };

export interface Backend {
  readonly store: Store;
  /** Another connection to the same data; in memory there is only one. */
  again(): Promise<Store>;
  /** Runs a statement behind the store's back; absent where there is no SQL. */
  readonly sql?: (statement: string) => Promise<void>;
  /** The statements that make the data look like that of newer programs, to be shared with this one or not. */
  readonly newerSchema?: { readonly shared: string; readonly theirs: string };
  readonly location?: StoreLocation;
  /** Whether nothing but this test can change the mark. */
  readonly markIsOurs: boolean;
}

export type OpenBackend = () => Promise<Backend>;

/** A handoff that uses every field. */
export const FULL_HANDOFF = {
  status: "parser done, ünïcödé 🪄 and \u0000 too",
  nextAction: "write the tests",
  artifacts: [{ path: "src/a.ts", lines: [1, 20], role: "review", note: "why" }, { path: "src/b.ts" }],
  openQuestions: ["which one?"],
  doNot: ["touch the_schema or camelCase"],
};
export const CHECKED_OUT = { head: "abc", branch: null };
export const FULL_EVIDENCE = {
  ...CHECKED_OUT,
  dirty: true,
  untracked: 3,
  diffStat: " 2 files changed",
  tree: "7ree",
  changed: { files: [{ path: "a ünï.ts", added: 1, removed: null }], more: 2 },
};

export class StoreWorld {
  readonly backend: Backend;
  readonly store: Store;
  readonly other: Store;
  roomId: RoomId = asRoomId("none");
  readonly #verdicts = new Map<string, ProcessVerdict>();
  readonly #formerIds = new Map<AgentId, AgentId>();
  readonly #logs = new Map<RoomId, RoomEvent[]>();
  readonly #rooms = new Map<RoomId, Room>();
  #commands = 0;

  private constructor(backend: Backend, other: Store) {
    this.backend = backend;
    this.store = backend.store;
    this.other = other;
  }

  static async open(openBackend: OpenBackend): Promise<StoreWorld> {
    const backend = await openBackend();
    const other = await backend.again();
    onTestFinished(async () => {
      await other.close();
      await backend.store.close();
    });
    return new StoreWorld(backend, other);
  }

  /** From now on the agent's calls tell which name its session had before. */
  remember(agent: string, former: string): void {
    this.#formerIds.set(asAgentId(agent), asAgentId(former));
  }

  kill(agent: string): void {
    this.#verdicts.set(processKey(processOf(agent)), "gone");
  }

  given(agent: string, moment: Moment, { person = false } = {}): Given {
    this.#commands += 1;
    return {
      caller: {
        agentId: asAgentId(agent),
        harness: agent.split(":")[0] ?? agent,
        isPerson: person,
        process: processOf(agent),
        sessionId: `session of ${agent}`,
        formerId: this.#formerIds.get(asAgentId(agent)) ?? null,
        tmuxPane: `%${agent.length}`,
      },
      moment,
      evidence: { verdicts: new Map(this.#verdicts), activity: new Map() },
      commandId: `${this.roomId}-command${this.#commands}`,
      freshLeaseId: asLeaseId(`lease${this.#commands}`),
    };
  }

  newRoom(path: string, { project = "/projects" } = {}): NewRoom {
    return {
      id: asRoomId(`room at ${path}`),
      host: "host-1",
      path,
      project,
      // No grace: a dead process counts at once, so that no test has to wait.
      policy: { ...DEFAULT_POLICY, goneGraceMs: 0 },
      createdAt: "2026-01-01T00:00:00.000Z",
    };
  }

  /** Joins the deepest room among the paths, made at the last one if there is none; later commands go there. */
  async join(agent: string, paths: readonly string[] = ["/projects"], options: { project?: string } = {}) {
    const otherwise = this.newRoom(paths.at(-1) ?? "/projects", options);
    const target = { host: otherwise.host, paths, otherwise };
    const changed = await this.change(target, agent, (loaded, given) => joinRoom(loaded.room, given, loaded.handles));
    this.roomId = changed.decision.change.room.id;
    return changed;
  }

  wait(agent: string, { claims = true } = {}) {
    const command = { claims, forMs: 60_000, callerProcess: processOf(`${agent} call`), gitHead: "c0ffee" };
    return this.here(agent, ({ room, handles }, given) => waitForTurn(room, given, handles, command));
  }

  release(agent: string) {
    return this.here(agent, ({ room }, given) =>
      releaseStick(room, given, { ...tokenOf(room), handoff: FULL_HANDOFF, checkedOut: CHECKED_OUT }),
    );
  }

  /** Git has answered about the turn that `agent` has just handed over. */
  attachEvidence(agent: string) {
    return this.here(agent, ({ room }, given) => {
      const { turnId, handoff } = room.state;
      if (!handoff) throw new Error("no handoff is attached");
      return attachEvidence(room, given, { turnId, handoff, evidence: FULL_EVIDENCE });
    });
  }

  pass(agent: string, to: string) {
    const handover = { handoff: FULL_HANDOFF, checkedOut: null, to, operatorRequested: false };
    return this.here(agent, ({ room }, given) => passStick(room, given, { ...tokenOf(room), ...handover }));
  }

  takeover(agent: string) {
    return this.here(agent, ({ room, handles }, given) =>
      takeoverStick(room, given, handles, {
        expectedTurnId: room.state.turnId,
        reason: "it \u0000 died",
        operatorRequested: false,
        gitHead: null,
      }),
    );
  }

  kick(agent: string, target: string) {
    const command = { targetAgentId: asAgentId(target), force: false, reason: null };
    return this.here(agent, ({ room }, given) => kickMember(room, given, command));
  }

  leave(agent: string) {
    return this.here(agent, ({ room }, given) => leaveRoom(room, given, "left"));
  }

  close(agent: string) {
    const command = { operatorRequested: true };
    return this.here(agent, ({ room }, given) => closeRoom(room, given, command), { person: true });
  }

  policy(agent: string, changes: Partial<Policy>) {
    return this.here(agent, ({ room, handles }, given) => changePolicy(room, given, handles, changes), {
      person: true,
    });
  }

  addNote(agent: string, noteId: string, body: string, turnId: number | null = null) {
    return this.here(agent, ({ room, handles }, given) =>
      addNote(room, given, handles, { noteId: asNoteId(noteId), body, turnId }),
    );
  }

  resolveNote(agent: string, noteId: string) {
    const target = { roomId: this.roomId, noteId: asNoteId(noteId) };
    return this.change(target, agent, ({ room, handles, note }, given) =>
      resolveNote(room, given, handles, { noteId: asNoteId(noteId), note }),
    );
  }

  /** A command in the current room. */
  here<Answer>(agent: string, decide: Decide<Answer>, options: { person?: boolean } = {}): Promise<Changed<Answer>> {
    return this.change({ roomId: this.roomId }, agent, decide, options);
  }

  async change<Answer>(
    target: ChangeTarget,
    agent: string,
    decide: Decide<Answer>,
    options: { person?: boolean } = {},
  ): Promise<Changed<Answer>> {
    const changed = await this.store.change(target, (loaded) =>
      decide(loaded, this.given(agent, loaded.moment, options)),
    );
    if (changed === null) throw new Error("the room is not there");
    await this.#expectRoundTrip(changed);
    return changed;
  }

  async #expectRoundTrip({ before, created, decision }: Changed<unknown>): Promise<void> {
    const { room, events } = decision.change;
    const known = this.#rooms.get(room.id);
    expect(created).toBe(known === undefined);
    if (known) expect(before).toEqual(known);
    this.#rooms.set(room.id, room);
    const log = [...(this.#logs.get(room.id) ?? []), ...events];
    this.#logs.set(room.id, log);
    for (const store of [this.store, this.other]) {
      expect((await store.readRoom(room.id))?.room).toStrictEqual(room);
      expect(await store.readEvents(room.id, 0, 1000)).toStrictEqual(log);
    }
  }

  async room(): Promise<Room> {
    const snapshot = await this.store.readRoom(this.roomId);
    if (snapshot === null) throw new Error("the room is not there");
    return snapshot.room;
  }
}

type Decide<Answer> = (loaded: Loaded, given: Given) => Decision<Answer>;

function tokenOf(room: Room) {
  return { leaseId: room.lease?.leaseId ?? asLeaseId("none"), expectedTurnId: room.state.turnId };
}
