/** The whole service in one process, on the memory store, with a clock and processes that the test controls. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { asAgentId } from "../../src/domain/ids.ts";
import type { ProcessRef } from "../../src/domain/process.ts";
import { isRefusal, type Refusal } from "../../src/domain/refusal.ts";
import { DEFAULT_POLICY, type Policy } from "../../src/domain/room/policy.ts";
import type { Deps } from "../../src/service/deps.ts";
import { createTalkingStick, type TalkingStick } from "../../src/service/talking-stick.ts";
import { openMemoryBell } from "../../src/store/memory/bell.ts";
import { openMemoryStore } from "../../src/store/memory/store.ts";
import { createWorkspace } from "../../src/system/workspace.ts";
import { processOf } from "./room-world.ts";

export class ServiceWorld {
  readonly root: string;
  readonly deps: Deps;
  readonly gone = new Set<string>();
  nowMs = 1_000_000;
  /** The commit that is checked out in every working tree. */
  head: string | null = null;

  constructor(policy: Partial<Policy> = {}) {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "tt-service-")));
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true }));
    const clock = {
      now: () => ({ instant: { epoch: "boot-1", ms: this.nowMs }, suspendedMs: 0, wallMs: this.nowMs }),
    };
    let ids = 0;
    this.deps = {
      store: openMemoryStore({ clock }),
      bell: openMemoryBell(),
      clock,
      probe: {
        self: () => processOf("test"),
        find: () => null,
        verdict: (ref: ProcessRef) => (this.gone.has(ref.startTicks) ? "gone" : "alive"),
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
      workingTree: { head: () => this.head, evidence: async () => null },
      workspace: createWorkspace({ home: null, shared: false }),
      host: "local",
      policy: { ...DEFAULT_POLICY, ...policy },
    };
  }

  directory(path: string): string {
    const full = join(this.root, path);
    mkdirSync(full, { recursive: true });
    return full;
  }

  as(agent: string, { person = false } = {}): TalkingStick {
    return createTalkingStick(this.deps, {
      agentId: asAgentId(agent),
      harness: agent.split(":")[0] ?? agent,
      isPerson: person,
      process: processOf(agent),
      sessionId: null,
      formerId: null,
      tmuxPane: null,
    });
  }
}

/** The answer, when it is not a refusal. */
export function accepted<Answer>(answer: Answer | Refusal): Answer {
  if (isRefusal(answer)) throw new Error(`refused: ${answer.error}: ${answer.message}`);
  return answer;
}
