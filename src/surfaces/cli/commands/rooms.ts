/** The commands about rooms: list, join, leave, kick, state, pause, resume, close, policy. */

import { toSnakeCase } from "../../../core/letter-case.ts";
import { nearest } from "../../../core/nearest.ts";
import {
  isChoiceKey,
  POLICY_KEYS,
  type Policy,
  type PolicyKey,
  policyKeyOf,
  policyValueOf,
} from "../../../core/policy.ts";
import { invalidInput, isRefusal, type Refusal, refuse } from "../../../core/refusal.ts";
import { shellWord } from "../../../core/shell-word.ts";
import { quoted, shortened } from "../../../core/visible.ts";
import { changePolicy } from "../../../room/change-policy.ts";
import { closeRoom } from "../../../room/close-room.ts";
import { findRoom } from "../../../room/find-room.ts";
import { getRoomState } from "../../../room/get-room-state.ts";
import { joinPath } from "../../../room/join-path.ts";
import { kickMember } from "../../../room/kick-member.ts";
import { leaveRoom } from "../../../room/leave-room.ts";
import { roomsAround } from "../../../room/list-rooms.ts";
import { pauseRoom, resumeRoom } from "../../../stick/pause-room.ts";
import { wrap, wrapWhole } from "../../words/wrap.ts";
import type { Arguments, Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { type AnswerContext, form, runForm } from "../form.ts";
import { granted, Refused } from "../granted.ts";
import { YES } from "../means-it.ts";
import { assertNamedRoom, roomOf } from "../room-of.ts";
import { policyText } from "../text/policy.ts";
import { listText, membersText, stateText } from "../text/room.ts";
import { UsageError } from "../usage-error.ts";

const PATH = [{ name: "path" }] as const;

export const list: Command = {
  name: "list",
  of: "list_rooms",
  summary: "the rooms of this project; with --all, of every project",
  example: "tt list --all",
  positionals: PATH,
  flags: { all: { kind: "boolean", help: "the rooms of every project on this machine" } },
  async run(context) {
    const deps = granted(await context.deps());
    const named = await assertNamedRoom(context);
    const everywhere = context.args.isSet("all") || named !== null;
    const found = granted(await roomsAround(deps, await context.caller(), everywhere ? null : context.path));
    const answer = { rooms: found.rooms.filter(({ roomId }) => named === null || roomId === named.id) };
    const nowMs = deps.clock.now().wallMs;
    for (const project of new Set(answer.rooms.map((room) => room.project))) await context.learnNamesIn(project);
    await context.answer(answer, ({ rooms }) => listText(rooms, deps.host, context.reading(nowMs)));
    return EXIT.done;
  },
};

export const join = form({
  words: "join",
  of: joinPath,
  summary: "join the room of this directory, or create it",
  details: ["A room covers a whole workspace. An explicit join also reopens a closed room."],
  example: "tt join",
  positionals: PATH,
  flags: { "force-new": { field: "forceNew", help: "create a separate room for exactly this directory" } },
  gather: async (context) => ({ contextPath: await placeToJoin(context) }),
  text: ({ handle, agentId, canonicalPath, joinedExistingRoom, members, warning, inside }, { context }) =>
    [
      wrap(
        `You are ${context.names.ids ? `${handle} (${agentId})` : handle} in the room at ${canonicalPath}.`,
        context.columns,
      ),
      joinedExistingRoom ? `It has ${membersText(members.length)}.` : "It is new.",
      // The line about the room around says the same.
      ...(warning === undefined || inside ? [] : [wrap(`Warning: ${warning}`, context.columns)]),
      wrapWhole(`Next: ${context.tt} wait`, context.columns),
    ].join("\n"),
});

/** A room that is named is joined at its own path. */
async function placeToJoin(context: CliContext): Promise<string> {
  if (context.args.text("room") === undefined) return context.path;
  if (context.args.isSet("force-new"))
    throw new UsageError("--room names an existing room, --force-new creates one.", "Use one of them.");
  const room = granted(await roomOf(context));
  const there = await findRoom(granted(await context.deps()), { contextPath: room.path });
  if (!isRefusal(there) && there.id === room.id) return room.path;
  const message = `The directory of that room, ${room.path}, is not on this machine.`;
  const facts = { room_id: room.id, canonical_path: room.path };
  throw new Refused(refuse("invalid_path", message, "Join the room where the directory is.", facts));
}

export const leave = form({
  words: "leave",
  of: leaveRoom,
  summary: "leave the room; a held stick goes to the next in the queue",
  example: "tt leave",
  positionals: PATH,
  text: ({ canonicalPath, remainingMembers, gaveUpTurnId }, { context: { columns } }) =>
    [
      wrap(`You left ${canonicalPath}.`, columns),
      ...(gaveUpTurnId === undefined
        ? []
        : [wrap(`Your turn ${gaveUpTurnId} ended without a handoff. Next time, release first.`, columns)]),
      remainingText(remainingMembers),
    ].join("\n"),
});

function remainingText(count: number): string {
  return count === 0 ? "Nobody remains." : `${membersText(count)} remain${count === 1 ? "s" : ""}.`;
}

export const kick = form({
  words: "kick",
  of: kickMember,
  summary: "remove a member that is gone",
  details: ["A person may remove one that is still active; it asks first."],
  example: "tt kick codex:1a2b3c4d --reason 'its terminal was closed'",
  positionals: [{ name: "agent", field: "targetAgentId", required: true }, ...PATH],
  flags: {
    yes: YES,
    force: { field: "force", help: "the same as --yes; only for a person" },
    reason: { field: "reason", value: "TEXT", help: "why, for the log and for the member itself" },
  },
  asks({ error, facts }, { names }) {
    const target = facts["target_agent_id"];
    if (error !== "target_active" || typeof target !== "string") return null;
    return { question: `${names.of(target)} is active. Remove it?`, input: { force: true } };
  },
  advise({ error }, _caller, args) {
    const command = `tt kick ${shellWord(args.required("agent"))} --yes`;
    return error === "target_active" ? `Leave it alone, or remove it anyway: ${command}` : undefined;
  },
  text: ({ kickedAgentId, targetWasOwner }, { context }) =>
    wrap(
      `${context.names.of(kickedAgentId)} was removed${targetWasOwner ? "; its turn ended without a handoff" : ""}.`,
      context.columns,
    ),
});

export const state = form({
  words: "state",
  of: getRoomState,
  summary: "the room in full: holder, handoff, members",
  example: "tt state --json",
  positionals: PATH,
  text({ room, members }, { context: { page }, caller, deps: { host }, nowMs }) {
    return stateText({ ...page, room, members, me: caller?.agentId ?? null, host, nowMs });
  },
});

export const close = form({
  words: "close",
  of: closeRoom,
  summary: "close the room; only for a person",
  details: ["If an active member holds the stick, it asks first."],
  example: "tt close",
  positionals: PATH,
  flags: {
    yes: YES,
    "operator-requested": { field: "operatorRequested", help: "the same as --yes" },
    reason: { field: "reason", value: "TEXT", help: "why; a holder whose turn ends is told" },
  },
  asks({ error, facts }, { names }) {
    const holder = facts["current_owner"];
    if (error !== "not_authorized" || typeof holder !== "string") return null;
    const question = `${names.of(holder)} holds the stick and is active. Close the room and end its turn?`;
    return { question, input: { operatorRequested: true } };
  },
  text: (_closed, { context: { tt, columns } }) => wrapWhole(`The room is closed. Reopen it with: ${tt} join`, columns),
});

export const pause = form({
  words: "pause",
  of: pauseRoom,
  summary: "stop the room: no agent gets the stick until tt resume; only for a person",
  details: [
    "Every agent is told once; the holder is asked to hand over. Waiting agents keep their places, and no reservation",
    "expires. You may still take the stick and give it.",
  ],
  example: 'tt pause --reason "the build is broken"',
  positionals: PATH,
  flags: { reason: { field: "reason", value: "TEXT", help: "why; every agent is told" } },
  text({ already, by, told }, { context: { columns, tt, names, args }, caller }) {
    const who = by === caller?.agentId ? "you" : names.of(by);
    const lost = args.text("reason") === undefined ? "" : " Your reason was not recorded.";
    const head = already ? `The room is paused already, by ${who}.${lost}` : `Paused. ${toldText(told)}`;
    return wrapWhole(`${head} To go on: ${tt} resume`, columns);
  },
});

function toldText(told: number | null): string {
  if (told === null) return "The members could not be told.";
  if (told === 0) return "There is no other agent to tell.";
  return told === 1 ? "One other member is told." : `${told} other members are told.`;
}

export const resume = form({
  words: "resume",
  of: resumeRoom,
  summary: "let a paused room go on; only for a person",
  example: "tt resume",
  positionals: PATH,
  text({ already, reservedFor }, { context }) {
    if (already) return "The room was not paused.";
    const then = reservedFor === null ? "" : ` The stick is reserved for ${context.names.of(reservedFor)}.`;
    return wrap(`Resumed.${then}`, context.columns);
  },
});

export const policy: Command = {
  name: "policy",
  of: "change_policy",
  summary: "the values of this room's policy; change them with key=value",
  details: [
    "A time is a duration, such as 10m or 2h; a bare number is milliseconds. A change is recorded in the log and",
    "applies to every member at once. Only a person at a terminal may change them.",
  ],
  example: "tt policy lease_ttl_ms=10m",
  positionals: [{ name: "key=value", rest: true }],
  async run(context, args) {
    if (args.rest.length > 0) return runForm(POLICY_CHANGE, context, args);
    const room = granted(await roomOf(context));
    await context.answer({ policy: room.policy }, (shown) => policyText(shown.policy, context.columns));
    return EXIT.done;
  },
};

const POLICY_CHANGE = {
  of: changePolicy,
  gather: (context: CliContext, args: Arguments) => changesIn(args.rest, context.tt),
  text: ({ policy: changed }: { readonly policy: Policy }, { context }: AnswerContext) =>
    policyText(changed, context.columns),
};

function changesIn(words: readonly string[], tt: string): { readonly changes: object } | Refusal {
  const changes: Record<string, string | number> = {};
  for (const word of words) {
    const [, name = "", text = ""] = /^([A-Za-z_]+)=([^=]+)$/.exec(word) ?? [];
    const key = policyKeyOf(name);
    if (name !== "" && key === null) return unknownPolicyValue(name);
    const value = key === null ? Number.NaN : valueIn(key, text);
    if (key === null || Number.isNaN(value)) {
      throw new UsageError(
        `${quoted(word)} is not key=value with a whole number, a duration or a word of that key.`,
        "For example: tt policy lease_ttl_ms=10m",
      );
    }
    if (key === "guard") {
      throw new UsageError(
        "The mode of the guard belongs together with git's hooks.",
        `Set both: ${tt} guard ${shellWord(text)}`,
      );
    }
    if (key in changes && changes[key] !== value) {
      throw new UsageError(`${quoted(word)} gives ${toSnakeCase(key)} another value.`, "Give each value once.");
    }
    changes[key] = value;
  }
  return { changes };
}

/** A number that is too large to be counted is outside the bounds, too. */
function valueIn(key: PolicyKey, text: string): string | number {
  const isNumber = !isChoiceKey(key) && /^\d+$/.test(text);
  return isNumber ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : policyValueOf(key, text);
}

function unknownPolicyValue(name: string): Refusal {
  const near = nearest(toSnakeCase(name), POLICY_KEYS.map(toSnakeCase));
  const next = near === null ? "See them all with: tt policy" : `Did you mean ${near}?`;
  return invalidInput(shortened(name), `There is no policy value ${quoted(name)}.`, next);
}
