/** What the log and both sides hear of writes without the stick. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { AFTER_COMMIT, attemptsBeforeGrant, foreignWriteNews, guardSwitches } from "../../src/app/around-commit.ts";
import { asAgentId, asRoomId } from "../../src/core/ids.ts";
import { settleOwnAttempts } from "../../src/guard/foreign-writes.ts";
import { accepted } from "../support/service-world.ts";
import { idOf } from "../support/session-clues.ts";
import { GuardService } from "./guard-service.ts";

const [ME, OTHER] = ["session-me", "session-other"];

let service: GuardService;
let roomId: string;

beforeEach(async () => {
  service = new GuardService();
  const { guard, advice, attempts } = service.guardDeps;
  service.guardDeps = {
    ...service.guardDeps,
    beforeGrant: [attemptsBeforeGrant(attempts)],
    afterCommit: [...AFTER_COMMIT, guardSwitches(guard), foreignWriteNews(advice)],
  };
  service.deps = service.guardDeps;
  roomId = await service.setMode("advise");
  for (const session of [ME, OTHER]) accepted(await service.session(session).joinPath({ contextPath: service.tree }));
});

const told = (session: string) => service.guardDeps.advice.waiting(asAgentId(idOf("claude", session)));

async function writes() {
  const events = await service.deps.store.readEvents(asRoomId(roomId), 0, 100);
  return events.filter(({ type }) => type === "foreign_write");
}

/** A tool of mine runs to its end; `writes`: it changes the file. */
async function edit(name: string, isWritten = true): Promise<void> {
  const path = join(service.tree, name);
  expect(await service.write(ME, path)).toBe(null);
  if (isWritten) appendFileSync(path, "x");
  await settleOwnAttempts(service.deps, service.guardDeps.attempts, service.caller(ME), true);
}

describe("while another agent holds the stick", () => {
  beforeEach(async () => void (await service.take(OTHER, roomId)));

  test("each write is an event; the holder hears of each, the writer once a turn", async () => {
    await edit("a.txt");
    await edit("b.txt");
    expect(await writes()).toMatchObject([
      { fromAgentId: idOf("claude", ME), payload: { paths: ["a.txt"], evidence: "tool_call", duringTurn: 1 } },
      { fromAgentId: idOf("claude", ME), payload: { paths: ["b.txt"], evidence: "tool_call", duringTurn: 1 } },
    ]);
    expect(told(OTHER)).toHaveLength(2);
    expect(told(OTHER)[0]).toMatch(/^\[talking stick\] claude changed a\.txt with Write during your turn 1/);
    expect(told(ME)).toHaveLength(1);
  });

  test("a tool that writes nothing is no event, also if the holder writes the file later", async () => {
    await edit("a.txt", false);
    appendFileSync(join(service.tree, "a.txt"), "the holder's own");
    await edit("b.txt", false);
    expect(await writes()).toEqual([]);
    expect(told(OTHER)).toEqual([]);
  });

  test("the files of a write that no hook saw end are found before the next grant", async () => {
    const path = join(service.tree, "a.txt");
    await service.write(ME, path);
    appendFileSync(path, "x");
    accepted(await service.session(OTHER).leaveRoom({ roomId }));
    await service.take(ME, roomId);
    expect(await writes()).toMatchObject([{ payload: { paths: ["a.txt"], duringTurn: 1 } }]);
  });
});

test("the holder's own writes are never noted", async () => {
  await service.take(ME, roomId);
  await edit("a.txt");
  expect(await writes()).toEqual([]);
});

test.each<[line: string, isRefused: boolean]>([
  ["npm test > /tmp/log", true],
  ["echo done > /tmp/log", false],
  ["cat a.txt > /tmp/log && make", true],
])("in strict, the line %j is refused: %s", async (line, isRefused) => {
  accepted(await service.person.changePolicy({ roomId, changes: { guard: "strict" } }));
  await service.take(OTHER, roomId);
  expect((await service.run(ME, line)) !== null).toBe(isRefused);
});

test.each([
  "rm TREE/*.txt",
  "cd TREE && rm *.txt",
  "cp x{1,2} TREE/",
  "cd TREE && npm install",
  "git --git-dir=TREE/.git --work-tree=TREE commit -m x",
  "for f in TREE/*; do rm $f; done",
])("a session elsewhere is refused %j while another agent holds the stick, in deny", async (line) => {
  accepted(await service.person.changePolicy({ roomId, changes: { guard: "deny" } }));
  await service.take(OTHER, roomId);
  const cwd = service.world.directory("elsewhere");
  expect(await service.run(ME, line.replaceAll("TREE", service.tree), { cwd })).not.toBe(null);
  expect(await service.run(ME, line.replaceAll("TREE", cwd), { cwd })).toBe(null);
});

test("a pattern above the room is refused to a session elsewhere, too", async () => {
  accepted(await service.person.changePolicy({ roomId, changes: { guard: "deny" } }));
  await service.take(OTHER, roomId);
  const cwd = service.world.directory("elsewhere");
  expect(await service.run(ME, "rm -rf ../*", { cwd })).not.toBe(null);
});

test("a command of unknown effect in a directory above a strict room is not refused there", async () => {
  accepted(await service.person.changePolicy({ roomId, changes: { guard: "strict" } }));
  await service.take(OTHER, roomId);
  const cwd = join(service.tree, "..");
  expect(await service.run(ME, "npm test", { cwd })).toBe(null);
  expect(await service.run(ME, `rm -rf ${service.tree}`, { cwd })).not.toBe(null);
});
