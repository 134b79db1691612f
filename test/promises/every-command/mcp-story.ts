/** A story that calls every tool of the MCP server, most of them so that they succeed. */
import { type StoryWorld, untilAsked, untilNothingInFlight, untilWaiting } from "./story-world.ts";
import { Teller, type Told } from "./told.ts";

type Answer = Readonly<Record<string, unknown>>;
type Call = (tool: string, input?: object) => Promise<Answer>;

const HANDOFF = { status: "the parser is done", next_action: "write its tests", artifacts: ["src/a.ts"] };

/** Which tools were called, and what they said. */
export interface McpTale {
  readonly told: readonly Told[];
  readonly tools: ReadonlySet<string>;
}

export async function mcpStory(world: StoryWorld): Promise<McpTale> {
  const teller = new Teller(world.root);
  const tools = new Set<string>();
  const caller =
    (agent: string): Call =>
    async (name, input = {}) => {
      tools.add(name);
      const tell = teller.begin(`${agent}: ${name} ${JSON.stringify(input)}`);
      const message = await world.tools.call({ name, arguments: input, _meta: { agent } });
      const result = message["result"] as { structuredContent: Answer; isError?: boolean } | undefined;
      tell({ isError: result?.isError ?? false, answer: result?.structuredContent ?? message });
      return result?.structuredContent ?? {};
    };
  const [a, b] = [caller("a:1"), caller("b:2")];
  await comeTogether(a, b);
  await stickMoves(world, a, b);
  await mailMoves(world, a, b);
  await part(a, b);
  return { told: teller.all(), tools };
}

async function comeTogether(a: Call, b: Call): Promise<void> {
  await a("get_room_state");
  await a("list_rooms");
  await a("join_path");
  await b("join_path");
  await a("get_my_session");
  await a("register_my_session", { session_id: "s-1", capabilities: { mailbox: { reply_to: true } } });
  await a("claim_session", { session_id: "s-2" });
  await a("set_my_state", { purpose: "parse dates", files: ["src/dates.ts"], blocked_on: "review" });
  await a("list_project_sessions");
  await b("list_project_sessions", { compact: true });
  await b("read_session", { name: "a:1" });
}

async function stickMoves(world: StoryWorld, a: Call, b: Call): Promise<void> {
  const { gone } = world;
  const turn = await a("wait_for_turn", { max_wait_ms: 0 });
  const own = { lease_id: turn["lease_id"], expected_turn_id: turn["turn_id"] };
  await a("heartbeat", own);
  await b("wait_for_turn", { max_wait_ms: 0 });
  await b("request_stick", { why: "a hotfix waits", needs: "src/parser.ts" });
  const waiting = b("wait_for_turn", { max_wait_ms: 20_000 });
  await untilWaiting(world, "b:2");
  await a("pass_stick", { ...own, to_agent_id: "b:2", handoff: HANDOFF });
  const next = await waiting;
  const theirs = { lease_id: next["lease_id"], expected_turn_id: next["turn_id"] };
  await a("heartbeat", own);
  await b("release_stick", { ...theirs, handoff: HANDOFF });
  await b("wait_for_turn", { max_wait_ms: 0 });
  await a("takeover_stick", { expected_turn_id: 3, reason: "it may be alive" });
  gone.add("b:2");
  await a("takeover_stick", { expected_turn_id: 3, reason: "its process is gone" });
  await a("kick_member", { target_agent_id: "b:2", reason: "gone" });
  gone.delete("b:2");
  await b("join_path");
}

async function mailMoves(world: StoryWorld, a: Call, b: Call): Promise<void> {
  /** What was read is acknowledged once the answer has left, which may be after the next call. */
  const read = async (input: object = {}): Promise<readonly Answer[]> => {
    const { messages } = await b("read_my_messages", input);
    await untilNothingInFlight(world, "b:2");
    return messages as readonly Answer[];
  };
  const sent = await a("send_message", { to: "b:2", body: "the parser is yours \u0000 𝕏", msg_id: "once" });
  await a("send_message", { to: "b:2", body: "the parser is yours \u0000 𝕏", msg_id: "once" });
  await a("send_message", { body: "for the room", delivery_hint: "interrupt", wake: "off" });
  await read({ limit: 1 });
  await read();
  await b("reply_to_message", { message_id: sent["message_id"], body: "thank you" });
  const after = { after_event_seq: 0, event_type: "message_sent", target_agent_id: "self" };
  await b("wait_for_events", { ...after, max_wait_ms: 20_000 });
  await b("get_room_events", { after_event_seq: 0, limit: 3 });
  const asking = a("ask_peer", { to: "b:2", body: "which port?", timeout_ms: 20_000 });
  await untilAsked(world);
  const [question] = await read();
  await b("reply_to_message", { message_id: question?.["message_id"], body: "8080" });
  await asking;
  const other = await a("send_message", { to: "b:2", body: "acknowledge this" });
  await b("read_my_messages", { ack: "manual" });
  await b("ack_message", { message_id: other["message_id"], attempt: 7 });
  await b("ack_message", { message_id: other["message_id"], attempt: 1 });
  await b("ack_message", { message_id: other["message_id"], attempt: 1 });
  const last = await a("send_message", { to: "b:2", body: "take this back" });
  await b("read_my_messages", { ack: "manual" });
  await b("nack_message", { message_id: last["message_id"], attempt: 1, reason: "not now" });
  await a("message_status", { message_id: last["message_id"] });
  await b("dead_letters");
  await b("dead_letters", { requeue: "none" });
}

async function part(a: Call, b: Call): Promise<void> {
  const note = await a("add_note", { body: "fixture 7 is wrong on purpose" });
  await b("list_notes", { unresolved_only: true });
  await b("resolve_note", { note_id: note["note_id"] });
  await b("list_notes", { limit: 1 });
  await a("get_room_events");
  await a("get_room_state");
  await b("leave_room");
  await a("list_rooms");
  await a("leave_room");
}
