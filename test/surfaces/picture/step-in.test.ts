/** A question is about the room as the person saw it. */
import { expect, test } from "vitest";
import { give, isOutdated, kick, take } from "../../../src/surfaces/picture/step-in.ts";
import { ME, picture, row } from "../console/pictures.ts";

function heldBy(agent: string, turnId: number, state: "owned" | "stale_owner" = "owned") {
  const holder = { agentId: row(agent).agentId, since: null, purpose: null, leaseUntil: null };
  return picture({ now: { ...picture().now, turnId, state, holder } });
}

test("a question about the holder is dropped once the turn, the holder or its state is another", () => {
  const before = heldBy("claude:1", 3);
  for (const { question, steps } of [take(before, ""), give(before, "codex", "")]) {
    const open = question && { ...question, steps, roomId: before.roomId };
    expect(isOutdated(open, [heldBy("claude:1", 3)])).toBe(false);
    expect(isOutdated(open, [heldBy("codex:1", 3)])).toBe(true);
    expect(isOutdated(open, [heldBy("claude:1", 4)])).toBe(true);
    expect(isOutdated(open, [heldBy("claude:1", 3, "stale_owner")])).toBe(true);
    expect(isOutdated(open, [picture()])).toBe(true);
    expect(isOutdated(open, [])).toBe(true);
  }
});

function reservedFor(agent: string, turnId: number) {
  const reservation = { agentId: row(agent).agentId, via: "pass", givenBy: null, until: null } as const;
  return picture({ now: { ...picture().now, turnId, state: "reserved", reservation } });
}

test("to take a stick that is reserved for another asks, until the reservation is another", () => {
  const before = reservedFor("claude:1", 3);
  const { question, steps } = take(before, "");
  expect(question?.words).toBe("The stick is reserved for claude:1. Take it?");
  const open = question && { ...question, steps, roomId: before.roomId };
  expect(isOutdated(open, [before])).toBe(false);
  expect(isOutdated(open, [reservedFor("codex:1", 3)])).toBe(true);
  expect(isOutdated(open, [heldBy("claude:1", 4)])).toBe(true);
  expect(take(reservedFor(ME, 3), "").question).toBe(null);
});

test("to give what is reserved for another asks, too, but not to the agent that it is reserved for", () => {
  const before = reservedFor("claude:1", 3);
  expect(give(before, "codex", "").question?.words).toBe("The stick is reserved for claude:1. Give it to codex?");
  expect(give(before, "claude:1", "").question).toBe(null);
  expect(give(reservedFor(ME, 3), "codex", "").question).toBe(null);
});

test("an agent that is named by its id is called by its name, and gets what is reserved for it without a question", () => {
  const names = { "claude:1": "claude", "codex:1": "codex" };
  const before = { ...reservedFor("claude:1", 3), names };
  expect(give(before, "codex:1", "").question?.words).toBe("The stick is reserved for claude. Give it to codex?");
  expect(give(before, "claude:1", "").question).toBe(null);
  expect(give(before, "claude", "").question).toBe(null);
});

test("a question about a member stays when the stick moves", () => {
  const { question, steps } = kick(picture(), "codex", "");
  const open = question && { ...question, steps, roomId: picture().roomId };
  expect(isOutdated(open, [heldBy("claude:1", 9)])).toBe(false);
  expect(isOutdated(null, [])).toBe(false);
});

test("a person who may be no member yet joins before a member is removed, as only members may do that", () => {
  const here = { ...picture({ path: "/work/shop" }), names: { "codex:1": "codex" } };
  const { question, steps } = kick(here, "codex:1", "", true);
  expect(question?.words).toBe("Remove codex from the room?");
  expect(steps).toMatchObject([
    { do: "join_path", with: { context_path: "/work/shop" } },
    { do: "kick_member", with: { target_agent_id: "codex:1", force: true } },
  ]);
});
