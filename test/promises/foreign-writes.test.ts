/**
 * G6: in a room with a real record, agents edit without the stick and files change between turns, at random. Before each
 * grant is answered, the log must name exactly what was written, and nothing that was not.
 */
import { appendFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { attemptsBeforeGrant } from "../../src/app/around-commit.ts";
import type { EventPayloads } from "../../src/core/event.ts";
import { asRoomId } from "../../src/core/ids.ts";
import { settleOwnAttempts } from "../../src/guard/foreign-writes.ts";
import { createTurnRecord } from "../../src/platform/git/record/turn-record.ts";
import { GuardService } from "../guard/guard-service.ts";
import { accepted } from "../support/service-world.ts";
import { idOf } from "../support/session-clues.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

const SESSIONS = ["session-a", "session-b"] as const;
/** After it, a grant does not follow its release at once. */
const A_WHILE_MS = 60_000;

class RecordedRoom extends GuardService {
  roomId = "";

  constructor() {
    super();
    const scratch = this.world.directory("scratch");
    this.guardDeps = {
      ...this.guardDeps,
      workingTree: { ...this.guardDeps.workingTree, checkedOut: () => ({ head: null, branch: null }) },
      turnRecord: async () => createTurnRecord({ dataDir: this.dataDir, home: null, scratch: [scratch] }),
      beforeGrant: [attemptsBeforeGrant(this.guardDeps.attempts)],
    };
    this.deps = this.guardDeps;
  }

  async open(): Promise<this> {
    this.roomId = await this.setMode("advise");
    accepted(await this.person.changePolicy({ roomId: this.roomId, changes: { snapshotMaxMs: 60_000 } }));
    for (const session of SESSIONS) accepted(await this.session(session).joinPath({ contextPath: this.tree }));
    return this;
  }

  /** Writes of no known writer come with a name of null. */
  async writesSince(seq: number): Promise<readonly string[]> {
    const events = await this.deps.store.readEvents(asRoomId(this.roomId), seq, 100);
    return events
      .filter(({ type }) => type === "foreign_write")
      .flatMap(({ fromAgentId, payload }) =>
        (payload as EventPayloads["foreign_write"]).paths.map((path) => `${fromAgentId} ${path}`),
      );
  }
}

/** Mulberry32, so that a seed repeats a run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

verifies("G6", "random writes of agents without the stick, and between turns, on a real repository", async () => {
  const seed = freshSeed();
  const random = randomFrom(seed);
  const room = await new RecordedRoom().open();
  mkdirSync(join(room.tree, "deep"));
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const anyPath = (whose: string) => `${pick(["", "deep/"])}${whose}${Math.floor(random() * 6)}.txt`;
  const lastSeq = async () => (await room.deps.store.readRoom(asRoomId(room.roomId)))?.room.state.lastSeq ?? 0;
  let writes = 0;
  let holder = 0;
  let token = await room.take(SESSIONS[0], room.roomId);
  while (writes < figure(200, 20_000)) {
    const since = await lastSeq();
    const expected = new Set<string>();
    const me = SESSIONS[holder] ?? SESSIONS[0];
    const other = SESSIONS[1 - holder] ?? SESSIONS[1];
    if (random() < 0.5) appendFileSync(join(room.tree, anyPath("holder")), `its own ${writes}\n`);
    // A tool of the other session: it runs, and writes or does not. Its next hook may come before the grant.
    if (random() < 0.5) {
      const path = anyPath("tool");
      expect(await room.write(other, join(room.tree, path)), `seed ${seed}`).toBe(null);
      const doesWrite = random() < 0.7;
      if (doesWrite) {
        appendFileSync(join(room.tree, path), `foreign ${writes}\n`);
        expected.add(`${idOf("claude", other)} ${path}`);
        writes += 1;
      }
      if (!doesWrite || random() < 0.5) {
        await settleOwnAttempts(room.deps, room.guardDeps.attempts, room.caller(other), true);
      }
    }
    // The record has real times.
    room.world.wallAheadMs = Date.now() - room.world.nowMs;
    await room.release(me, token);
    // Nobody holds the stick.
    if (random() < 0.6) {
      room.world.nowMs += A_WHILE_MS;
      const later = anyPath("later");
      if (existsSync(join(room.tree, later)) && random() < 0.3) rmSync(join(room.tree, later));
      else appendFileSync(join(room.tree, later), `later ${writes}\n`);
      expected.add(`null ${later}`);
      writes += 1;
    }
    holder = 1 - holder;
    token = await room.take(SESSIONS[holder] ?? SESSIONS[0], room.roomId);
    const found = new Set(await room.writesSince(since));
    expect({ seed, writes, found }).toEqual({ seed, writes, found: expected });
  }
});
