/** The guard's use cases in one process: a service with hooks, the guard's real files and real directories. */
import { join, resolve } from "node:path";
import { AFTER_COMMIT, guardSwitches, markingEndsOfTurns } from "../../src/app/around-commit.ts";
import { asAgentId } from "../../src/core/ids.ts";
import type { GuardMode } from "../../src/core/policy.ts";
import { adviceFrom } from "../../src/guard/advice-news.ts";
import { answerGuard } from "../../src/guard/answer-guard.ts";
import type { GuardDeps } from "../../src/guard/guard-deps.ts";
import type { WriteAttempt } from "../../src/guard/rules/attempt.ts";
import { shellEffect } from "../../src/guard/rules/shell/shell-effect.ts";
import { SIGNS } from "../../src/harness/hook-dialect.ts";
import type { HookCall } from "../../src/hooks/rules/hook.ts";
import { createAdvice } from "../../src/platform/agents/advice-files.ts";
import { createGuardFiles } from "../../src/platform/agents/guard-files.ts";
import { createWriteAttempts } from "../../src/platform/agents/write-attempts.ts";
import { readTextOrNull } from "../../src/platform/files/bounded-read.ts";
import { createWritePlaces } from "../../src/platform/git/write-places.ts";
import type { Caller } from "../../src/session/rules/decision-input.ts";
import { createTalkingStick, type TalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { HookService } from "../hooks/hook-service.ts";
import { accepted } from "../support/service-world.ts";

export const HANDOFF = { status: "half done", nextAction: "go on" };

export interface Token {
  readonly roomId: string;
  readonly leaseId: string;
  readonly expectedTurnId: number;
}

export class GuardService extends HookService {
  readonly dataDir = this.world.directory("data");
  guardDeps: GuardDeps;

  constructor() {
    super();
    const guard = createGuardFiles(this.dataDir, this.world.deps.clock);
    const advice = createAdvice(this.dataDir);
    this.guardDeps = {
      ...this.deps,
      guard,
      advice,
      adviceNews: adviceFrom(advice),
      writePlaces: createWritePlaces(this.world.deps.workspace, () => guard.guardedRooms()),
      attempts: createWriteAttempts(this.dataDir),
      home: null,
      absolutePath: (path, from) => resolve(from, path),
      shellEffect: async (command) => shellEffect(command),
      sharedStore: false,
      beforeMove: [markingEndsOfTurns(guard)],
      afterCommit: [...AFTER_COMMIT, guardSwitches(guard)],
    };
    this.deps = this.guardDeps;
  }

  /** A person sets the mode of the room at a directory, which is made if there is none. */
  async setMode(mode: GuardMode, directory = this.tree): Promise<string> {
    const { roomId } = accepted(
      await this.person.joinPath({ contextPath: directory, forceNew: directory !== this.tree }),
    );
    accepted(await this.person.changePolicy({ roomId, changes: { guard: mode } }));
    return roomId;
  }

  get person(): TalkingStick {
    const human = { agentId: asAgentId("human:ann"), harness: "human", isPerson: true, process: null, sessionId: null };
    return createTalkingStick(this.deps, { ...this.caller("person"), ...human });
  }

  /** The session itself, by a command. */
  session(sessionId: string): TalkingStick {
    return createTalkingStick(this.deps, this.caller(sessionId));
  }

  async take(sessionId: string, roomId: string): Promise<Token> {
    const turn = accepted(await this.session(sessionId).waitForTurn({ roomId, maxWaitMs: 0 }));
    if (turn.status !== "your_turn") throw new Error(`the session has ${turn.status}`);
    return { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId };
  }

  async release(sessionId: string, token: Token): Promise<void> {
    accepted(await this.session(sessionId).releaseStick({ ...token, handoff: HANDOFF }));
  }

  /** Why the tool is refused; null if it may run. */
  attempt(
    sessionId: string,
    attempt: WriteAttempt,
    { caller, ...more }: Partial<HookCall> & { readonly caller?: Caller } = {},
  ): Promise<string | null> {
    return answerGuard(this.guardDeps, caller ?? this.caller(sessionId), this.callOf(sessionId, more), attempt);
  }

  write(sessionId: string, path = join(this.tree, "x"), more: Parameters<GuardService["attempt"]>[2] = {}) {
    return this.attempt(sessionId, { kind: "edit", tool: "Write", paths: [path] }, more);
  }

  run(sessionId: string, command: string, more: Parameters<GuardService["attempt"]>[2] = {}) {
    return this.attempt(sessionId, { kind: "shell", tool: "Bash", command, directory: null }, more);
  }

  /** The lines that the guard has to tell the session at its next hook; they are shown. */
  async toldNext(sessionId: string): Promise<readonly string[]> {
    const news = await this.guardDeps.adviceNews(this.guardDeps, this.caller(sessionId), this.callOf(sessionId));
    await news.remember();
    return news.text === "" ? [] : news.text.split("\n");
  }

  callOf(sessionId: string, more: Partial<HookCall> = {}): HookCall {
    return {
      harness: "claude",
      event: "pre-tool",
      sessionId,
      transcriptPath: null,
      cwd: this.tree,
      source: null,
      reason: null,
      isSubagent: false,
      sign: { event: SIGNS["pre-tool"], turn: "turn" },
      stopHookActive: false,
      maxCharacters: 0,
      ...more,
    };
  }

  /** The pass of a session, as its shell would read it. */
  passOf(sessionId: string): string | null {
    return readTextOrNull(join(this.dataDir, "guard/pass", sessionId), 1000);
  }
}
