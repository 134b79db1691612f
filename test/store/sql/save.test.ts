import { describe, expect, test } from "vitest";
import { saveChange } from "../../../src/store/sql/save.ts";
import { RoomWorld } from "../../support/room-world.ts";

function loaded(world: RoomWorld) {
  return { handles: () => world.handles(), post: null };
}

/** The statements of the last command, each as its verb and table. */
function statementsOf(world: RoomWorld, command: () => unknown): string[] {
  const before = world.room;
  const { length } = world.events;
  command();
  const statements = saveChange(before, { room: world.room, events: world.events.slice(length) }, loaded(world));
  return statements.map(({ sql }) => sql.replace(/^(INSERT INTO|UPDATE|DELETE FROM) (\w+).*$/s, "$1 $2"));
}

describe("only what changed is written", () => {
  const world = new RoomWorld();
  world.join("claude:1");
  world.join("codex:1");

  test("a claim", () => {
    expect(statementsOf(world, () => world.wait("claude:1"))).toEqual([
      "UPDATE rooms",
      "UPDATE members",
      "INSERT INTO events",
    ]);
  });

  test("a wait", () => {
    expect(statementsOf(world, () => world.wait("codex:1"))).toEqual([
      "UPDATE rooms",
      "UPDATE members",
      "INSERT INTO waits",
    ]);
  });

  test("a refusal", () => {
    expect(statementsOf(world, () => world.release("codex:1"))).toEqual([]);
  });

  test("a note", () => {
    expect(statementsOf(world, () => world.addNote("claude:1", "text"))).toEqual([
      "UPDATE rooms",
      "UPDATE members",
      "INSERT INTO events",
      "INSERT INTO notes",
    ]);
  });

  test("a departure", () => {
    expect(statementsOf(world, () => world.leave("codex:1"))).toEqual([
      "UPDATE rooms",
      "DELETE FROM waits",
      "DELETE FROM members",
      "INSERT INTO events",
    ]);
  });
});

test("the room's row is written only at the sequence and turn that were decided on", () => {
  const world = new RoomWorld();
  world.join("claude:1");
  const before = world.room;
  world.wait("claude:1");
  const [guard] = saveChange(before, { room: world.room, events: world.events.slice(1) }, loaded(world));
  expect(guard?.sql).toMatch(/^UPDATE rooms SET .* WHERE room_id = \? AND last_seq = \? AND turn_id = \?$/);
  expect(guard?.params.slice(-3)).toEqual(["room", 1, 0]);
  expect(guard?.mustTouchOne).toBe(true);
});

test("events that do not fit the room are a bug", () => {
  const world = new RoomWorld();
  world.join("claude:1");
  expect(() => saveChange(null, { room: world.room, events: [] }, loaded(world))).toThrow("last sequence");
  expect(() => saveChange(world.room, { room: world.room, events: world.events }, loaded(world))).toThrow(
    "without a change",
  );
});
