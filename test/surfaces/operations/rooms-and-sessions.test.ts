/** Every refusal that an operation about rooms, notes, mail in hand and sessions lists can be met, and is met here once. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { wordNext } from "../../../src/core/next.ts";
import type { Refusal } from "../../../src/core/refusal.ts";
import type { Operation } from "../../../src/engine/operation.ts";
import type { PeerSights } from "../../../src/engine/ports/peer-sights.ts";
import { identify } from "../../../src/session/rules/identify.ts";
import { type Door, perform } from "../../../src/surfaces/door.ts";
import { OPERATIONS } from "../../../src/surfaces/operations.ts";
import { SessionWorld } from "../../session/session-world.ts";
import { agentCalled } from "../../support/service-ports.ts";
import { accepted } from "../../support/service-world.ts";
import { type ClueOptions, clues, hash } from "../../support/session-clues.ts";
import { A_FLAG, toldToModel } from "../../support/told-to-model.ts";

interface DoorOptions {
  readonly person?: boolean;
  readonly evidence?: ClueOptions;
}

/** In stick.test.ts, mail.test.ts and test/turns. Every other operation is met here, so that a new one needs its rows. */
const MET_ELSEWHERE: readonly Operation["name"][] = [
  "wait_for_turn",
  "heartbeat",
  "release_stick",
  "pass_stick",
  "takeover_stick",
  "give_stick",
  "request_stick",
  "get_room_events",
  "wait_for_events",
  "send_message",
  "ask_peer",
  "reply_to_message",
  "read_my_messages",
  "list_turns",
  "show_turn",
  "diff_turn",
  "restore_turn",
];
const operations = OPERATIONS.filter(({ name }) => !MET_ELSEWHERE.includes(name));

const GEMINI = { env: { GEMINI_CLI: "1" }, above: ["node /usr/bin/gemini"] };
const AS_ANOTHER = { ...GEMINI, named: { agentId: asAgentId("me:1"), typed: true } };
/** One process that serves many sessions. */
const SHARED = { above: ["opencode"] };

const UNSEEN = { unseen: "Nothing is seen.", next: "Ask the agent itself." };
const NOTHING_SEEN: PeerSights = {
  activity: () => null,
  transcriptPath: () => null,
  transcript: async () => UNSEEN,
  pane: () => UNSEEN,
  paneCalled: () => null,
};

/** A room in which a and b are members. */
class Provocation extends SessionWorld {
  roomId = "";
  sights: PeerSights | undefined;

  static async ready(): Promise<Provocation> {
    const world = new Provocation();
    world.roomId = (await world.joined("a")).roomId;
    await world.joined("b");
    return world;
  }

  door(agent: string, { person = false, evidence = GEMINI }: DoorOptions = {}): Door {
    const identification = identify(clues(evidence));
    return {
      directory: this.here,
      deps: async () => ({ ...this.deps, ...(this.sights && { sights: this.sights }) }),
      caller: async () => agentCalled(agent, { person }),
      identify: async () => ({ identification, claims: { write: () => undefined, forget: () => false }, hash }),
    };
  }

  async close(): Promise<void> {
    accepted(await this.service.as("human:p", { person: true }).closeRoom({ roomId: this.roomId }));
  }

  /** A message from b in the hands of a. */
  async inHand(): Promise<string> {
    const { messageId } = accepted(await this.as("b").sendMessage({ roomId: this.roomId, to: "a", body: "hello" }));
    accepted(await this.as("a").takeMessages({ ack: "manual" }));
    return messageId;
  }
}

interface Row {
  /** What is so before, and the input that follows from it. */
  readonly given?: (world: Provocation) => Promise<object>;
  readonly input?: object;
  readonly as?: string;
  readonly person?: boolean;
  readonly evidence?: ClueOptions;
}

const closed = async (world: Provocation) => {
  await world.close();
  return {};
};

