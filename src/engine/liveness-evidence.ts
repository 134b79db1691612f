/**
 * What was observed about processes and signs of life for one decision. It is gathered before the transaction. But only
 * inside the transaction is it certain which agents the decision depends on. If one of them was not looked at, nothing
 * is decided. The caller then looks at that agent and makes the decision again. An agent that was not looked at counts
 * as unknown and loses nothing.
 */

import type { AgentId } from "../core/ids.ts";
import { bootKey, type ProcessRef, type ProcessVerdict, processKey } from "../core/process.ts";
import { after, elapsedMs, type Instant, type Moment } from "../core/time.ts";
import type { Post } from "../mail/rules/send.ts";
import type { Room } from "../room/rules/room.ts";
import type { Evidence } from "../session/rules/decision-input.ts";
import type { SessionName } from "../session/rules/evidence.ts";
import type { HeardHosts } from "../session/rules/host-silence.ts";
import type { Deps } from "./deps.ts";

/** The room and the time that a decision will probably use. */
export interface RoomAtMoment {
  readonly room: Room;
  readonly moment: Moment;
  readonly post?: Post | null;
}

export interface About {
  /** Whose processes and signs of life matter. */
  readonly agents: readonly AgentId[];
  readonly processes: Iterable<ProcessRef | null>;
  /** Processes that show mail, unless they are suspended. */
  readonly doors?: Iterable<ProcessRef | null>;
}

/** The agents that a decision depends on; which waiter is next may depend on what is known about the first. */
export type Concern = (roomAtMoment: RoomAtMoment, known: Evidence) => About;

