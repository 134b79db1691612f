/**
 * Registers this server for the session that started it, when its client connects, and for each session that calls. So
 * other agents find a session that is idle or has no hooks. If the store cannot be used now, the next call tries again.
 */

import { Fault } from "../../core/fault.ts";
import type { AgentId } from "../../core/ids.ts";
import { type ProcessRef, processKey } from "../../core/process.ts";
import { isRefusal } from "../../core/refusal.ts";
import type { Deps } from "../../engine/deps.ts";
import { refuseLeftover } from "../../engine/refuse-leftover.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import { callerOf } from "../../session/rules/identity.ts";
import { noteServer, noteServerEnd } from "../../session/served-session.ts";
import type { McpPorts } from "./call.ts";
import { NO_CALL, type OwnWaker, withWaker } from "./own-waker.ts";

export class ServedSessions {
  readonly #ports: McpPorts;
  readonly #waker: OwnWaker | null;
  readonly #open: McpPorts["openDeps"];
  readonly #told = new Map<AgentId, Promise<void>>();
  readonly #processes = new Map<AgentId, ProcessRef>();
  #beginning: Promise<void> | null = null;
  #isOver = false;

  constructor(ports: McpPorts, waker: OwnWaker | null, open: McpPorts["openDeps"]) {
    this.#ports = ports;
    this.#waker = waker;
    this.#open = open;
  }

  /** Called when a client connects. Some clients tell their session only with a call. */
  begin(): Promise<void> {
    // No call waits for this, and the first call reports a broken store.
    this.#beginning ??= this.#tellOwn().catch(() => undefined);
    return this.#beginning;
  }

  /** Resolves when others can find the caller, and when its mail is under its own name. */
  meet(deps: Deps, caller: Caller): Promise<void> {
    const { agentId } = caller;
    const known = this.#told.get(agentId);
    if (known) return known;
    // One process is one session: an earlier session has to register again if it comes back.
    if (caller.process) this.#forgetOthersOf(caller.process);
    const telling = this.#tell(deps, caller).catch((error: unknown) => {
      this.#told.delete(agentId);
      ignoreFault(error);
    });
    this.#told.set(agentId, telling);
    if (caller.process) this.#processes.set(agentId, caller.process);
    return telling;
  }

  #forgetOthersOf(process: ProcessRef): void {
    for (const [agentId, other] of this.#processes) {
      if (processKey(other) !== processKey(process)) continue;
      this.#told.delete(agentId);
      this.#processes.delete(agentId);
    }
  }

  /** The store was replaced, and the new one has no record of this server. */
  forget(): void {
    this.#told.clear();
  }

  /** If nothing was registered, nothing has to be removed. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled([this.#beginning, ...this.#told.values()]);
    if (this.#told.size === 0) return;
    try {
      const deps = await this.#open();
      if (isRefusal(deps)) return;
      const project = await this.#project(deps);
      if (project !== null) await noteServerEnd(deps, project);
    } catch (error) {
      ignoreFault(error);
    }
  }

  async #tellOwn(): Promise<void> {
    if (this.#isOver) return;
    // A server that is never called, and cannot wake its session, keeps no connection to a shared store.
    const isShared = this.#ports.isShared?.() ?? false;
    const deps = await (isShared ? this.#ports.openDeps() : this.#open());
    if (isRefusal(deps)) return;
    try {
      // The start of a server must not upgrade a store. Only a change by a session may.
      if (!deps.store.isUpToDate()) return;
      const { identity, facts } = await this.#ports.identify(deps, NO_CALL);
      // If a shell or a person started the server, there is no session of a harness.
      if (isRefusal(identity) || NO_SESSIONS.includes(identity.idSource)) return;
      const caller = withWaker(this.#waker, deps, callerOf(identity, facts));
      if (!refuseLeftover(deps, caller)) await this.meet(deps, caller);
    } finally {
      if (isShared) {
        await deps.bell.close();
        await deps.store.close();
      }
    }
  }

  async #tell(deps: Deps, caller: Caller): Promise<void> {
    const project = this.#isOver ? null : await this.#project(deps);
    if (project !== null) await noteServer(deps, caller, project);
  }

  async #project({ workspace }: Deps): Promise<string | null> {
    const place = await workspace.locate(this.#ports.directory);
    return isRefusal(place) ? null : place.project;
  }
}

const NO_SESSIONS: readonly string[] = ["person", "session_leader"];

/** The tool itself reports what is wrong with the store. */
function ignoreFault(error: unknown): void {
  if (!(error instanceof Fault)) throw error;
}
