/** How SQLite finds mail and people: never by going through what is over, however much of it there is. */
import { expect, test } from "vitest";
import { asAgentId, asEventId, asRoomId } from "../../../src/core/ids.ts";
import type { MailWindow } from "../../../src/engine/ports/mail-store.ts";
import { selectDeparture, selectJoin } from "../../../src/store/sql/load.ts";
import { selectInterrupts, selectLive, selectWaitingAsks, selectWindow } from "../../../src/store/sql/mail-load.ts";
import type { Statement } from "../../../src/store/sql/statement.ts";
import { newFile, openHandle, openStore } from "./sqlite-file.ts";

const READER = asAgentId("test:reader");
const OWNER = { sql: "SELECT ? AS name", params: [READER] };
const ROOM = asRoomId("room");
const IDS = ["one", "two", "three"].map(asEventId);

const windowOf = (look: MailWindow): Statement => selectWindow(OWNER, look);

const SEARCHES: readonly (readonly [what: string, statement: Statement, index: string])[] = [
  ["the lanes", windowOf({ kind: "lanes", perSender: 5, from: null }), "deliveries_by_lane"],
  ["one lane", windowOf({ kind: "lanes", perSender: 5, from: asAgentId("test:sender") }), "deliveries_by_lane"],
  ["all live mail", selectLive(READER, true), "deliveries_by_lane"],
  ["all live mail that is not shown", selectLive(READER, false), "deliveries_by_lane"],
  ["the oldest live mail", windowOf({ kind: "live", limit: 5 }), "deliveries_by_lane"],
  ["several messages", windowOf({ kind: "messages", ids: IDS }), "deliveries_by_message"],
  ["a message by its sender's id", windowOf({ kind: "msg_id", msgId: "one" }), "deliveries_by_msg_id"],
  ["dead letters", windowOf({ kind: "dead_letters", limit: 5 }), "deliveries_set_aside"],
  ["what came after", windowOf({ kind: "after", seq: 5, limit: 5 }), "deliveries_by_recipient"],
  ["interrupts", selectInterrupts(OWNER), "deliveries_that_interrupt"],
  ["everybody's waiting asks", selectWaitingAsks(null), "asks_that_wait"],
  ["one's own waiting asks", selectWaitingAsks(OWNER), "asks_that_wait"],
  ["comers", selectJoin(ROOM, READER), "events_of_comers"],
  ["departures", selectDeparture(ROOM, [READER, asAgentId("test:before")]), "events_of_departures"],
];

test.each(SEARCHES)("%s are found by their own index", async (_, { sql, params }, index) => {
  const file = newFile();
  await openStore(file);
  const plan = openHandle(file)
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...params);
  const used = plan.flatMap(({ detail }) => /INDEX (\w+_\w+)/.exec(String(detail))?.[1] ?? []);
  expect(new Set(used)).toEqual(new Set([index]));
});

test.each(SEARCHES)("%s are looked for by a statement that stays compiled", (_, { sql }) => {
  // SQLite compiles a statement again whenever a value is given to a bare limit.
  expect(sql).not.toMatch(/LIMIT \?/);
});

test("the lanes of a hook are found by the index of lanes, and what is shown by the one of what was set aside", async () => {
  const file = newFile();
  await openStore(file);
  const { sql, params } = windowOf({ kind: "lanes", perSender: 5, from: null, withShown: true });
  const plan = openHandle(file)
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...params);
  const used = plan.flatMap(({ detail }) => /INDEX (\w+_\w+)/.exec(String(detail))?.[1] ?? []);
  expect(new Set(used)).toEqual(new Set(["deliveries_by_lane", "deliveries_set_aside"]));
});