export class EvidenceCollector {
  readonly #deps: Deps;
  readonly #verdicts = new Map<string, ProcessVerdict>();
  readonly #suspended = new Map<string, boolean>();
  readonly #signs = new Map<AgentId, Instant | null>();
  readonly #followed = new Set<AgentId>();
  readonly #renamed = new Map<AgentId, ProcessVerdict>();
  #hosts: HeardHosts | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async lookAt(concern: Concern, roomAtMoment: RoomAtMoment): Promise<void> {
    const visit = () => this.#visit(concern, roomAtMoment, (look) => look());
    for (let seen = visit(); seen.isNew || (await this.#followNames(seen.agents, roomAtMoment)); seen = visit());
    await this.#lookAtHosts();
  }

  /** Only if one of the processes is on another machine, or from before a restart of this one. */
  async #lookAtHosts(): Promise<void> {
    const { hosts, probe } = this.#deps;
    if (!hosts || this.#hosts) return;
    const own = `${bootKey(probe.self())}/`;
    if ([...this.#verdicts.keys()].some((key) => !key.startsWith(own))) this.#hosts = await hosts.others();
  }

  misses(concern: Concern, roomAtMoment: RoomAtMoment): boolean {
    return this.#visit(concern, roomAtMoment, () => undefined).isNew;
  }

  at(moment: Moment): Evidence {
    const activity = new Map<AgentId, Instant | null>();
    for (const [agentId, sign] of this.#signs) {
      activity.set(agentId, sign && onStoresClock(this.#deps, sign, moment.instant));
    }
    const suspended = new Set([...this.#suspended].filter(([, isSuspended]) => isSuspended).map(([key]) => key));
    const known = { verdicts: this.#verdicts, renamed: this.#renamed, suspended, activity };
    return this.#hosts ? { ...known, hosts: this.#hosts } : known;
  }

  /** The agents that matter, and whether there was something to look at that had not been looked at before. */
  #visit(concern: Concern, roomAtMoment: RoomAtMoment, unseen: (look: () => void) => void) {
    const { activity } = this.#deps;
    const { presence, state } = roomAtMoment.room;
    const { agents, processes, doors = [] } = concern(roomAtMoment, this.at(roomAtMoment.moment));
    let isNew = false;
    const see = <Key>(known: Map<Key, unknown>, key: Key, look: () => void) => {
      if (known.has(key)) return;
      isNew = true;
      unseen(look);
    };
    const seeProcess = (process: ProcessRef | null, session: SessionName | null = null) => {
      if (process === null) return;
      const key = processKey(process);
      see(this.#verdicts, key, () => this.#verdicts.set(key, this.#verdict(process, session)));
    };
    for (const agentId of agents) {
      const { process = null, sessionId = null } = presence.get(agentId) ?? {};
      const harness = state.members.get(agentId)?.harness;
      seeProcess(process, sessionId !== null && harness !== undefined ? { harness, sessionId } : null);
      if (sessionId !== null) see(this.#signs, agentId, () => this.#signs.set(agentId, activity.lastSign(sessionId)));
    }
    for (const process of processes) seeProcess(process);
    for (const door of doors) {
      seeProcess(door);
      const key = door && processKey(door);
      if (key) see(this.#suspended, key, () => this.#suspended.set(key, this.#deps.probe.isSuspended(door)));
    }
    return { agents, isNew };
  }

  /**
   * A member that may lose something may be a session that has another name by now and lives under that name. Returns
   * whether there was such a session that had not been looked at before.
   */
  async #followNames(agents: readonly AgentId[], roomAtMoment: RoomAtMoment): Promise<boolean> {
    const { store, activity } = this.#deps;
    const { room } = roomAtMoment;
    const doubtful = agents.filter((name) => !this.#followed.has(name) && this.#mayLose(roomAtMoment, name));
    if (doubtful.length === 0) return false;
    for (const name of doubtful) this.#followed.add(name);
    const aliases = await store.readAliases(doubtful);
    const sessions = aliases.size === 0 ? [] : await store.readSessions(room.project);
    for (const [name, present] of aliases) {
      const { process = null, sessionId = null, harness = "" } = sessions.find((row) => row.agentId === present) ?? {};
      const sign = sessionId === null ? null : activity.lastSign(sessionId);
      if (sign) this.#signs.set(name, sign);
      const session = sessionId === null ? null : { harness, sessionId };
      const known = room.presence.get(name)?.process ?? null;
      const verdicts = [process, known].flatMap((its) => (its ? this.#verdict(its, session) : []));
      if (verdicts.length > 0) this.#renamed.set(name, ofSome(verdicts));
    }
    return aliases.size > 0;
  }

  #mayLose({ room: { presence, policy }, moment }: RoomAtMoment, name: AgentId): boolean {
    const { process = null, lastSeen = null } = presence.get(name) ?? {};
    if (process && this.#verdicts.get(processKey(process)) === "gone") return true;
    const { leaseTtlMs, presenceTtlMs, idleRoomTtlMs } = policy;
    return (
      lastSeen !== null && elapsedMs(lastSeen, moment.instant) >= Math.min(leaseTtlMs, presenceTtlMs, idleRoomTtlMs)
    );
  }

  /** A session that was resumed in a second terminal lives as long as it lives in one of them. */
  #verdict(process: ProcessRef, session: SessionName | null): ProcessVerdict {
    const { probe, cards } = this.#deps;
    const verdict = probe.verdict(process);
    if (verdict !== "gone" || session === null || !cards) return verdict;
    return cards.processesOf(session).some((other) => probe.verdict(other) === "alive") ? "alive" : verdict;
  }
}

/** A session is alive in one of its processes, or gone from all. */
function ofSome(verdicts: readonly ProcessVerdict[]): ProcessVerdict {
  if (verdicts.includes("alive")) return "alive";
  return verdicts.includes("unknown") ? "unknown" : "gone";
}

/** Signs use this machine's clock, the room uses the store's. Between two clocks only the age can be carried over. */
function onStoresClock(deps: Deps, sign: Instant, storeNow: Instant): Instant | null {
  if (sign.epoch === storeNow.epoch) return sign;
  const ageMs = elapsedMs(sign, deps.clock.now().instant);
  return Number.isFinite(ageMs) ? after(storeNow, -ageMs) : null;
}
