/** A command's JSON is exactly its operation's answer: these keys, in snake_case, ids text or null, counts numbers. */
import { expect, it } from "vitest";
import { asPerson, CliWorld, type Outcome } from "./support/cli-world.ts";
import { recordsIn } from "./support/running.ts";
import { shapeOf } from "./support/shape.ts";

const WHY = { stuck: "boolean", sentence: "string", command: "string", reason: { kind: "string", waiting: [] } };
const RELEASE = ["release", "--json", "--status", "parser done", "--next-action", "write the tests"];
const HANDOFF = { status: "string", next_action: "string" };
const SUMMARY = {
  room_id: "string",
  host: "string",
  canonical_path: "string",
  project: "string",
  state: "string",
  owner: "null",
  paused: "null",
  reserved_for: "null",
  turn_id: "number",
  member_count: "number",
  updated_at: "string",
};
const DETAIL = { ...SUMMARY, lease_expires_at: "null", claim_expires_at: "null", guard: "string", handoff: "null" };
const MEMBER = {
  agent_id: "string",
  handle: "string",
  harness: "string",
  status: "string",
  last_seen_at: "string",
  waiting: "boolean",
  queue_position: "null",
  reachable: "boolean",
  state_card: "null",
};
const POLICY =
  "lease_ttl_ms claim_ttl_ms release_claim_ttl_ms wait_grace_ms gone_grace_ms owner_idle_ms presence_ttl_ms " +
  "prior_owner_cooldown_ms idle_room_ttl_ms wait_max_ms message_max_bytes note_max_bytes handoff_max_bytes " +
  "max_retries base_backoff_ms inflight_timeout_ms message_ttl_ms ask_timeout_ms hook_max_chars send_rate_per_min " +
  "hops_max snapshot_max_ms record_max_bytes record_keep_days";
const policyShape = {
  ...Object.fromEntries(POLICY.split(" ").map((key) => [key, "number"])),
  guard: "string",
  record: "string",
};
const EVENT = {
  event_seq: "number",
  event_id: "string",
  room_id: "string",
  turn_id: "number",
  event_type: "string",
  from_agent_id: "string",
  to_agent_id: "null",
  handoff: "null",
  reason: "null",
  created_at: "string",
  payload: expect.anything(),
};
const NOTE = {
  note_id: "string",
  room_id: "string",
  turn_id: "null",
  author_agent_id: "string",
  body: "string",
  created_at: "string",
  resolved_at: "null",
  resolved_by_agent_id: "null",
};
const YOUR_TURN = {
  open_notes: "number",
  status: "string",
  turn_id: "number",
  lease_id: "string",
  lease_expires_at: "string",
  handoff: "null",
  from_agent_id: "null",
  reason: "string",
  next: "string",
};

function shape(outcome: Outcome) {
  return shapeOf(outcome.json());
}

it("the answers about rooms", async () => {
  const world = new CliWorld();
  const joined = await world.done("join --json", { as: "a:1" });
  expect(shape(joined)).toEqual({
    agent_id: "string",
    handle: "string",
    room_id: "string",
    canonical_path: "string",
    requested_path: "string",
    workspace_root: "string",
    project: "string",
    joined_existing_room: "boolean",
    room_state: "string",
    members: [MEMBER],
    cursor_event_seq: "number",
    next: "string",
    handoff_template: expect.objectContaining({ status: "string", next_action: "string" }),
  });
  const again = await world.done("join --json --force-new", { as: "a:1" });
  expect(shape(again)).toMatchObject({ warning: "string", joined_existing_room: "boolean" });
  expect(shape(await world.done("list --json"))).toEqual({ rooms: [SUMMARY] });
  expect(shape(await world.done("state --json"))).toEqual({ room: DETAIL, members: [MEMBER] });
  expect(shape(await world.done("policy --json"))).toEqual({ policy: policyShape });
  const changed = await asPerson(world, "policy max_retries=4 --json", { as: "a:1" });
  expect(shape(changed)).toMatchObject({ policy: policyShape });
  expect((await world.done("join --json", { as: "a:1" })).json()["policy"]).toEqual({ max_retries: 4 });
  expect(shape(await world.done("--json"))).toEqual({
    room: DETAIL,
    since: "null",
    waiting: [],
    open_notes: "number",
    dead_letters: "number",
    unread: "number",
    asked: [],
    why: WHY,
    next: "string",
  });
  expect(shape(await world.done("why --json"))).toEqual(WHY);
  await world.done("join", { as: "b:2" });
  await asPerson(world, "join");
  const kicked = await asPerson(world, "kick b:2 --force --json");
  expect(shape(kicked)).toEqual({
    status: "string",
    canonical_path: "string",
    kicked_agent_id: "string",
    remaining_members: "number",
    target_was_owner: "boolean",
    target_was_reserved_for: "boolean",
  });
  expect(shape(await world.done("leave --json", { as: "a:1" }))).toEqual({
    status: "string",
    canonical_path: "string",
    remaining_members: "number",
  });
  expect((await asPerson(world, "close --json")).json()).toEqual({ status: "closed" });
});

