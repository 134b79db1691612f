/**
 * Goal: a new data directory, an old schema and a newer one are safe to open by many processes at once.
 * Method: sixteen running processes are let go together, round after round.
 */
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Plugin } from "esbuild";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { dumpDatabase, withDatabase } from "../support/database-dump.ts";
import { type Bundle, type RunningFixture, startFixture } from "../support/fixture.ts";
import { FUTURE_FILES, futureText } from "../support/future-schema.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { accepted, actor, copyData, type Ground, groundAt, groundWith, openWorld } from "../support/sqlite-world.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import type { Opened, OpenOrder } from "./fixtures/durable-opener.ts";
import { figure, verifies } from "./verifies.ts";

const PROJECT = resolve(import.meta.dirname, "../..");
const OPENERS = 16;
const rounds = figure(10, 200);

/** A program of the future: it knows one migration more, which programs of today would damage. */
const oneMigrationMore: Plugin = {
  name: "one-migration-more",
  setup: (build) => {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const file = relative(PROJECT, path);
      if (!FUTURE_FILES.includes(file)) return undefined;
      return { contents: futureText(file, readFileSync(path, "utf8"), { damaging: true }), loader: "ts" };
    });
  },
};

let today: Bundle;
let tomorrow: Bundle;
beforeAll(async () => {
  today = await bundleSqliteFixture("durable-opener");
  tomorrow = await bundleSqliteFixture("durable-opener", [oneMigrationMore]);
});
afterAll(() => {
  today.remove();
  tomorrow.remove();
});

interface Opener {
  readonly agentId: string;
  readonly running: RunningFixture;
  readonly lines: AsyncIterableIterator<unknown>;
}

/** All of them wait for their line when this resolves. */
async function startOpeners(bundle: Bundle, count = OPENERS): Promise<readonly Opener[]> {
  const openers = Array.from({ length: count }, (_, index) => {
    const running = startFixture(bundle, []);
    onTestFinished(() => void running.child.kill("SIGKILL"));
    return { agentId: `claude:${index + 1}`, running, lines: running.lines() };
  });
  for (const { lines } of openers) expect((await lines.next()).value).toBe("ready");
  return openers;
}

async function openAtOnce(openers: readonly Opener[], ground: Ground): Promise<Opened[]> {
  for (const { agentId, running } of openers) running.send({ ground, agentId } satisfies OpenOrder);
  return Promise.all(openers.map(async ({ lines }) => (await lines.next()).value as Opened));
}

/** Everyone got in, into one room, and what each of them wrote is there. */
function expectAllIn(opened: readonly Opened[], { database }: Ground): void {
  expect(opened.filter((one) => !("roomId" in one))).toEqual([]);
  expect(new Set(opened.map((one) => "roomId" in one && one.roomId)).size).toBe(1);
  const { tables, integrity } = dumpDatabase(database);
  const noteIds = opened.map((one) => ("noteId" in one ? one.noteId : ""));
  expect(tables["notes"]?.map((note) => note["note_id"])).toEqual(expect.arrayContaining(noteIds));
  expect(integrity).toBe("ok");
}

function expectTooNew(opened: readonly Opened[]): void {
  expect(opened.filter((one) => !("fault" in one) || one.fault !== "store_too_new")).toEqual([]);
}

/** The schema as one undisturbed opener makes it. */
async function schemaBy(bundle: Bundle): Promise<unknown> {
  const ground = groundAt(temporaryDirectory());
  const running = startFixture(bundle, []);
  running.send({ ground, agentId: "claude:alone" } satisfies OpenOrder);
  running.child.stdin?.end();
  expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
  return schemaOf(ground);
}

function schemaOf({ database }: Ground): unknown {
  const { schema, version } = dumpDatabase(database);
  return { schema, version };
}

function journalMode({ database }: Ground): unknown {
  return withDatabase(database, (handle) => handle.prepare("PRAGMA journal_mode").get());
}

function hash(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

async function populated(ground: Ground): Promise<Ground> {
  const deps = await openWorld(ground);
  const ann = actor(deps, "claude:ann");
  const { roomId } = accepted(await ann.joinPath({ contextPath: ground.tree }));
  accepted(await ann.addNote({ roomId, body: "from before" }));
  await deps.store.close();
  return ground;
}

verifies("D6", `${OPENERS} processes are the first to open, ${rounds} times`, async () => {
  const root = temporaryDirectory();
  const schema = await schemaBy(today);
  const openers = await startOpeners(today);
  for (let round = 1; round <= rounds; round += 1) {
    const ground = groundAt(join(root, String(round)));
    expectAllIn(await openAtOnce(openers, ground), ground);
    expect(schemaOf(ground)).toEqual(schema);
    expect(journalMode(ground)).toEqual({ journal_mode: "wal" });
  }
});

verifies("D6", `${OPENERS} processes upgrade an older store, ${rounds} times`, async () => {
  const root = temporaryDirectory();
  const old = await populated(groundAt(root));
  const schema = await schemaBy(tomorrow);
  const openers = await startOpeners(tomorrow);
  for (let round = 1; round <= rounds; round += 1) {
    const ground = groundWith(old, join(root, `data-${round}`));
    copyData(old.dataDir, ground.dataDir);
    expectAllIn(await openAtOnce(openers, ground), ground);
    expect(schemaOf(ground)).toEqual(schema);
    const bodies = dumpDatabase(ground.database).tables["notes"]?.map((note) => note["body"]);
    expect(bodies).toContain('"from before"');
  }
});

/** A store that a newer program has upgraded. */
async function upgraded(ground: Ground): Promise<Ground> {
  await populated(ground);
  const [first] = await startOpeners(tomorrow, 1);
  if (first) await openAtOnce([first], ground);
  const { version } = (await schemaBy(today)) as { version: number };
  expect(dumpDatabase(ground.database).version).toBe(version + 1);
  return ground;
}

verifies("D6", `${OPENERS} older processes leave a newer store as it is, ${rounds} times`, async () => {
  const root = temporaryDirectory();
  const newer = await upgraded(groundAt(root));
  // All of it is in the one file then, whose copy nobody else has open.
  withDatabase(newer.database, (handle) => handle.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
  const ground = groundWith(newer, join(root, "copy"));
  mkdirSync(ground.dataDir, { mode: 0o700 });
  copyFileSync(newer.database, ground.database);
  const openers = await startOpeners(today);
  const before = hash(ground.database);
  for (let round = 1; round <= rounds; round += 1) {
    expectTooNew(await openAtOnce(openers, ground));
    expect(hash(ground.database)).toBe(before);
  }
});

verifies("D6", "older processes lose nothing of a newer store whose last writer crashed", async () => {
  const root = temporaryDirectory();
  const ground = await upgraded(groundAt(root));
  const crashed = groundWith(ground, join(root, "crashed"));
  withDatabase(ground.database, (handle) => {
    handle.exec("UPDATE notes SET mood = 'merry'");
    // What is in the write-ahead log alone when the copy is made, as after a crash.
    copyData(ground.dataDir, crashed.dataDir);
  });
  const opened = await openAtOnce(await startOpeners(today), crashed);
  expectTooNew(opened);
  expect(dumpDatabase(crashed.database)).toEqual(dumpDatabase(ground.database));
});
