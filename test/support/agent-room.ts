/** One room with real agents in it. */
import type { Told } from "./agent-process.ts";
import { type AgentOptions, AgentProcess } from "./agent-process.ts";
import type { Bundle } from "./fixture.ts";
import type { Ground } from "./sqlite-world.ts";

export interface Token {
  readonly roomId: string;
  readonly leaseId: string;
  readonly expectedTurnId: number;
}

export const HANDOFF = { status: "half done", nextAction: "finish it" };

export class AgentRoom {
  readonly #bundle: Bundle;
  readonly #ground: Ground;
  #roomId = "";

  constructor(bundle: Bundle, ground: Ground) {
    this.#bundle = bundle;
    this.#ground = ground;
  }

  get roomId(): string {
    return this.#roomId;
  }

  /** A new agent in a new process, already a member. */
  async enter(agentId: string, options: Partial<Pick<AgentOptions, "env" | "through">> = {}): Promise<AgentProcess> {
    const env = { ...this.#ground.env, ...options.env };
    const agent = await AgentProcess.start({ bundle: this.#bundle, agentId, ...options, env });
    const { answer } = await agent.call("joinPath", { contextPath: this.#ground.tree });
    this.#roomId = String(answer["roomId"]);
    return agent;
  }

  wait(agent: AgentProcess, maxWaitMs: number): Promise<Told> {
    return agent.call("waitForTurn", { roomId: this.#roomId, maxWaitMs });
  }

  /** Waits until it is the agent's turn, and fails if that is not what comes. */
  async take(agent: AgentProcess): Promise<Token> {
    const { answer } = await this.wait(agent, 60_000);
    if (answer["status"] !== "your_turn") throw new Error(`no turn: ${JSON.stringify(answer)}`);
    return this.tokenOf(answer);
  }

  tokenOf(answer: Told["answer"]): Token {
    return {
      roomId: this.#roomId,
      leaseId: String(answer["leaseId"]),
      expectedTurnId: Number(answer["turnId"]),
    };
  }

  takeOver(agent: AgentProcess, expectedTurnId: number): Promise<Told> {
    return agent.call("takeoverStick", { roomId: this.#roomId, expectedTurnId, reason: "it does not answer" });
  }

  async state(agent: AgentProcess): Promise<RoomSeen> {
    return (await agent.call("getRoomState", { roomId: this.#roomId })).answer as unknown as RoomSeen;
  }

  /** Resolves when that many members wait, as `observer` sees it. */
  async untilWaiting(observer: AgentProcess, count: number): Promise<void> {
    while ((await this.state(observer)).members.filter((member) => member.waiting).length < count);
  }
}

interface RoomSeen {
  readonly room: { readonly state: string; readonly owner: string | null; readonly turnId: number };
  readonly members: readonly { readonly agentId: string; readonly waiting: boolean }[];
}
