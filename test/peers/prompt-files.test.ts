/** Who keeps the files of prompts, when, and in which order. */
import { describe, expect, it } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import type { Deps } from "../../src/engine/deps.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { type PromptFiles, promptAfterCommit, promptAfterMail } from "../../src/peers/prompt-files.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { HANDOFF } from "../support/room-world.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

const ANN = { id: () => asAgentId("human:ann"), is: (id: string) => id === "human:ann" };

/** The files in memory, and every time that they were asked for. */
class Kept implements PromptFiles {
  readonly lines = new Map<string, string>();
  asked = 0;
  comparedAt: number | null = null;

  keepRoom(path: string, words: string | null): boolean {
    return this.#keep(path, words);
  }

  keepPerson(words: string): boolean {
    return this.#keep("person", words);
  }

  personComparedAt(): number | null {
    return this.comparedAt;
  }

  confirmPerson(wallMs: number): void {
    this.comparedAt = wallMs;
  }

  person(): string {
    return this.lines.get("person") ?? "";
  }

  #keep(name: string, words: string | null): boolean {
    this.asked += 1;
    if ((this.lines.get(name) ?? null) === words) return false;
    if (words === null) this.lines.delete(name);
    else this.lines.set(name, words);
    return true;
  }
}

/** The store, and the name of every method that was called. */
function counted(real: Store) {
  const reads: string[] = [];
  const store = new Proxy(real, {
    get(target, name) {
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        reads.push(String(name));
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
  return { store, reads };
}

class PromptWorld {
  readonly world = new ServiceWorld();
  readonly kept = new Kept();
  readonly path = this.world.directory("project");

  as(agent: string, more: Partial<Deps> = {}) {
    const keeping = { files: this.kept, me: ANN, shared: false };
    const around = { afterCommit: [promptAfterCommit(keeping)], afterMail: [promptAfterMail(keeping)] };
    return createTalkingStick({ ...this.world.deps, ...around, ...more }, agentCalled(agent));
  }

  async join(agent: string): Promise<string> {
    return accepted(await this.as(agent).joinPath({ contextPath: this.path })).roomId;
  }

  get line(): string | undefined {
    return this.kept.lines.get(this.path);
  }
}

describe("the files of prompts", () => {
  it("follow the stick, and are not looked at when a wait is registered", async () => {
    const prompts = new PromptWorld();
    const roomId = await prompts.join("a");
    await prompts.join("b");
    const turn = accepted(await prompts.as("a").waitForTurn({ roomId, maxWaitMs: 0 }));
    if (turn.status !== "your_turn") throw new Error(turn.status);
    expect(prompts.line).toMatch(/^stick:/);
    const { asked } = prompts.kept;
    accepted(await prompts.as("b").waitForTurn({ roomId, maxWaitMs: 1 }));
    expect(prompts.kept.asked).toBe(asked);
    const { turnId, leaseId } = turn;
    accepted(await prompts.as("a").releaseStick({ roomId, leaseId, expectedTurnId: turnId, handoff: HANDOFF }));
    expect(prompts.line).toBe("");
  });

  it("say what is true in the end, also if an older change is written last", async () => {
    const prompts = new PromptWorld();
    const roomId = await prompts.join("a");
    const turn = accepted(await prompts.as("a").waitForTurn({ roomId, maxWaitMs: 0 }));
    if (turn.status !== "your_turn") throw new Error(turn.status);
    const { turnId, leaseId } = turn;
    // Another process releases after the commit of a note, and before the file of that commit is written.
    let isFirst = true;
    const slow = {
      name: "meanwhile",
      run: async () => {
        if (!isFirst) return;
        isFirst = false;
        accepted(await prompts.as("a").releaseStick({ roomId, leaseId, expectedTurnId: turnId, handoff: HANDOFF }));
        expect(prompts.line).toBe("");
      },
    };
    const keeping = { files: prompts.kept, me: ANN, shared: false };
    const late = { afterCommit: [slow, promptAfterCommit(keeping)] };
    accepted(await prompts.as("a", late).addNote({ roomId, body: "said while holding" }));
    expect(prompts.line).toBe("");
  });

  it("cost few reads on a store that other machines use, and find the mail from there in a while", async () => {
    const prompts = new PromptWorld();
    const { world, kept } = prompts;
    const roomId = await prompts.join("a");
    accepted(await world.as("human:ann").joinPath({ contextPath: prompts.path }));
    const { store, reads } = counted(world.deps.store);
    const keeping = { files: kept, me: ANN, shared: true };
    const shared = { afterCommit: [promptAfterCommit(keeping)], afterMail: [promptAfterMail(keeping)] };
    const costOf = async (more: Partial<Deps>, call: "note" | "message") => {
      const before = reads.length;
      const agent = prompts.as("a", { store, ...more });
      if (call === "note") accepted(await agent.addNote({ roomId, body: "x" }));
      else accepted(await agent.sendMessage({ roomId, to: "human:ann", body: "hello" }));
      return reads.slice(before);
    };
    await costOf(shared, "note");
    const local = await costOf({ afterCommit: [], afterMail: [] }, "note");
    for (let times = 0; times < 3; times += 1) expect(await costOf(shared, "note")).toEqual(local);
    // Another machine sends, so no process here knows.
    accepted(await world.as("a").sendMessage({ roomId, to: "human:ann", body: "hello" }));
    expect(await costOf(shared, "note")).toEqual(local);
    world.nowMs += 60_000;
    expect((await costOf(shared, "note")).length).toBeGreaterThan(local.length);
    expect(kept.person()).toBe("✉1");
    expect(await costOf(shared, "note")).toEqual(local);
    await costOf(shared, "message");
    expect(kept.person()).toBe("✉2");
  });

  it("are left alone for rooms of other machines", async () => {
    const prompts = new PromptWorld();
    const roomId = await prompts.join("a");
    expect(prompts.line).toBe("");
    prompts.kept.lines.clear();
    accepted(await prompts.as("a", { host: "elsewhere" }).addNote({ roomId, body: "x" }));
    expect(prompts.line).toBe(undefined);
  });
});
