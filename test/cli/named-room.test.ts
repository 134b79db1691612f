/** --room means one room, for every command: it is that one, or the command says that it is not there. */
import { expect, it } from "vitest";
import { inParallel } from "../support/in-parallel.ts";
import { CliWorld, changePolicy } from "./support/cli-world.ts";

const A = { as: "a:1" };
const HANDOFF = "--status x --next-action y";

const OF_A_ROOM = [
  "",
  "status",
  "status --prompt",
  "state",
  "list",
  "list --all",
  "join",
  "leave",
  "kick b:2",
  "close",
  "policy",
  "policy max_retries=4",
  "wait --timeout 1ms",
  "try",
  `release ${HANDOFF}`,
  `pass b:2 ${HANDOFF}`,
  "take --reason x",
  "heartbeat",
  "listen --timeout 1ms",
  "request why",
  "ask b:2 why --timeout 1ms",
  "msg send b:2 hello",
  "reply x hello",
  "msg recv",
  "msg recv --peek",
  "msg recv --wait --timeout 1ms",
  "msg trace x",
  "dlq list",
  "dlq show x",
  "dlq requeue x",
  "dlq purge --yes",
  "events",
  "events --wait --timeout 1ms",
  "notes",
  "notes add hello",
  "peers",
  "read b:2",
  "card purpose",
  "whoami",
  "name parser",
  "doctor",
  "export",
  "prune",
];

const WITHOUT_A_ROOM = [
  "init --print",
  "install --print",
  "uninstall --print",
  "claim 1234",
  "prompt init bash",
  "mailbox peek x",
];

it("a room that is not there is said so by every command, and none is joined instead", async () => {
  const world = new CliWorld();
  await world.done("join", { as: "b:2" });
  await inParallel(3, OF_A_ROOM, async (line) => {
    const { code, stdout, stderr } = await world.tt(`${line} --room nope --json`, A);
    expect([line, code, stdout, stderr.match(/"error":"(\w+)"/)?.[1]]).toEqual([line, 5, "", "room_not_found"]);
  });
  const { members } = (await world.done("state --json")).json() as { members: { agent_id: string }[] };
  expect(members.map(({ agent_id: id }) => id)).toEqual(["b:2"]);
});

it("a command without a room takes none", async () => {
  const world = new CliWorld();
  await inParallel(3, WITHOUT_A_ROOM, async (line) => {
    const { code, stdout, stderr } = await world.tt(`${line} --room nope --json`, A);
    expect([line, code, stdout, stderr.match(/"error":"(\w+)"/)?.[1]]).toEqual([line, 2, "", "usage"]);
  });
});

it("a room is listed, joined and reopened by its id from elsewhere", async () => {
  const world = new CliWorld();
  const room = (await world.done("join --json", { as: "b:2" })).json()["room_id"] as string;
  const elsewhere = { ...A, cwd: world.directory("elsewhere") };
  await world.done("join", elsewhere);
  const joined = (await world.done(`join --room ${room} --json`, elsewhere)).json();
  expect(joined).toMatchObject({ room_id: room, joined_existing_room: true });
  for (const id of [room, room.slice(0, 8)]) {
    const listed = (await world.done(`list --room ${id} --json`, elsewhere)).json();
    expect(listed).toMatchObject({ rooms: [{ room_id: room }] });
  }
  expect((await world.tt(`join --force-new --room ${room}`, elsewhere)).code).toBe(2);
});

it("without a limit of its own a wait for mail lasts as long as the room's policy says", async () => {
  const world = new CliWorld();
  await world.done("join", A);
  await changePolicy(world, "wait_max_ms=1000", A);
  expect((await world.tt("msg recv --wait --json", A)).code).toBe(3);
  expect((await world.tt("msg recv --peek --wait --json", A)).code).toBe(3);
});
