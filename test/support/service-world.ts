/** The whole service in one process, on the memory store, with a clock and processes that the test controls. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { DEFAULT_POLICY, type Policy } from "../../src/core/policy.ts";
import { isRefusal, type Refusal } from "../../src/core/refusal.ts";
import type { Deps } from "../../src/engine/deps.ts";
import { createWorkspace } from "../../src/platform/git/workspace.ts";
import { openMemoryStore } from "../../src/store/memory/store.ts";
import { createTalkingStick, type TalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { agentCalled, servicePorts } from "./service-ports.ts";

export class ServiceWorld {
  readonly root: string;
  readonly deps: Deps;
  readonly gone = new Set<string>();
  readonly suspended = new Set<string>();
  nowMs = 1_000_000;
  sleptMs = 0;
  /** The commit that is checked out in every working tree. */
  head: string | null = null;

  constructor(policy: Partial<Policy> = {}) {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "tt-service-")));
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true }));
    const clock = {
      now: () => ({ instant: { epoch: "boot-1", ms: this.nowMs }, suspendedMs: this.sleptMs, wallMs: this.nowMs }),
    };
    this.deps = servicePorts({
      store: openMemoryStore({ clock }),
      clock,
      gone: this.gone,
      suspended: this.suspended,
      workingTree: { head: () => this.head, evidence: async () => null },
      workspace: createWorkspace({ home: null, shared: false }),
      policy: { ...DEFAULT_POLICY, ...policy },
    });
  }

  /** The machine sleeps, and wakes. */
  sleep(ms: number): void {
    this.nowMs += ms;
    this.sleptMs += ms;
  }

  directory(path: string): string {
    const full = join(this.root, path);
    mkdirSync(full, { recursive: true });
    return full;
  }

  /** `former` is the name that its session had before. */
  as(agent: string, { person = false, former = null as string | null, store = this.deps.store } = {}): TalkingStick {
    return createTalkingStick({ ...this.deps, store }, agentCalled(agent, { person, former }));
  }
}

/** The answer, when it is not a refusal. */
export function accepted<Answer>(answer: Answer | Refusal): Answer {
  if (isRefusal(answer)) throw new Error(`refused: ${answer.error}: ${answer.message}`);
  return answer;
}
