/** The hooks' use cases in one process, with flags, cards and a clock that the test controls. */

import { asAgentId } from "../../src/core/ids.ts";
import { parseProcessKey, processKey } from "../../src/core/process.ts";
import type { AgentMemory } from "../../src/engine/ports/agent-memory.ts";
import { SIGNS } from "../../src/harness/hook-dialect.ts";
import { answerHook } from "../../src/hooks/answer-hook.ts";
import type { HookDeps, HookOutcome } from "../../src/hooks/hook-deps.ts";
import type { HookCall, HookEvent } from "../../src/hooks/rules/hook.ts";
import type { Caller } from "../../src/session/rules/decision-input.ts";
import type { SessionCard, SessionName } from "../../src/session/rules/evidence.ts";
import type { Retirement } from "../../src/session/rules/retirement.ts";
import type { TalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { makeRepository } from "../support/git-repository.ts";
import { processOf } from "../support/room-world.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";
import { hash, idOf } from "../support/session-clues.ts";

export class HookService {
  readonly world: ServiceWorld;
  readonly tree: string;
  readonly flags = new Set<string>();
  readonly cards = new Map<string, SessionCard>();
  readonly claims = new Map<string, SessionName>();
  readonly retired = new Map<string, Retirement>();
  readonly signs = new Set<string>();
  readonly #subagents = new Map<string, number>();
  readonly #turns = new Map<string, number>();
  readonly #raised = new Map<string, number>();
  readonly #reminders = new Map<string, number>();
  readonly #losses = new Map<string, ReturnType<AgentMemory["recallLosses"]>>();
  deps: HookDeps;

  constructor(policy: ConstructorParameters<typeof ServiceWorld>[0] = {}) {
    this.world = new ServiceWorld(policy);
    this.tree = this.world.directory("tree");
    makeRepository(this.tree);
    this.deps = {
      ...this.world.deps,
      digest: hash,
      flags: {
        raise: (ids) => {
          for (const id of ids) this.#raised.set(id, (this.#raised.get(id) ?? 0) + 1);
          ids.forEach((id) => this.flags.add(id));
          return new Set(ids);
        },
        look: (id) => (this.flags.has(id) ? `${this.#raised.get(id)}` : null),
        lower: (id, seen) => {
          if (seen === undefined || seen === `${this.#raised.get(id)}`) this.flags.delete(id);
        },
      },
      cards: {
        read: (process) => this.cards.get(processKey(process)) ?? null,
        write: (process, card) => void this.cards.set(processKey(process), card),
        processesOf: (session) =>
          [...this.cards].flatMap(([key, { harness, sessionId, ending }]) => {
            const isIts = harness === session.harness && sessionId === session.sessionId && !ending;
            return isIts ? (parseProcessKey(key) ?? []) : [];
          }),
      },
      adviceNews: async () => ({ text: "", remember: () => undefined }),
      claims: { read: (process) => this.claims.get(processKey(process)) ?? null },
      retired: {
        read: ({ sessionId }) => this.retired.get(sessionId) ?? null,
        retire: ({ sessionId }, retirement) => void this.retired.set(sessionId, retirement),
        revive: ({ sessionId }) => void this.retired.delete(sessionId),
      },
      subagents: {
        began: (id) => void this.#subagents.set(id, (this.#subagents.get(id) ?? 0) + 1),
        ended: (id) => void this.#subagents.set(id, (this.#subagents.get(id) ?? 0) - 1),
        areAtWork: (id) => (this.#subagents.get(id) ?? 0) > 0,
        forget: (id) => void this.#subagents.delete(id),
        uses: (toolUse) => void this.#subagents.set(toolUse, 1),
        wasUse: (toolUse) => this.#subagents.delete(toolUse),
      },
      memory: {
        recallReminder: ({ agentId }, roomId) => this.#reminders.get(`${agentId} ${roomId}`) ?? null,
        rememberReminder: ({ agentId }, roomId, turnId) => void this.#reminders.set(`${agentId} ${roomId}`, turnId),
        recallLosses: ({ agentId }) => this.#losses.get(agentId) ?? new Map(),
        rememberLosses: ({ agentId }, losses) => void this.#losses.set(agentId, losses),
      },
      leaveSign: (id) => void this.signs.add(id),
      isMarked: () => false,
      leftMs: () => 500,
      wakeMode: "auto",
    };
  }

  /** `process` is null where one process serves many sessions. */
  caller(sessionId: string, process: string | null = sessionId): Caller {
    return {
      agentId: asAgentId(idOf("claude", sessionId)),
      harness: "claude",
      isPerson: false,
      process: process === null ? null : processOf(process),
      sessionId,
      formerId: null,
      tmuxPane: null,
      facts: { idSource: "hook", harnessVersion: null, cwd: this.tree, transcriptPath: null },
    };
  }

  /** A prompt begins a turn, as in Claude Code and Codex. */
  #turnOf(event: HookEvent, sessionId: string): string {
    const turn = (this.#turns.get(sessionId) ?? 0) + (event === "prompt" ? 1 : 0);
    this.#turns.set(sessionId, turn);
    return `turn-${turn}`;
  }

  /** What the hook says; nothing is flushed yet. */
  ask(event: HookEvent, sessionId: string, more: Partial<HookCall> & { process?: string | null } = {}) {
    const { process = sessionId, ...fields } = more;
    const call: HookCall = {
      harness: "claude",
      event,
      sessionId,
      transcriptPath: null,
      cwd: this.tree,
      source: "startup",
      reason: null,
      isSubagent: false,
      sign: fields.sign ?? { event: SIGNS[event], turn: this.#turnOf(event, sessionId) },
      stopHookActive: false,
      maxCharacters: 9900,
      ...fields,
    };
    return answerHook(this.deps, this.caller(sessionId, process), call);
  }

  /** The whole hook: what the model reads, with everything done that is done afterwards. */
  async hook(...words: Parameters<HookService["ask"]>): Promise<string> {
    const outcome: HookOutcome = await this.ask(...words);
    await outcome.afterFlush?.();
    return outcome.context ?? outcome.goOn ?? "";
  }

  /** An agent without hooks, in the room. */
  async peer(name: string): Promise<{ readonly stick: TalkingStick; readonly roomId: string }> {
    const stick = createTalkingStick(this.deps, {
      agentId: asAgentId(name),
      harness: "library",
      isPerson: false,
      process: processOf(name),
      sessionId: null,
      formerId: null,
      tmuxPane: null,
    });
    const { roomId } = accepted(await stick.joinPath({ contextPath: this.tree }));
    return { stick, roomId };
  }

  async send(from: string, sessionId: string, body: string, interrupt = false): Promise<string> {
    const { stick, roomId } = await this.peer(from);
    const deliveryHint = interrupt ? "interrupt" : "normal";
    const to = idOf("claude", sessionId);
    return accepted(await stick.sendMessage({ roomId, to, body, deliveryHint })).messageId;
  }

  async deliveryOf(messageId: string) {
    const { stick } = await this.peer("observer:1");
    const { deliveries } = accepted(await stick.messageStatus({ messageId }));
    return deliveries[0];
  }
}