it("the answers about the stick", async () => {
  const world = new CliWorld();
  const granted = await world.done("try --json", { as: "a:1" });
  expect(shape(granted)).toEqual(YOUR_TURN);
  expect(granted.json()).toMatchObject({ status: "your_turn", turn_id: 1, reason: "open_claim" });
  expect((await world.done("wait --json", { as: "a:1" })).json()).toMatchObject({ reason: "already_owner" });
  expect(shape(await world.done("heartbeat --json", { as: "a:1" }))).toEqual({
    status: "string",
    turn_id: "number",
    lease_expires_at: "string",
  });
  const notYet = await world.tt("wait --json --timeout 1ms", { as: "b:2" });
  expect(shape(notYet)).toEqual({
    status: "string",
    room_state: "string",
    turn_id: "number",
    current_owner: "string",
    queue_position: "number",
    unread: "number",
    lease_expires_at: "string",
    ended_by: "string",
    next: "string",
  });
  const released = await world.done(RELEASE, { as: "a:1" });
  expect(shape(released)).toEqual({
    status: "string",
    reserved_for: "string",
    event_seq: "number",
    waiting_count: "number",
    next: "string",
  });
  expect(released.json()).toMatchObject({ status: "released", reserved_for: "b:2", waiting_count: 1 });
  const passedOn = await world.tt("try --json", { as: "c:3" });
  expect(shape(passedOn)).toEqual({
    status: "string",
    room_state: "string",
    turn_id: "number",
    reserved_for: "string",
    queue_position: "null",
    unread: "number",
    claim_expires_at: "string",
    ended_by: "string",
    next: "string",
  });
  const next = await world.done("try --json", { as: "b:2" });
  expect(shape(next)).toMatchObject({ ...YOUR_TURN, handoff: { status: "string" }, from_agent_id: "string" });
  expect(next.json()).toMatchObject({ reason: "sequence", from_agent_id: "a:1" });
});

it("the answers of a pass and of a takeover", async () => {
  const world = new CliWorld();
  await world.done("try", { as: "a:1", env: { TT_LEASE_TTL_MS: "1000" } });
  await world.tt("wait --timeout 1ms", { as: "b:2" });
  const passed = await world.done(["pass", "b", "--json", "--status", "x", "--next-action", "y"], { as: "a:1" });
  expect(shape(passed)).toEqual({ status: "string", reserved_for: "string", event_seq: "number", next: "string" });
  expect(passed.json()).toMatchObject({ status: "passed", reserved_for: "b:2" });
  expect((await world.done("listen --json", { as: "b:2" })).json()).toMatchObject({ reason: "direct_pass" });
  const free = await world.tt("wait --json --timeout 30s", { as: "a:1" });
  expect(shape(free)).toEqual({
    status: "string",
    turn_id: "number",
    room_state: "string",
    reason: "string",
    current_owner: "string",
    next: "string",
  });
  const taken = await world.done(["take", "--json", "--reason", "b sleeps"], { as: "a:1" });
  expect(shape(taken)).toMatchObject({
    status: "string",
    turn_id: "number",
    lease_id: "string",
    lease_expires_at: "string",
    revoked_agent_id: "string",
    ground: "string",
    reason: "string",
    handoff: { status: "string", next_action: "string" },
  });
  expect(Object.keys(taken.json())).toHaveLength(9);
});

it("the answers about what was said and done", async () => {
  const world = new CliWorld();
  const noted = await world.done("notes add --json hello there", { as: "a:1" });
  expect(shape(noted)).toEqual(NOTE);
  expect(shape(await world.done("notes --json"))).toEqual({ notes: [NOTE], has_more: "boolean" });
  const resolved = await world.done(["notes", "resolve", noted.json()["note_id"] as string, "--json"], { as: "a:1" });
  expect(shape(resolved)).toEqual({ ...NOTE, resolved_at: "string", resolved_by_agent_id: "string" });
  const log = await world.done("events --json");
  expect(shape(log)).toEqual({ events: [EVENT], cursor_event_seq: "number" });
  const waited = await world.tt("events --wait --target any --timeout 1ms --json");
  expect(waited.json()).toEqual({ events: [], cursor_event_seq: 3 });
  await world.done("try", { as: "a:1" });
  await world.done(RELEASE, { as: "a:1" });
  const [release] = recordsIn((await world.done("events --event release --json")).stdout).flatMap(
    (answer) => answer["events"] as object[],
  );
  expect(shapeOf(release)).toEqual({ ...EVENT, handoff: HANDOFF });
  const exported = recordsIn((await world.done("export")).stdout);
  expect(exported.map(({ type }) => type)).toEqual(["room", "event", "event", "event", "event", "event", "note"]);
  expect(shapeOf(exported[0])).toMatchObject({ room: { ...DETAIL, handoff: HANDOFF, policy: policyShape } });
});

