/** The ports of a service under test: ids in a row, processes that live, and nothing of the machine unless it is given. */

import { AFTER_COMMIT } from "../../src/app/around-commit.ts";
import { asAgentId } from "../../src/core/ids.ts";
import { DEFAULT_POLICY } from "../../src/core/policy.ts";
import type { ProcessRef } from "../../src/core/process.ts";
import type { Deps } from "../../src/engine/deps.ts";
import type { Caller } from "../../src/session/rules/decision-input.ts";
import { openMemoryBell } from "../../src/store/memory/store.ts";
import { processOf } from "./room-world.ts";

type Given = Pick<Deps, "store" | "clock"> & Partial<Deps>;

interface Fates {
  /** The processes that have died, by their names. */
  readonly gone?: ReadonlySet<string>;
  /** Those that are stopped. */
  readonly suspended?: ReadonlySet<string>;
}

export function servicePorts({ gone = new Set(), suspended = new Set(), ...given }: Given & Fates): Deps {
  let ids = 0;
  return {
    bell: openMemoryBell(),
    probe: {
      self: () => processOf("test"),
      find: () => null,
      verdict: (ref: ProcessRef) => (gone.has(ref.startTicks) ? "gone" : "alive"),
      isSuspended: (ref: ProcessRef) => suspended.has(ref.startTicks),
    },
    random: {
      id: () => {
        ids += 1;
        return `id${ids}`;
      },
    },
    activity: { lastSign: () => null },
    digest: (text) => text,
    tmuxSessions: () => new Map(),
    workingTree: { head: () => null, checkedOut: () => null, evidence: async () => null, missing: () => [] },
    workspace: {
      locate: () => Promise.reject(new Error("nobody joins by path here")),
      isThere: () => true,
      hadCommit: async () => false,
    },
    host: "local",
    policy: DEFAULT_POLICY,
    afterCommit: AFTER_COMMIT,
    ...given,
  };
}

/** An agent with a process of its own name. */
export function agentCalled(agent: string, { person = false, former = null as string | null } = {}): Caller {
  return {
    agentId: asAgentId(agent),
    harness: agent.split(":")[0] ?? agent,
    isPerson: person,
    process: processOf(agent),
    sessionId: null,
    formerId: former === null ? null : asAgentId(former),
    tmuxPane: null,
  };
}
