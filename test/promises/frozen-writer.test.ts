/**
 * Goal: one process that stops in the middle of a change costs the others an honest "busy", and nothing else.
 * Method: a child stops itself (SIGSTOP) right after it got the write lock; the others try to write and to read.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { Fault } from "../../src/core/fault.ts";
import { type Bundle, startFixture } from "../support/fixture.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { accepted, actor, groundAt, openWorld } from "../support/sqlite-world.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { figure, verifies } from "./verifies.ts";

const BUSY_BUDGET_MS = 200;
/** As many budgets as commands have. */
const BUSY_LIMIT_MS = 4 * BUSY_BUDGET_MS;
/** What a loaded machine may add: attempts, timers, and looking up who holds the lock. */
const SLACK_MS = 5000;

let frozen: Bundle;
beforeAll(async () => {
  frozen = await bundleSqliteFixture("durable-frozen");
});
afterAll(() => frozen.remove());

/** Resolves when the kernel says that the process has stopped. */
async function stopped(pid: number): Promise<void> {
  while (!/\) [Tt] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

async function timed<T>(work: Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const start = performance.now();
  const result = await work;
  return { result, ms: performance.now() - start };
}

const rounds = figure(5, 100);

verifies("E1", `a writer freezes with the lock in its hand, ${rounds} times`, async () => {
  const ground = groundAt(temporaryDirectory());
  const deps = await openWorld(ground, { busyBudgetMs: BUSY_BUDGET_MS });
  const ann = actor(deps, "claude:ann");
  const limited = await openWorld(ground, { busyBudgetMs: BUSY_BUDGET_MS, busyLimitMs: BUSY_LIMIT_MS });
  const eve = actor(limited, "claude:eve");
  const { roomId } = accepted(await ann.joinPath({ contextPath: ground.tree }));
  const child = startFixture(frozen, [JSON.stringify(ground)]);
  onTestFinished(() => void child.child.kill("SIGKILL"));
  const lines = child.lines();
  expect((await lines.next()).value).toBe("ready");
  for (let round = 1; round <= rounds; round += 1) {
    child.send(`frozen ${round}`);
    await stopped(child.pid);

    for (const writer of [ann, eve]) {
      const write = await timed(writer.addNote({ roomId, body: `busy ${round}` }).catch((error: unknown) => error));
      expect(write.result).toBeInstanceOf(Fault);
      expect(write.result).toMatchObject({ code: "store_busy", retry: true, outcomeUnknown: false });
      expect((write.result as Fault).facts).toMatchObject({ holder_pids: [child.pid], waited_ms: BUSY_BUDGET_MS });
      expect(write.ms).toBeGreaterThanOrEqual(BUSY_BUDGET_MS - 1);
      expect(write.ms).toBeLessThan(BUSY_BUDGET_MS + SLACK_MS);
    }

    const read = await timed(ann.listNotes({ roomId }));
    expect(accepted(read.result).notes.length).toBe(2 * (round - 1));
    expect(accepted(await ann.getRoomState({ roomId })).room.roomId).toBe(roomId);
    expect(accepted(await ann.getRoomEvents({ roomId })).events.length).toBeGreaterThan(0);
    expect(read.ms).toBeLessThan(SLACK_MS);

    // A newcomer can open the store and read, too.
    const late = await openWorld(ground, { busyBudgetMs: BUSY_BUDGET_MS });
    expect(accepted(await actor(late, "gemini:cy").listRooms({})).rooms.length).toBe(1);
    await late.store.close();

    process.kill(child.pid, "SIGCONT");
    expect((await lines.next()).value).toBe(`frozen ${round}`);
    accepted(await ann.addNote({ roomId, body: `after ${round}` }));
  }
  const { notes } = accepted(await ann.listNotes({ roomId }));
  const bodies = Array.from({ length: rounds }, (_, index) => [`frozen ${index + 1}`, `after ${index + 1}`]).flat();
  expect(notes.map((note) => note.body)).toEqual(bodies);
  child.child.stdin?.end();
  expect(await child.ended).toEqual({ code: 0, signal: null, stderr: "" });
  await limited.store.close();
  await deps.store.close();
});
