/** Sessions of two projects, with everything that a surface would know about them, and a home to look for transcripts. */
import { asAgentId } from "../../src/core/ids.ts";
import type { Deps } from "../../src/engine/deps.ts";
import { createPeerSights } from "../../src/harness/peer-sights.ts";
import type { SessionFacts } from "../../src/session/rules/session.ts";
import { openReadOnlyDatabase } from "../../src/store/sqlite/driver.ts";
import { createTalkingStick, type TalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { makeRepository } from "../support/git-repository.ts";
import { processOf } from "../support/room-world.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

export interface SessionOptions {
  readonly sessionId?: string | null;
  readonly facts?: Partial<SessionFacts>;
  readonly formerId?: string;
  /** Null for one whose process nobody can see. */
  readonly process?: null;
}

export class SessionWorld {
  readonly service = new ServiceWorld();
  readonly home = this.service.directory("home");
  readonly here = this.#repository("here");
  readonly elsewhere = this.#repository("elsewhere");
  readonly deps: Deps = {
    ...this.service.deps,
    sights: createPeerSights({
      env: {},
      home: this.home,
      clock: this.service.deps.clock,
      probe: this.service.deps.probe,
      openDatabase: openReadOnlyDatabase,
    }),
  };

  #repository(name: string): string {
    const directory = this.service.directory(name);
    makeRepository(directory);
    return directory;
  }

  as(
    agent: string,
    { sessionId = `session-of-${agent.replace(":", "-")}`, facts, formerId, process }: SessionOptions = {},
  ) {
    return createTalkingStick(this.deps, {
      agentId: asAgentId(agent),
      harness: agent.split(":")[0] ?? agent,
      isPerson: false,
      process: process === null ? null : processOf(agent),
      sessionId,
      formerId: formerId === undefined ? null : asAgentId(formerId),
      tmuxPane: null,
      facts: { idSource: "environment", harnessVersion: null, cwd: null, transcriptPath: null, ...facts },
    });
  }

  async joined(agent: string, contextPath = this.here, options: SessionOptions = {}) {
    const stick: TalkingStick = this.as(agent, options);
    const { roomId, project } = accepted(await stick.joinPath({ contextPath }));
    return { stick, roomId, project };
  }

  async peers(options: { compact?: boolean; all?: boolean } = {}) {
    return accepted(await this.as("reader:1").listProjectSessions({ contextPath: this.here, ...options })).sessions;
  }

  /** Whether the work left the store as it was. */
  async writesNothing(work: () => Promise<unknown>): Promise<boolean> {
    const before = await this.deps.store.changeMark();
    await work();
    return (await this.deps.store.changeMark()) === before;
  }
}