it("the answers about messages", async () => {
  const world = new CliWorld();
  await world.done("join", { as: "b:2" });
  const receipt = { to: "string", state: "string", will_be_seen: "string" };
  const sent = { message_id: "string", event_seq: "number", created_at: "string", deliveries: [receipt] };
  expect(shape(await world.done("msg send b:2 hello --json", { as: "a:1" }))).toEqual(sent);
  const woken = { ...sent, deliveries: [{ ...receipt, wake_status: "string" }] };
  expect(shape(await world.done("msg send b:2 hello --wake --json", { as: "a:1" }))).toEqual(woken);
  expect(shape(await world.done("msg send b:2 hello --interrupt --json", { as: "a:1" }))).toEqual(woken);
  expect(shape(await world.done("msg send b:2 hello --interrupt --no-wake --json", { as: "a:1" }))).toEqual(sent);
  const message = {
    message_id: "string",
    from: "string",
    to: "string",
    room: { id: "string", path: "string" },
    handle: "string",
    harness: "string",
    origin: "string",
    body: "string",
    body_bytes: "number",
    delivery_hint: "string",
    created_at: "string",
    attempt: "number",
    delivery_seq: "number",
  };
  expect(shape(await world.done("msg recv --peek --json", { as: "b:2" }))).toEqual({
    count: "number",
    messages: [{ ...message, state: "string" }],
    remaining: "number",
    has_more: "boolean",
    cursor_delivery_seq: "number",
  });
  const received = await world.done("msg recv --json", { as: "b:2" });
  expect(shape(received)).toEqual({ count: "number", messages: [message], remaining: "number" });
  const [first] = received.json()["messages"] as { message_id: string }[];
  const id = first?.message_id as string;
  expect(shape(await world.done(["reply", id, "yes", "--json"], { as: "b:2" }))).toEqual(sent);
  expect(shape(await world.done(["msg", "trace", id, "--json"]))).toEqual({
    message_id: "string",
    from: "string",
    created_at: "string",
    deliveries: [
      {
        to: "string",
        delivery_seq: "number",
        state: "string",
        attempts: [{ n: "number", transport: "string", at: "string", outcome: "string" }],
        expires_at: "string",
      },
    ],
  });
  expect(shape(await world.tt("ask b:2 x --timeout 1ms --json", { as: "a:1" }))).toEqual({
    message_id: "string",
    request_id: "string",
    reply: "null",
    correlation: "string",
    wake_status: "string",
    timed_out: "boolean",
    timeout_ms: "number",
    next: "string",
  });
  const heard = await world.done("listen --json", { as: "b:2" });
  expect(shape(heard)).toMatchObject({ status: "string", messages: [{ kind: "string" }], remaining: "number" });
  await world.done("try", { as: "b:2" });
  expect(shape(await world.done("request x --json", { as: "a:1" }))).toEqual(woken);
  expect((await world.done("dlq list --json", { as: "b:2" })).json()).toEqual({
    dead_letters: [],
    has_more: false,
    cursor_delivery_seq: 0,
  });
  expect((await asPerson(world, "dlq purge --yes --json", { as: "b:2" })).json()).toEqual({ purged: 0 });
});

it("the answers about identity and the installation", async () => {
  const world = new CliWorld();
  const me = { agent_id: "string", handle: "null", harness: "string", session_id: "null", id_source: "string" };
  expect(shape(await world.done("whoami --json", { as: "a:1" }))).toEqual({
    ...me,
    verified: "boolean",
    room_id: "null",
  });
  expect(shape(await world.done("whoami --json --explain", { as: "a:1" }))).toEqual({
    ...me,
    verified: "boolean",
    room_id: "null",
    strategies: [{ name: "string", outcome: "string", reason: "string" }],
  });
  const named = await world.done("name parser --json", { as: "a:1" });
  expect(named.json()).toEqual({ status: "named", handle: "parser" });
  const findings = await world.done("doctor --json");
  expect(shape(findings)).toEqual({ ok: "boolean", findings: [{ name: "string", level: "string", text: "string" }] });
  expect(shape(await world.done("prune --json"))).toEqual({ rooms: [] });
  expect(shape(await world.done("init --yes --json"))).toEqual({
    workspace_root: "string",
    planned: [{ path: "string", what: "string", text: "string" }],
    written: "boolean",
  });
});
