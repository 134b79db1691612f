/**
 * Pins freeze the words that others build on: codes, event types, policy values, exports. They are literals on
 * purpose. A pin that goes red is a question to the change, not to the pin.
 */

import { expect, it } from "vitest";
import * as library from "../../src/app/index.ts";
import * as mailbox from "../../src/app/mailbox.ts";
import { EVENT_TYPES } from "../../src/core/event.ts";
import { FAULT_CODES } from "../../src/core/fault.ts";
import { ATTEMPT_OUTCOMES, DELIVERY_STATES } from "../../src/core/mail-records.ts";
import { DEFAULT_POLICY } from "../../src/core/policy.ts";
import { REFUSAL_CODES } from "../../src/core/refusal.ts";
import { HOOK_EVENTS } from "../../src/hooks/rules/hook.ts";

it("the refusals", () => {
  expect(REFUSAL_CODES.join(" ")).toBe(
    "room_not_found room_closed unknown_member unknown_target unknown_recipient ambiguous_recipient " +
      "ambiguous_id " +
      "recipient_unreachable cross_project self_send target_active cannot_kick_self invalid_handoff invalid_input " +
      "invalid_path invalid_body invalid_turn_id invalid_cursor invalid_delivery_hint invalid_event_type_filter " +
      "agent_id_required stale_lease turn_mismatch takeover_not_available takeover_ineligible body_too_large " +
      "message_too_large handoff_too_large message_not_found not_your_message msg_id_conflict attempt_stale " +
      "rate_limited hops_exhausted would_deadlock observer_cannot_hold_turn session_ended not_authorized " +
      "no_snapshot newer_changes room_paused",
  );
});

it("the faults", () => {
  expect(FAULT_CODES.join(" ")).toBe(
    "store_busy store_full store_readonly store_corrupt store_too_new store_unsafe store_unreachable",
  );
});

it("the event types", () => {
  expect(EVENT_TYPES.join(" ")).toBe(
    "claim release pass takeover close reopen kick member_joined member_left reservation_expired policy_changed " +
      "message_sent note_added note_resolved state_changed session_superseded foreign_write check_run given " +
      "paused resumed evidence_attached",
  );
});

it("the states of a delivery, and what becomes of an attempt", () => {
  expect(DELIVERY_STATES.join(" ")).toBe("pending in_flight acked dead_letter expired");
  expect(ATTEMPT_OUTCOMES.join(" ")).toBe("in_flight shown acked nacked timed_out given_back");
});

it("the events of hooks, which stand in the configurations of harnesses", () => {
  expect(HOOK_EVENTS.join(" ")).toBe(
    "session-start prompt pre-tool post-tool own-tool subagent-start subagent-end stop turn-broken wake session-end",
  );
});

it("the policy of a new room", () => {
  expect(DEFAULT_POLICY).toEqual({
    leaseTtlMs: 2_700_000,
    claimTtlMs: 300_000,
    releaseClaimTtlMs: 60_000,
    waitGraceMs: 60_000,
    goneGraceMs: 15_000,
    ownerIdleMs: 900_000,
    presenceTtlMs: 14_400_000,
    priorOwnerCooldownMs: 60_000,
    idleRoomTtlMs: 2_592_000_000,
    waitMaxMs: 110_000,
    messageMaxBytes: 8192,
    noteMaxBytes: 16_384,
    handoffMaxBytes: 16_384,
    maxRetries: 3,
    baseBackoffMs: 5000,
    inflightTimeoutMs: 30_000,
    messageTtlMs: 604_800_000,
    askTimeoutMs: 45_000,
    hookMaxChars: 9000,
    sendRatePerMin: 30,
    hopsMax: 8,
    guard: "off",
    record: "auto",
    snapshotMaxMs: 1000,
    recordMaxBytes: 1_000_000_000,
    recordKeepDays: 30,
  });
});

it("what the library exports", () => {
  expect(Object.keys(library).toSorted()).toEqual(["TalkingStickError", "openTalkingStick"]);
  expect(Object.keys(mailbox).toSorted()).toEqual(["TalkingStickError", "openMailbox"]);
});
