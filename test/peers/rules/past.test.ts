import { expect, test } from "vitest";
import type { RoomEvent } from "../../../src/core/event.ts";
import { DEFAULT_POLICY } from "../../../src/core/policy.ts";
import { pastBefore } from "../../../src/peers/rules/past.ts";
import { INITIAL_STATE } from "../../../src/room/rules/room.ts";
import { claimed, evidenceAttached, released, told } from "../../surfaces/page/told-log.ts";

function handoffBefore(left: readonly RoomEvent[]) {
  const now = { state: INITIAL_STATE, policy: DEFAULT_POLICY, newPolicy: DEFAULT_POLICY, notes: [], left };
  return pastBefore(told([claimed(9, 2)], 7), now).state.handoff;
}

test("the handoff that was left of a deleted log has the evidence that came for it, and no other", () => {
  const evidence = { head: "abc", branch: "main", dirty: true, diffStat: "" };
  const events = [released(5, 1), evidenceAttached(6, 1, 4, evidence)];
  expect(handoffBefore(told(events, 4))).toMatchObject({ seq: 4, handoff: { evidence }, evidenceSeq: 5 });
  expect(handoffBefore(told(events, 3))).toMatchObject({ seq: 3, evidenceSeq: null });
});
