/** The command that does an operation, as its reader types it. What is not known yet stands in capital letters. */
import type { Step } from "../../core/next.ts";
import type { OperationName } from "../../core/operation-names.ts";
import { shellWord } from "../../core/shell-word.ts";

/** `{field:WORD}` is the value of the field, or the word where it is not known. */
const COMMANDS: Readonly<Record<OperationName, string>> = {
  list_rooms: "list",
  join_path: "join",
  leave_room: "leave",
  kick_member: "kick {target_agent_id:WHO}",
  close_room: "close",
  change_policy: "policy NAME=VALUE",
  name_myself: "name {handle:NAME}",
  wait_for_turn: "wait",
  heartbeat: "heartbeat",
  release_stick: "release --status {status:STATUS} --next-action {next_action:NEXT}",
  pass_stick: "pass {to_agent_id:WHO} --status {status:STATUS} --next-action {next_action:NEXT}",
  takeover_stick: "take --reason {reason:WHY}",
  give_stick: "give {to_agent_id:WHO}",
  pause_room: "pause",
  resume_room: "resume",
  request_stick: "request {why:WHY}",
  get_room_state: "state",
  get_room_events: "events",
  wait_for_events: "events --wait",
  add_note: "notes add {body:TEXT}",
  list_notes: "notes list",
  resolve_note: "notes resolve {note_id:NOTE}",
  list_turns: "turns",
  show_turn: "turn show {turn_id:TURN}",
  diff_turn: "turn diff {turn_id:TURN}",
  restore_turn: "turn restore {turn_id:TURN} -- {paths:PATH}",
  send_message: "msg send {to:WHO} {body:TEXT}",
  read_my_messages: "msg recv",
  ack_message: "msg recv",
  nack_message: "msg recv",
  message_status: "msg trace {message_id:MESSAGE}",
  ask_peer: "ask {to:WHO} {body:TEXT}",
  reply_to_message: "reply {message_id:MESSAGE} {body:TEXT}",
  list_project_sessions: "peers",
  read_session: "read {name:WHO}",
  claim_session: "claim {session_id:SESSION}",
  register_my_session: "claim {session_id:SESSION}",
  get_my_session: "whoami",
  set_my_state: "card {purpose:TEXT}",
  dead_letters: "dlq list",
};

/** `tt`: how the program is called here. */
export function commandFor(step: Step, tt = "tt"): string {
  const { with: given = {} } = step;
  const words = formOf(step).replace(/\{(\w+):([A-Z]+)\}/g, (_, field: string, unknown: string) => {
    const value = given[field];
    return value === undefined
      ? unknown
      : [value]
          .flat()
          .map((word) => shellWord(String(word)))
          .join(" ");
  });
  return `${tt} ${words}`;
}

function formOf(step: Step): string {
  if (step.do === "wait_for_turn") return formOfWait(step);
  return step.do === "diff_turn" || step.do === "restore_turn" ? formOfTurn(step) : COMMANDS[step.do];
}

/** Of a turn, or of what a restore kept. */
function formOfTurn({ do: name, with: given = {} }: Step): string {
  const flags = `${given["since"] === true ? " --since" : ""}${given["force"] === true ? " --yes" : ""}`;
  const paths = name === "diff_turn" && given["paths"] !== undefined ? " -- {paths:PATH}" : "";
  const source = given["kept"] === undefined ? "{turn_id:TURN}" : "{kept:NAME}";
  return `${COMMANDS[name].replace("{turn_id:TURN}", `${source}${flags}`)}${paths}`;
}

/** One operation waits, looks once, or only listens. */
function formOfWait({ with: given = {} }: Step): string {
  if (given["claim"] === false) return "listen";
  return given["max_wait_ms"] === 0 ? "try" : "wait";
}
