/** A room of the service in one process, with waits and questions that go on in the background. */
import { expect } from "vitest";
import { asAgentId, asHandle, asNoteId, asRoomId } from "../../src/core/ids.ts";
import { givenFor } from "../../src/engine/evidence.ts";
import { type PictureOptions, roomPicture } from "../../src/peers/room-picture.ts";
import type { RoomPicture } from "../../src/peers/rules/picture.ts";
import { begin, record, withRoom } from "../../src/room/rules/change.ts";
import { NO_EVIDENCE } from "../../src/session/rules/decision-input.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

export const ME = "human:me";
const EVERYTHING: PictureOptions = { talk: 50, turns: 50, since: true };

export class PictureWorld extends ServiceWorld {
  readonly path = this.directory("tree");
  roomId = "";

  async joined(...agents: readonly string[]): Promise<{ readonly roomId: string }> {
    for (const agent of agents) {
      const stick = this.as(agent, { person: agent === ME });
      this.roomId = accepted(await stick.joinPath({ contextPath: this.path })).roomId;
    }
    return { roomId: this.roomId };
  }

  async picture(reader: string | null = ME, options = EVERYTHING, deps = this.deps): Promise<RoomPicture> {
    const caller = reader === null ? null : agentCalled(reader, { person: reader === ME });
    return accepted(await roomPicture(deps, caller, asRoomId(this.roomId), options));
  }

  /** Takes the stick. */
  async taken(agent: string) {
    const answer = accepted(await this.as(agent).waitForTurn({ roomId: this.roomId, maxWaitMs: 0 }));
    if (answer.status !== "your_turn") throw new Error(`${agent} got ${answer.status}`);
    return answer;
  }

  /** Waits in the background, until the test ends it. */
  async waits(agent: string): Promise<() => Promise<void>> {
    const over = new AbortController();
    const { roomId } = this;
    const waiting = this.as(agent).waitForTurn({ roomId, maxWaitMs: 60_000, signal: over.signal });
    let isOver = false;
    void waiting.then(() => (isOver = true));
    await expect.poll(async () => isOver || (await this.picture()).now.queue.includes(asAgentId(agent))).toBe(true);
    return async () => {
      over.abort();
      await waiting;
    };
  }

  /** Waits for a second, and is told to call again. */
  async stopsWaiting(agent: string): Promise<void> {
    const { roomId } = this;
    let ended: Promise<unknown> | undefined;
    await new Promise<void>((looked) => {
      ended = this.as(agent).waitForTurn({ roomId, maxWaitMs: 1000, onLook: () => looked() });
    });
    this.nowMs += 1000;
    expect(await ended).toMatchObject({ status: "not_yet" });
  }

  /** Asks in the background, until the test ends it. */
  async asks(agent: string, to: string, body = "how?"): Promise<{ id: string; end: () => Promise<void> }> {
    const over = new AbortController();
    let id = "";
    const { roomId } = this;
    const asking = this.as(agent).askPeer({
      roomId,
      to,
      body,
      timeoutMs: 60_000,
      signal: over.signal,
      onSent: ({ messageId }) => void (id = messageId),
    });
    await expect.poll(() => id).not.toBe("");
    return {
      id,
      end: async () => {
        over.abort();
        await asking;
      },
    };
  }

  /** Adds members, and then notes, all at once. */
  async grown({ members, notes }: { readonly members: number; readonly notes: number }): Promise<void> {
    const given = givenFor(this.deps, agentCalled("claude:1"), this.moment, NO_EVIDENCE);
    const names = Array.from({ length: members }, (_, n) => asAgentId(`script:${n}`));
    const from = asAgentId("claude:1");
    await this.deps.store.change({ roomId: asRoomId(this.roomId) }, ({ room }) => {
      let change = begin(room);
      const presence = new Map(room.presence);
      const [seen] = presence.values();
      for (const agentId of names) {
        const handle = asHandle(agentId);
        change = record(
          change,
          given,
          "member_joined",
          { reason: "first", harness: "script", handle },
          { from: agentId },
        );
        if (seen) presence.set(agentId, { ...seen, agentId, handle });
      }
      for (let n = 0; n < notes; n += 1) {
        const payload = { noteId: asNoteId(`note-${n}`), turnId: null, preview: `${n}`, body: `${n}` };
        change = record(change, given, "note_added", payload, { from });
      }
      return { change: withRoom(change, { presence }), answer: true };
    });
  }
}
