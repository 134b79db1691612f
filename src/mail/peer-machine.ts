/** Whether the machines of recipients are silent: as a message is sent, and while its sender waits for an answer. */
import type { AgentId, RoomId } from "../core/ids.ts";
import { after, elapsedMs, type Instant } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { lastSeenIn, machinesBeside } from "../room/rules/liveness.ts";
import type { Room } from "../room/rules/room.ts";
import { aliveness, type Sight } from "../session/rules/aliveness.ts";
import { NO_EVIDENCE } from "../session/rules/decision-input.ts";
import { isElsewhere, SILENT_AFTER_MS } from "../session/rules/host-silence.ts";
import { type SilentMachine, silentMachine } from "./rules/silent-machine.ts";

/** Nothing is expected of the machine, or it is silent: what will change that is not known. */
const LOOK_AGAIN_MS = 30_000;
/** What was seen so lately is still told. */
const FRESH_MS = 1000;

export type SilentMachines = ReadonlyMap<AgentId, SilentMachine>;

/** Where one of the machines seems to be silent, the other rooms of the project may have seen an agent there since. */
export async function silentAmong(
  deps: Deps,
  rooms: readonly Room[],
  agents: readonly AgentId[],
  sight: Sight,
): Promise<SilentMachines> {
  const first = silentIn(deps, rooms, agents, sight);
  const [{ project } = { project: null }, ...others] = rooms;
  if (first.size === 0 || project === null || others.length > 0) return first;
  return silentIn(deps, (await deps.store.readRooms({ project })).rooms, [...first.keys()], sight);
}

function silentIn({ probe }: Deps, rooms: readonly Room[], agents: readonly AgentId[], sight: Sight): SilentMachines {
  const machineOf = machinesBeside(probe.self(), rooms, sight);
  const found = agents.flatMap((agentId) => {
    const silent = silentMachine(machineOf(agentId), sight);
    return silent ? [[agentId, silent] as const] : [];
  });
  return new Map(found);
}

/** An agent on another machine. */
export interface FarPeer {
  readonly agentId: AgentId;
  /** The room that saw it last. */
  readonly roomId: RoomId;
  /** By the clock of this machine. */
  readonly lookedAt: Instant;
  /** When its machine may have become silent. */
  readonly lookInMs: number;
}

/** Null if the agent is on this machine, or it is not known where. */
export function farPeer(
  { probe, clock }: Deps,
  rooms: readonly Room[],
  agentId: AgentId,
  sight: Sight,
): FarPeer | null {
  const room = lastSeenIn(rooms, agentId);
  const seen = room?.presence.get(agentId);
  const { hosts } = sight.evidence;
  if (!room || !seen?.process || !isElsewhere(seen.process, probe.self(), hosts ?? new Map())) return null;
  const { instant } = sight.moment;
  // An agent that was seen lately was not looked at.
  const known = hosts ? aliveness({ agentId, seen }, sight, room.policy).silenceDeadline : null;
  const due = known ?? after(hosts ? instant : seen.lastSeen, hosts ? LOOK_AGAIN_MS : SILENT_AFTER_MS);
  const lookInMs = Math.max(0, -elapsedMs(due, instant));
  return { agentId, roomId: room.id, lookedAt: clock.now().instant, lookInMs };
}

export class PeerMachine {
  readonly #deps: Deps;
  #peer: FarPeer;
  #silent: SilentMachine | null;

  /** `silent`: as the question was sent. */
  constructor(deps: Deps, peer: FarPeer, silent: SilentMachine | null) {
    this.#deps = deps;
    this.#peer = peer;
    this.#silent = silent;
  }

  get silent(): SilentMachine | null {
    return this.#silent;
  }

  /** When to look again. */
  get changesInMs(): number {
    return Math.max(0, this.#peer.lookInMs - this.#ageMs);
  }

  /** Whether a look may find something else. A machine that was silent may be back at any time. */
  get isDoubtful(): boolean {
    return this.changesInMs === 0 || (this.#silent !== null && this.#ageMs >= FRESH_MS);
  }

  /** Whether the machine has become silent since the last look, or is back. */
  async look(): Promise<boolean> {
    const { store, hosts, clock } = this.#deps;
    const { agentId, roomId } = this.#peer;
    const snapshot = await store.readRoom(roomId);
    this.#peer = { ...this.#peer, lookedAt: clock.now().instant, lookInMs: LOOK_AGAIN_MS };
    if (!snapshot || !hosts) return false;
    const { room, moment } = snapshot;
    const sight = { moment, evidence: { ...NO_EVIDENCE, hosts: await hosts.others() } };
    const wasSilent = this.#silent !== null;
    this.#silent = (await silentAmong(this.#deps, [room], [agentId], sight)).get(agentId) ?? null;
    this.#peer = farPeer(this.#deps, [room], agentId, sight) ?? this.#peer;
    return wasSilent !== (this.#silent !== null);
  }

  get #ageMs(): number {
    return elapsedMs(this.#peer.lookedAt, this.#deps.clock.now().instant);
  }
}
