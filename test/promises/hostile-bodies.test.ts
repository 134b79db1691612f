/**
 * X3. Bodies that try to be something else: frames, ends of frames, a harness's tags, terminal commands, invisible
 * text. A JSON door gives back exactly what was sent. Everywhere else a body is inside one frame, which is read
 * here by rules that know nothing of how it was written.
 */
import { join } from "node:path";
import fc from "fast-check";
import postgres from "postgres";
import { describe, expect, inject, onTestFinished } from "vitest";
import type { Store } from "../../src/engine/ports/store.ts";
import { frameMessages } from "../../src/mail/rules/frame.ts";
import type { ReceivedMessage } from "../../src/mail/rules/message.ts";
import { openMemoryStore } from "../../src/store/memory/store.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { accepted } from "../support/service-world.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { hostileBody, hostileName } from "./hostile/bodies.ts";
import { readFrames } from "./hostile/read-frames.ts";
import { Office } from "./mail-model/office.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

const server = inject("postgresUrl");
if (server === null) process.stderr.write("SKIPPED: X3 on PostgreSQL: there is no server\n");

const bodies = figure(2000, 10_000);
const clock = { now: () => ({ instant: { epoch: "unused", ms: 0 }, suspendedMs: 0, wallMs: 0 }) };
const MOST_PER_READ = 8;

/** Some at a time, as many as one read gives back. */
async function expectExact(store: Store): Promise<void> {
  const office = await Office.open(store, "x3", {}, ["ann", "bob"]);
  const groups = bodies / MOST_PER_READ;
  const property = fc.asyncProperty(
    fc.array(hostileBody, { minLength: MOST_PER_READ, maxLength: MOST_PER_READ }),
    async (group) => {
      for (const body of group) {
        accepted(await office.as("ann").sendMessage({ roomId: office.roomId, to: office.idOf("bob"), body }));
      }
      const read: string[] = [];
      while (read.length < group.length) {
        const taken = accepted(await office.as("bob").takeMessages({}));
        read.push(...taken.answer.messages.map(({ body }) => body));
        await taken.confirm();
        if (taken.answer.count === 0) break;
      }
      expect(read).toEqual(group);
    },
  );
  await fc.assert(property, { numRuns: groups, seed: freshSeed() });
}

verifies("X3", `${bodies} bodies come back exactly, from memory`, () => expectExact(openMemoryStore({ clock })));

verifies("X3", `${bodies} bodies come back exactly, from SQLite`, async () => {
  const store = await openSqliteStore({ file: join(quickDirectory(), "tt.db"), clock, jitter: () => 0.5 });
  onTestFinished(() => store.close());
  await expectExact(store);
});

describe.skipIf(server === null)("on PostgreSQL", () => {
  verifies("X3", `${bodies} bodies come back exactly, from PostgreSQL`, async () => {
    const url = server as string;
    const schema = `hostile_${Math.random().toString(36).slice(2)}`;
    const store = await openPostgresStore({ url, schema });
    const admin = postgres(url, { max: 1, onnotice: () => undefined });
    onTestFinished(async () => {
      await store.close();
      await admin.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await admin.end();
    });
    await expectExact(store);
  });
});

const message: fc.Arbitrary<ReceivedMessage> = fc
  .record({
    body: hostileBody,
    from: hostileName,
    handle: fc.option(hostileName),
    harness: hostileName,
    origin: fc.constantFrom("peer", "human", "system"),
    requestId: fc.option(hostileName, { nil: undefined }),
    to: fc.oneof(hostileName, fc.constant("room")),
    deliveryHint: fc.constantFrom("normal", "interrupt"),
    shownBefore: fc.option(fc.constant(true), { nil: undefined }),
  })
  .map(
    (fields) =>
      ({
        messageId: "4f9k2m7q1x8z3c5v6b0n4a2s1-1",
        bodyBytes: 1,
        createdAt: "2026-01-01T00:00:00.000Z",
        attempt: 1,
        deliverySeq: 1,
        ...fields,
      }) as unknown as ReceivedMessage,
  );

const verb = fc.constantFrom("reply_to_message" as const, "tt reply" as const);

verifies("X3", `each of ${bodies} bodies is in one frame that it did not write`, () => {
  fc.assert(
    fc.property(message, verb, (one, answerWith) => {
      const text = frameMessages([one], answerWith);
      const [frame, ...more] = readFrames(text);
      expect(more).toEqual([]);
      expect(frame?.bodies).toHaveLength(1);
      expect(text).toContain(`answer with ${answerWith} ${one.messageId}\n`);
      expect(text).toContain(
        { peer: "A peer's words", human: "A person's words", system: "Talking Stick's" }[one.origin],
      );
    }),
    { numRuns: bodies, seed: freshSeed() },
  );
});

verifies("X3", "several bodies are in one frame, each in its own place", () => {
  fc.assert(
    fc.property(fc.array(message, { minLength: 2, maxLength: 5 }), verb, (several, answerWith) => {
      const [frame, ...more] = readFrames(frameMessages(several, answerWith));
      expect(more).toEqual([]);
      expect(frame?.bodies).toHaveLength(several.length);
      // One after the other in one text, they are still as many as were written.
      const text = several.map((one) => frameMessages([one], answerWith)).join("\n");
      expect(readFrames(text)).toHaveLength(several.length);
    }),
    { numRuns: bodies / 4, seed: freshSeed() },
  );
});