const ROWS: Readonly<Record<string, Row>> = {
  "join_path: not_authorized": {
    given: async (world) => {
      const guarded = { roomId: world.roomId, changes: { guard: "deny" } as const };
      accepted(await world.service.as("human:p", { person: true }).changePolicy(guarded));
      const inside = join(world.here, "inside");
      mkdirSync(inside);
      return { context_path: inside, force_new: true };
    },
  },
  "leave_room: unknown_member": { as: "stranger" },
  "kick_member: unknown_member": { as: "stranger", input: { target_agent_id: "a" } },
  "kick_member: cannot_kick_self": { input: { target_agent_id: "a" } },
  "kick_member: unknown_target": { input: { target_agent_id: "nobody" } },
  "kick_member: target_active": { input: { target_agent_id: "b" } },
  "kick_member: not_authorized": { input: { target_agent_id: "b", force: true } },
  "close_room: not_authorized": {},
  "pause_room: not_authorized": {},
  "pause_room: room_closed": { given: closed, as: "human:p", person: true },
  "resume_room: not_authorized": {},
  "resume_room: room_closed": { given: closed, as: "human:p", person: true },
  "change_policy: not_authorized": { input: { changes: { maxRetries: 4 } } },
  "change_policy: room_closed": { given: closed, as: "human:p", person: true, input: { changes: { maxRetries: 4 } } },
  "name_myself: room_closed": { given: closed, input: { handle: "scribe" } },
  "add_note: invalid_body": { input: { body: " " } },
  "add_note: body_too_large": { input: { body: "x".repeat(20_000) } },
  "add_note: invalid_turn_id": { input: { body: "x", turn_id: 99 } },
  "add_note: room_closed": { given: closed, input: { body: "x" } },
  "resolve_note: room_closed": {
    async given(world) {
      const { noteId } = accepted(await world.as("a").addNote({ roomId: world.roomId, body: "x" }));
      await world.close();
      return { note_id: noteId };
    },
  },
  "list_notes: invalid_cursor": { input: { before_note_id: "nope" } },
  "ack_message: not_your_message": { input: { message_id: "nope" } },
  "ack_message: attempt_stale": { given: async (world) => ({ message_id: await world.inHand(), attempt: 2 }) },
  "nack_message: not_your_message": { input: { message_id: "nope", reason: "x" } },
  "nack_message: attempt_stale": {
    given: async (world) => ({ message_id: await world.inHand(), attempt: 2, reason: "x" }),
  },
  "message_status: message_not_found": { input: { message_id: "nope" } },
  "dead_letters: invalid_cursor": { input: { after: 99 } },
  "dead_letters: message_not_found": { input: { requeue: "nope" } },
  "read_session: unknown_recipient": { input: { name: "nobody" } },
  "read_session: ambiguous_recipient": {
    async given(world) {
      for (const agent of ["claude:1", "claude:2"]) {
        const { stick, roomId } = await world.joined(agent);
        accepted(await stick.nameMyself({ roomId, handle: agent.replace(":", "-number-") }));
      }
      return { name: "claude" };
    },
  },
  "read_session: recipient_unreachable": { input: { name: "b" } },
  "read_session: cross_project": {
    async given(world) {
      world.sights = {
        ...NOTHING_SEEN,
        paneCalled: () => ({ pane: "%1", directory: "/not/of/this/project", text: "secret" }),
      };
      return { name: "build" };
    },
  },
  "claim_session: not_authorized": { input: { session_id: "s-1" }, evidence: SHARED },
  "register_my_session: not_authorized": { input: { session_id: "s-1" }, evidence: SHARED },
  "get_my_session: not_authorized": { evidence: AS_ANOTHER },
  "set_my_state: room_closed": { given: closed, input: { purpose: "x" } },
};

const listed = operations.flatMap(({ name, refusals }) => refusals.map((code) => `${name}: ${code}`));

it("every refusal that is listed has a row, and there is no other row", () => {
  expect(Object.keys(ROWS).toSorted()).toEqual(listed.toSorted());
});

describe.each(operations.filter(({ refusals }) => refusals.length > 0))("given $name", (operation) => {
  const { name, refusals } = operation;

  it.each(refusals.map((code) => [code]))("when it is provoked, then it is refused with %s", async (code) => {
    const { given, input = {}, as = "a", person = false, evidence = GEMINI } = ROWS[`${name}: ${code}`] ?? {};
    const world = await Provocation.ready();
    const prepared = given ? await given(world) : {};
    const answer = await perform(operation, world.door(as, { person, evidence }), { ...prepared, ...input });
    expect(answer).toMatchObject({ error: code });
    expect(wordNext((answer as Refusal).next)).toMatch(/\S/);
    expect(toldToModel(answer)).not.toMatch(A_FLAG);
  });
});

it("given any operation, when a field is not known, then it is refused by its name", async () => {
  const world = await Provocation.ready();
  for (const operation of operations) {
    const answer = await perform(operation, world.door("a"), { nonsense: 1 });
    expect([operation.name, answer]).toMatchObject([operation.name, { facts: { field: "nonsense" } }]);
  }
});

it("given 20,000 characters, when they are refused, then only their beginning is repeated", async () => {
  const world = await Provocation.ready();
  const long = "x".repeat(20_000);
  for (const [name, input] of Object.entries({
    name_myself: { handle: long },
    get_room_events: { event_type: Array.from({ length: 100 }, () => long) },
  })) {
    const operation = OPERATIONS.find((one) => one.name === name) as Operation;
    const answer = await perform(operation, world.door("a"), input);
    expect([name, answer]).toMatchObject([name, { error: expect.stringMatching(/^invalid/) }]);
    expect(JSON.stringify(answer).length).toBeLessThan(4000);
  }
});

it("given a field of another tool, when it is not ours, then the right way is named", async () => {
  const world = await Provocation.ready();
  const run = (name: string, input: object) => {
    const operation = operations.find((one) => one.name === name);
    if (!operation) throw new Error(name);
    return perform(operation, world.door("a"), { ...input });
  };
  expect(await run("join_path", { agent_id_override: "x:1" })).toMatchObject({
    next: expect.stringContaining("TT_AGENT_ID"),
  });
  expect(await run("list_notes", { include_resolved: true })).toMatchObject({
    next: expect.stringContaining("unresolved_only"),
  });
  expect(await run("list_notes", { after_note_id: "n" })).toMatchObject({
    next: expect.stringContaining("before_note_id"),
  });
  expect(await run("list_project_sessions", { project_root: world.elsewhere })).toEqual({ sessions: [] });
  expect(await run("list_project_sessions", {})).toMatchObject({ sessions: [{ agentId: "a" }, { agentId: "b" }] });
});

it("given a message, when its recipient is all, then it is for the room, and no question is", async () => {
  const world = await Provocation.ready();
  const { roomId } = world;
  const sent = accepted(await world.as("a").sendMessage({ roomId, to: "all", body: "hello" }));
  expect(sent).toMatchObject({ deliveries: [{ to: "b" }] });
  const { messages } = accepted(await world.as("b").takeMessages({})).answer;
  expect(messages).toMatchObject([{ to: "room", body: "hello" }]);
  const ask = (to: string) => world.as("a").askPeer({ roomId, to, body: "ready?", timeoutMs: 0 });
  expect(await ask("all")).toMatchObject({ error: "unknown_recipient" });
  expect(await ask("all")).toEqual(await ask("room"));
});
