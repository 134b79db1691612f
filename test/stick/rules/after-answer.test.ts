import { describe, expect, it } from "vitest";
import { wordNext } from "../../../src/core/next.ts";
import { afterHandOver, afterWait } from "../../../src/stick/rules/after-answer.ts";

function words(answer: Parameters<typeof afterWait>[0], claims = true): string {
  return wordNext(afterWait(answer, claims));
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

  it("that only listened, it listens on", () => {
    const again = { do: "wait_for_turn", with: { claim: false } };
    expect(afterWait({ status: "messages" }, false)).toContainEqual(again);
  });

  it("that lost its reservation, it queues again", () => {
    expect(afterWait({ status: "reservation_lost" }, false)).toContainEqual({ do: "wait_for_turn" });
  });

  it("that found the holder gone, it may take over from exactly that turn", () => {
    expect(afterWait({ status: "takeover_available", turnId: 7 }, true)).toContainEqual({
      do: "takeover_stick",
      with: { expected_turn_id: 7, reason: "WHY" },
    });
  });

  it("in a closed room, it may reopen the room", () => {
    expect(afterWait({ status: "closed" }, true)).toContainEqual({ do: "join_path" });
  });
});

it("after a hand-over the agent waits before it writes again", () => {
  expect(afterHandOver).toContainEqual({ do: "wait_for_turn" });
});
