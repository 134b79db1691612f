/** What a reader may do next, in the words of the surface through which it reads. */
import { describe, expect, it } from "vitest";
import { wordNext } from "../../src/core/next.ts";
import { OPERATION_NAMES } from "../../src/core/operation-names.ts";
import { commandFor } from "../../src/surfaces/cli/command-for.ts";
import { parseLine } from "../../src/surfaces/cli/parse.ts";
import { GROUPS } from "../../src/surfaces/cli/table.ts";
import { callFor } from "../../src/surfaces/library/call-for.ts";
import { nameFor } from "../../src/surfaces/mcp/name-for.ts";

const COMMANDS = GROUPS.flatMap(({ commands }) => commands);

describe("a step in a shell", () => {
  it.each(OPERATION_NAMES)("%s is a command that the program knows", (name) => {
    const words = commandFor({ do: name }).split(" ").slice(1);
    expect(() => parseLine(words, COMMANDS)).not.toThrow();
  });

  it("carries what is known, quoted for the shell, and asks for the rest in capitals", () => {
    expect(commandFor({ do: "send_message", with: { to: "the room's" } })).toBe("tt msg send 'the room'\\''s' TEXT");
  });

  it("waits, looks once or listens", () => {
    expect(commandFor({ do: "wait_for_turn" })).toBe("tt wait");
    expect(commandFor({ do: "wait_for_turn", with: { max_wait_ms: 0 } })).toBe("tt try");
    expect(commandFor({ do: "wait_for_turn", with: { claim: false } }, "tt --agent me")).toBe("tt --agent me listen");
  });
});

describe("a step for a model", () => {
  it("is a tool that the model has", () => {
    expect(nameFor({ do: "list_notes" }, offering("list_notes", "tt"))).toBe("list_notes");
  });

  it("goes through the gateway if there is no such tool", () => {
    const step = { do: "message_status", with: { message_id: "m1" } } as const;
    expect(nameFor(step, offering("wait_for_turn", "tt"))).toBe(
      'tt {"operation":"message_status","arguments":{"message_id":"m1"}}',
    );
  });

  it("is a command if there is no gateway either", () => {
    expect(nameFor({ do: "list_notes" }, offering("wait_for_turn"))).toBe("tt notes list");
  });

  it("names the room of a call that was about another than the client's own", () => {
    expect(nameFor({ do: "release_stick" }, offering("release_stick"), "r1")).toBe('release_stick {"room_id":"r1"}');
    expect(nameFor({ do: "list_rooms" }, offering("list_rooms"), "r1")).toBe("list_rooms");
  });

  it("names another attempt with each wait", () => {
    expect(nameFor({ do: "wait_for_turn" }, offering("wait_for_turn"))).toBe('wait_for_turn {"attempt":7}');
  });
});

it("sentences and steps are joined as they stand", () => {
  expect(wordNext(["Create one: ", { do: "join_path" }, "."], commandFor)).toBe("Create one: tt join.");
  expect(wordNext("Give less.", commandFor)).toBe("Give less.");
});

describe("a step for a program", () => {
  it("is a call of the library, with what is known as literals", () => {
    expect(callFor({ do: "wait_for_turn" })).toBe("room.waitForTurn()");
    expect(callFor({ do: "wait_for_turn", with: { max_wait_ms: 0 } })).toBe("room.waitForTurn({ timeoutMs: 0 })");
    expect(callFor({ do: "send_message", with: { to: 'a "b"' } })).toBe('room.send({ to: "a \\"b\\"", body: TEXT })');
  });

  it("goes by its name where no object has a call for it", () => {
    const step = { do: "message_status", with: { message_id: "m1" } } as const;
    expect(callFor(step)).toBe('me.perform("message_status", {"message_id":"m1"})');
  });
});

function offering(...names: readonly string[]) {
  return { tools: new Set(names), nextAttempt: () => 7 };
}
