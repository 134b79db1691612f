/** The call that does an operation, as a program writes it. What is not known yet stands in capital letters. */
import type { Step } from "../../core/next.ts";
import type { OperationName } from "../../core/operation-names.ts";

/** `{field:WORD}` is the value of the field, or the word where it is not known. */
const CALLS: Partial<Record<OperationName, string>> = {
  list_rooms: "me.rooms()",
  join_path: "me.join()",
  leave_room: "room.leave()",
  kick_member: "room.kick({target_agent_id:WHO})",
  wait_for_turn: "room.waitForTurn()",
  heartbeat: "turn.renew()",
  release_stick: "turn.release({ status: {status:STATUS}, nextAction: {next_action:NEXT} })",
  pass_stick: "turn.pass({to_agent_id:WHO}, { status: {status:STATUS}, nextAction: {next_action:NEXT} })",
  takeover_stick: "room.takeOver({ reason: {reason:WHY} })",
  get_room_state: "room.state()",
  get_room_events: "room.events.list()",
  wait_for_events: "room.events.follow()",
  add_note: "room.notes.add({body:TEXT})",
  list_notes: "room.notes.list()",
  resolve_note: "room.notes.resolve({note_id:NOTE})",
  send_message: "room.send({ to: {to:WHO}, body: {body:TEXT} })",
  read_my_messages: "me.messages()",
  ack_message: "message.ack()",
  nack_message: "message.nack({reason:WHY})",
  ask_peer: "room.ask({ to: {to:WHO}, body: {body:TEXT} })",
  reply_to_message: "message.reply({body:TEXT})",
  list_project_sessions: "me.peers()",
  claim_session: "openTalkingStick({ agentId: WHO })",
  register_my_session: "openTalkingStick({ agentId: WHO })",
  get_my_session: "me.agentId",
};

/** The operations that a program cannot call by name: it uses the call that CALLS has for each. */
export const NOT_BY_NAME = [
  "wait_for_turn",
  "heartbeat",
  "release_stick",
  "pass_stick",
  "takeover_stick",
  "claim_session",
  "register_my_session",
  "get_my_session",
] as const satisfies readonly OperationName[];

export function callFor({ do: name, with: given = {} }: Step): string {
  const call = CALLS[name];
  if (call === undefined) return `me.perform(${[name, given].map((part) => JSON.stringify(part)).join(", ")})`;
  if (name === "wait_for_turn" && given["max_wait_ms"] === 0) return "room.waitForTurn({ timeoutMs: 0 })";
  return call.replace(/\{(\w+):([A-Z]+)\}/g, (_, field: string, unknown: string) => {
    const value = given[field];
    return value === undefined ? unknown : JSON.stringify(value);
  });
}
