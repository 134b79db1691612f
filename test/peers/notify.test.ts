/** Which writes without the stick a person is notified of. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asAgentId, asRoomId } from "../../src/core/ids.ts";
import { recordForeignWrite, settleOwnAttempts } from "../../src/guard/foreign-writes.ts";
import { notifyAfterCommit } from "../../src/peers/notify.ts";
import type { Notice } from "../../src/peers/rules/notices.ts";
import { GuardService } from "../guard/guard-service.ts";
import { accepted } from "../support/service-world.ts";

const [ME, OTHER] = ["session-me", "session-other"];

async function guarded(wrong: string | null = null) {
  const service = new GuardService();
  const shown: Notice[] = [];
  const faults: string[] = [];
  const show = async (notice: Notice) => {
    shown.push(notice);
    return wrong;
  };
  const trace = {
    delivery: () => undefined,
    wake: () => undefined,
    fault: ({ message }: { readonly message: string }) => void faults.push(message),
  };
  const afterCommit = [notifyAfterCommit(show, { id: () => asAgentId("human:ann"), is: (id) => id === "human:ann" })];
  service.guardDeps = { ...service.guardDeps, trace, afterCommit };
  service.deps = service.guardDeps;
  const roomId = await service.setMode("advise");
  for (const session of [ME, OTHER]) accepted(await service.session(session).joinPath({ contextPath: service.tree }));
  await service.take(OTHER, roomId);
  return { service, shown, faults, roomId };
}

async function writeAs(service: GuardService, session: string): Promise<void> {
  const path = join(service.tree, "a.txt");
  await service.write(session, path);
  appendFileSync(path, "x");
  await settleOwnAttempts(service.deps, service.guardDeps.attempts, service.caller(session), true);
}

test("the person is notified of an agent's write without the stick", async () => {
  const { service, shown } = await guarded();
  await writeAs(service, ME);
  expect(shown).toMatchObject([{ kind: "foreign_write", agent: "claude", text: "a.txt", path: service.tree }]);
});

test("the person is not notified of changes that no agent can be behind", async () => {
  const { service, shown, roomId } = await guarded();
  const write = { paths: ["a"], more: 0, evidence: "comparison", duringTurn: null } as const;
  const record = (more: object) =>
    recordForeignWrite(service.deps, service.caller(ME), asRoomId(roomId), {
      writer: null,
      write: { ...write, ...more },
    });
  await record({});
  expect(shown).toEqual([]);
  await record({ nearby: [asAgentId("x:1")], paths: ["a", "b", "c", "d"], more: 2 });
  expect(shown).toMatchObject([{ agent: null, text: "a, b, c, and 3 more" }]);
});

test("a notification that cannot be shown is traced and changes nothing else", async () => {
  const { service, faults } = await guarded("no such program");
  await writeAs(service, ME);
  expect(faults).toEqual(["no such program"]);
});
