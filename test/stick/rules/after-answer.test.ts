import { describe, expect, it } from "vitest";
import { wordNext } from "../../../src/core/next.ts";
import { afterHandOver, afterWait } from "../../../src/stick/rules/after-answer.ts";

const AGENT = { isPerson: false };

function words(answer: Parameters<typeof afterWait>[0], claims = true, caller = AGENT): string {
  return wordNext(afterWait(answer, claims, caller));
}

describe("after a wait", () => {
  it("that was granted, the agent reads open notes, works and hands over", () => {
    expect(words({ status: "your_turn" })).toBe("Work, then hand over: release_stick");
    expect(words({ status: "your_turn", openNotes: 2 })).toBe(
      "Read the open notes: list_notes. Work, then hand over: release_stick",
    );
  });

  it("that was not granted, mail comes first and the wait goes on", () => {
    expect(words({ status: "not_yet" })).toBe("Do work that needs no stick. Then wait again: wait_for_turn");
    expect(words({ status: "not_yet", unread: 1 })).toBe(
      "Read your mail: read_my_messages. Then wait again: wait_for_turn",
    );
    expect(words({ status: "not_yet", unread: 1, messages: [{}] })).toBe(
      "Answer your mail. Read the rest: read_my_messages. Then wait again: wait_for_turn",
    );
  });

  it("in a paused room, a waiter does not write, and the holder hands over", () => {
    const paused = {};
    expect(words({ status: "not_yet", paused })).toBe(
      "The room is paused: do not write. Do work that needs no stick. Then wait again: wait_for_turn",
    );
    expect(words({ status: "not_yet", paused, messages: [{}] })).toBe(
      "The room is paused: do not write. Answer your mail. Then wait again: wait_for_turn",
    );
    expect(words({ status: "your_turn", paused })).toBe(
      "The room is paused. Stop writing, and hand over: release_stick",
    );
  });

  it("that only listened, it listens on", () => {
    const again = { do: "wait_for_turn", with: { claim: false } };
    expect(afterWait({ status: "messages" }, false, AGENT)).toContainEqual(again);
  });

  it("that only listened beside a free stick, it is told how to take it", () => {
    expect(words({ status: "not_yet" }, false)).toBe(
      "The stick is free. To write, take it: wait_for_turn. Do work that needs no stick. Then wait again: wait_for_turn",
    );
    expect(words({ status: "not_yet", currentOwner: "a:1" }, false)).not.toContain("free");
    expect(words({ status: "reservation_lost", reservedFor: null, currentOwner: "a:1" }, false)).not.toContain("free");
    expect(words({ status: "reservation_lost", reservedFor: null }, false)).toBe(
      "The stick is free. Take it: wait_for_turn",
    );
  });

  it("that lost its reservation, it queues again", () => {
    expect(afterWait({ status: "reservation_lost", reservedFor: "b:2" }, false, AGENT)).toContainEqual({
      do: "wait_for_turn",
    });
  });

  it("that found the holder gone, it may take over from exactly that turn", () => {
    expect(afterWait({ status: "takeover_available", turnId: 7 }, true, AGENT)).toContainEqual({
      do: "takeover_stick",
      with: { expected_turn_id: 7, reason: "WHY" },
    });
  });

  it("in a closed room, a person may reopen it, and an agent asks", () => {
    expect(words({ status: "closed" }, true, { isPerson: true })).toBe("Join the room to reopen it: join_path");
    expect(words({ status: "closed" })).toBe(
      "A person closed it. Ask the person you work for before you reopen it: join_path",
    );
    expect(words({ status: "closed", closedBy: "human:eve", reason: "wrong branch" })).toContain(
      'human:eve (reason: "wrong branch") closed it.',
    );
  });
});

it("after a hand-over the agent waits before it writes again", () => {
  expect(afterHandOver).toContainEqual({ do: "wait_for_turn" });
});
