/** Real processes on the embedded store: what a killed receiver had taken comes again, and only after its time. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { openMailbox } from "../../src/app/mailbox.ts";
import { openDeps } from "../../src/app/open.ts";
import { createSystemClock } from "../../src/platform/clock/clock.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { MailboxHandle } from "../../src/surfaces/library/mailbox.ts";
import type { Bundle } from "../support/fixture.ts";
import { bundleFixture, startFixture } from "../support/fixture.ts";
import { accepted } from "../support/service-world.ts";
import { withoutPostgres } from "../support/sqlite-fixture.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

let receiver: Bundle;
beforeAll(async () => {
  receiver = await bundleFixture("test/mailbox/fixtures/dequeue-and-hang.ts", [withoutPostgres]);
});
afterAll(() => receiver.remove());

/** A handle on the same store, for which it is that much later. */
async function mailboxLater(root: string, env: Record<string, string>, laterMs: number): Promise<MailboxHandle> {
  const system = createSystemClock();
  const clock = {
    now: () => {
      const { instant, suspendedMs, wallMs } = system.now();
      return { instant: { ...instant, ms: instant.ms + laterMs }, suspendedMs, wallMs: wallMs + laterMs };
    },
  };
  const deps = accepted(await openDeps(env));
  const store = await openSqliteStore({ file: join(root, "data/tt.db"), clock, jitter: Math.random });
  onTestFinished(async () => {
    await store.close();
    await deps.bell.close();
    await deps.store.close();
  });
  return accepted(await MailboxHandle.at({ ...deps, store, clock }, root));
}

it("a message whose receiver was killed between dequeue and ack comes again, one attempt further", async () => {
  const root = temporaryDirectory();
  const env = { TT_DATA_DIR: join(root, "data"), HOME: root };
  const mailbox = await openMailbox({ path: root, env });
  onTestFinished(() => mailbox.close());
  await mailbox.enqueue({ msg_id: "m1", from: "boss", to: "worker", payload: "work", created_at: 7 });
  const running = startFixture(receiver, [], { cwd: root, env });
  const { value: taken } = await running.lines().next();
  expect(taken).toMatchObject({ msg_id: "m1", attempt: 0 });
  running.child.kill("SIGKILL");
  expect(await running.ended).toMatchObject({ signal: "SIGKILL" });
  expect(await mailbox.dequeue("worker")).toBeNull();
  const later = await mailboxLater(root, env, 35_000);
  expect(await later.dequeue("worker")).toMatchObject({ msg_id: "m1", payload: "work", created_at: 7, attempt: 1 });
  expect(await later.ack("worker", "m1")).toBeNull();
  expect(await mailbox.peek("worker")).toEqual([]);
});

it("a closed mailbox says so, and closing it again does nothing", async () => {
  const root = temporaryDirectory();
  const mailbox = await openMailbox({ path: root, env: { TT_DATA_DIR: join(root, "data"), HOME: root } });
  await mailbox.close();
  await mailbox.close();
  await expect(mailbox.dequeue("worker")).rejects.toMatchObject({ name: "TalkingStickError", code: "mailbox_closed" });
});

it("a mailbox that cannot be opened says why", async () => {
  const root = temporaryDirectory();
  const env = { TT_DATA_DIR: join(root, "data"), HOME: root };
  const nowhere = openMailbox({ path: join(root, "nowhere"), env });
  await expect(nowhere).rejects.toMatchObject({ name: "TalkingStickError", code: "invalid_path" });
  const unset = openMailbox({ path: root, env: { ...env, TT_STORE: "nonsense" } });
  await expect(unset).rejects.toMatchObject({ name: "TalkingStickError", next: expect.any(String) });
  const unreachable = openMailbox({ path: root, env: { ...env, TT_STORE: "postgres://127.0.0.1:1/none" } });
  await expect(unreachable).rejects.toMatchObject({ code: "store_unreachable", cause: { name: "Fault" } });
});
