/** Git in a room that a person made inside of another one: the refs belong to every room of the repository. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { asRoomId } from "../../src/core/ids.ts";
import { answerGit } from "../../src/guard/answer-git.ts";
import type { GitStep } from "../../src/guard/rules/git-operation.ts";
import { accepted } from "../support/service-world.ts";
import { GuardService } from "./guard-service.ts";

const [ME, OTHER] = ["session-me", "session-other"];

let service: GuardService;
let nested: string;
let rooms: { readonly outer: string; readonly inner: string };

beforeEach(async () => {
  service = new GuardService();
  nested = join(service.tree, "nested");
  mkdirSync(nested);
  rooms = { outer: await service.setMode("deny"), inner: await service.setMode("deny", nested) };
});

const commit = (state: "prepared" | "committed"): GitStep => ({
  call: {
    hook: "reference-transaction",
    state,
    updates: [{ name: "refs/heads/main", before: "1".repeat(40), after: "2".repeat(40) }],
    isCut: false,
  },
  commands: [{ verb: "commit", words: ["-m", "x"], isOther: false, isChild: false }],
  isMidway: false,
});

const ask = (directory: string, state: "prepared" | "committed" = "prepared") =>
  answerGit(service.guardDeps, service.caller(ME), { step: commit(state), directory, sessionId: ME });

async function writesIn(roomId: string): Promise<number> {
  const events = await service.deps.store.readEvents(asRoomId(roomId), 0, 100);
  return events.filter(({ type }) => type === "foreign_write").length;
}

test("the holder of the room in which git runs is not refused, and the other room gets to know it", async () => {
  await service.take(ME, rooms.inner);
  await service.take(OTHER, rooms.outer);
  expect(await ask(nested)).toBeNull();
  await ask(nested, "committed");
  expect([await writesIn(rooms.inner), await writesIn(rooms.outer)]).toEqual([0, 1]);
});

test("an agent that holds neither is refused, also if only the outer room has a holder or a guard", async () => {
  await service.take(OTHER, rooms.outer);
  expect(await ask(nested)).toMatch(/^Refused: .* Nothing was changed\./);
  accepted(await service.person.changePolicy({ roomId: rooms.inner, changes: { guard: "off" } }));
  expect(await ask(nested)).toMatch(/^Refused: .* Nothing was changed\./);
});

test("the holder of a room without a guard is not refused there either", async () => {
  accepted(await service.person.changePolicy({ roomId: rooms.inner, changes: { guard: "off" } }));
  await service.take(ME, rooms.inner);
  await service.take(OTHER, rooms.outer);
  expect(await ask(nested)).toBeNull();
});

test("the holder of the outer room is not refused there, but in the inner room if another agent holds that", async () => {
  await service.take(ME, rooms.outer);
  await service.take(OTHER, rooms.inner);
  expect(await ask(service.tree)).toBeNull();
  expect(await ask(nested)).toMatch(/^Refused: /);
});
