/** Bare `tt`, and the slow way to the line for prompts: the room at a glance. */
import type { AgentId } from "../../../core/ids.ts";
import type { GuardMode } from "../../../core/policy.ts";
import { isRefusal } from "../../../core/refusal.ts";
import { ignoringFaults } from "../../../engine/ignoring-faults.ts";
import { locate } from "../../../engine/locate.ts";
import { countDeadLetters } from "../../../mail/dead-letters.ts";
import { type MailAtAGlance, mailAtAGlance, type Question } from "../../../mail/mail-watch.ts";
import { roomPicture } from "../../../peers/room-picture.ts";
import { joined, mailWords, type PromptStick, stickWords } from "../../../peers/rules/prompt-line.ts";
import { roomState } from "../../../room/get-room-state.ts";
import { placeOf, spotOf } from "../../../room/room-place.ts";
import type { Room } from "../../../room/rules/room.ts";
import type { MemberView, RoomDetail } from "../../../room/rules/view.ts";
import { boardLines } from "../../picture/board.ts";
import { namedFor } from "../../picture/why-words.ts";
import { wrapWhole } from "../../words/wrap.ts";
import type { Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { granted } from "../granted.ts";
import { shownProtection } from "../protection-of.ts";
import { roomOf } from "../room-of.ts";
import { deadLetterLines } from "../text/delivery.ts";
import { painted } from "../text/paint.ts";
import type { Page } from "../text/reading.ts";
import { placeLines } from "../text/room.ts";
import { unreadLines } from "../text/turn.ts";
import { commandOf, type WhyAnswer, whyAnswer, withShortIds } from "../why-answer.ts";

interface Glance {
  readonly room: RoomDetail | null;
  /** Since when the holder holds. */
  readonly since: string | null;
  readonly waiting: readonly string[];
  readonly openNotes: number;
  readonly unread: number;
  /** Those that I have neither purged nor requeued. */
  readonly deadLetters: number;
  /** Questions that a peer waits for me to answer. */
  readonly asked: readonly Question[];
  /** Only in a room. */
  readonly why?: WhyAnswer;
  readonly next: string;
}

export const glance: Command = {
  name: "",
  hidden: true,
  summary: "the room here at a glance, and the next command to type",
  example: "tt",
  async run(context) {
    const room = await roomOf(context);
    if (!isRefusal(room)) return showGlance(context, room);
    const isNoneHere = room.error === "room_not_found" && context.args.text("room") === undefined;
    return isNoneHere ? showNoRoom(context) : context.refuse(room);
  },
};

async function showNoRoom(context: CliContext): Promise<number> {
  const deps = granted(await context.deps());
  const caller = await context.caller();
  const { unread, asked } = await mailAtAGlance(deps, caller);
  const deadLetters = caller ? await countDeadLetters(deps, caller) : 0;
  const nothing: Glance = {
    room: null,
    since: null,
    waiting: [],
    openNotes: 0,
    unread,
    deadLetters,
    asked,
    next: await nextFor(context, "join"),
  };
  const located = await locate(deps, context.path);
  const spot = isRefusal(located) ? null : { ...located, roomId: null, path: located.workspaceRoot, isNew: true };
  const place = spot && (await ignoringFaults(() => placeOf(deps, spot)));
  await context.answer({ ...nothing, ...place }, ({ next }) =>
    [
      "No room here yet.",
      ...placeLines(place ?? {}, context.page),
      ...mailLines(unread, deadLetters, context.page),
      wrapWhole(`Next: ${next}`, context.columns),
    ].join("\n"),
  );
  return EXIT.done;
}

async function showGlance(context: CliContext, found: Room): Promise<number> {
  const deps = granted(await context.deps());
  const caller = await context.caller();
  if (caller) context.isAbout({ deps, caller, memory: context.ports.memory(), room: found, reads: true });
  // Reading the files of all harnesses takes time, so agents, which read JSON, do not pay for it.
  const protectionOf = (await context.wantsJson()) ? undefined : (mode: GuardMode) => shownProtection(context, mode);
  const gathered = granted(await roomPicture(deps, caller, found.id, { since: true, protectionOf }));
  const picture = namedFor(gathered, context.names);
  const mail = await mailAtAGlance(deps, caller);
  const deadLetters = caller ? await countDeadLetters(deps, caller) : 0;
  const { detail: room, now, why, me } = picture;
  const { openNotes } = now;
  const isDue = why.isStuck || why.reason.kind === "unanswered";
  const wayOn = isDue && why.step ? commandOf(why.step, picture) : null;
  const command = mailCommand(mail) ?? wayOn ?? nextCommand(room, me);
  // A person closed the room.
  const asksFirst = command === "join" && caller !== null && !caller.isPerson;
  const next = await nextFor(context, command);
  const answer: Glance = {
    room,
    since: now.holder?.since ?? null,
    waiting: now.queue,
    openNotes,
    unread: mail.unread,
    deadLetters,
    asked: mail.asked,
    why: whyAnswer(picture, context.tt, deps.clock.now().wallMs),
    next: asksFirst ? `Ask the person you work for before you reopen it: ${next}` : next,
  };
  const place = (await ignoringFaults(() => placeOf(deps, spotOf(found)))) ?? {};
  await context.answer({ ...answer, ...place }, () => {
    const frame = { nowMs: deps.clock.now().wallMs, width: context.columns };
    const howMany = `${openNotes} open note${openNotes === 1 ? "" : "s"}`;
    return [
      ...boardLines(picture, frame).map((line) => painted(line, context.paint)),
      ...placeLines(place, context.page),
      ...(openNotes > 0 ? [wrapWhole(`${howMany}: ${context.tt} notes list --open`, context.columns, "  ")] : []),
      ...mailLines(mail.unread, deadLetters, context.page),
      wrapWhole(`Next: ${withShortIds(answer.next, picture, context.names)}`, context.columns, "  "),
    ].join("\n");
  });
  return EXIT.done;
}

function mailLines(unread: number, deadLetters: number, page: Page): readonly string[] {
  return [...unreadLines(unread, page), ...deadLetterLines(deadLetters, page)];
}

/** Every command that acts refuses an unknown caller, so the first advice is how to identify itself. */
async function nextFor(context: CliContext, command: string): Promise<string> {
  const unknown = await context.unknownCaller();
  return unknown ? context.nextOf(unknown) : `${context.tt} ${command}`;
}

/** Peers that wait for my answer come first, but unread mail cannot be answered. */
function mailCommand({ unread, asked: [question] }: MailAtAGlance): string | null {
  if (question?.isRead) return `reply ${question.messageId} "…"`;
  return unread > 0 ? "msg recv" : null;
}

/** The one command that makes sense now. */
function nextCommand(room: RoomDetail, me: string | null): string {
  if (room.state === "closed") return "join";
  if (room.owner !== null && room.owner === me) return 'release --status "…" --next-action "…"';
  // No agent gets the stick now; a person is told how to go on before this.
  if (room.paused !== null) return "wait";
  if (["owner_gone", "silent_owner", "stale_owner"].includes(room.state)) return 'take --reason "…"';
  return room.state === "owned" || (room.reservedFor !== null && room.reservedFor !== me) ? "wait" : "try";
}

export const status: Command = {
  name: "status",
  summary: "a fragment for the shell prompt: the stick and your mail",
  details: [
    "With --prompt it is one line such as stick:codex ✉1 ?claude: codex holds the stick, one message is unread, and claude waits for your answer. It is empty where there is no room, and where there is nothing to tell.",
    "Without, it shows the room as tt alone does. A prompt that starts no program: tt prompt --help",
  ],
  example: "tt status --prompt",
  positionals: [{ name: "path" }],
  flags: { prompt: { kind: "boolean", help: "one short line for a prompt" } },
  async run(context, args) {
    if (!args.isSet("prompt")) return glance.run(context, args);
    const room = await roomOf(context);
    // A prompt has no place for errors; but a room that was named is another matter.
    if (isRefusal(room)) return args.text("room") === undefined ? EXIT.done : context.refuse(room);
    const deps = await context.deps();
    if (isRefusal(deps)) return EXIT.done;
    const caller = await context.caller();
    const state = await roomState(deps, caller, room.id);
    if (isRefusal(state)) return EXIT.done;
    const { unread, asked } = await mailAtAGlance(deps, caller);
    const stick = stickWords(stickSight(state.room, state.members, caller?.agentId ?? null));
    const askers = asked.map(({ from, fromHandle }) => fromHandle ?? from);
    await context.ports.writeOut(joined(stick, mailWords(unread, askers)));
    return EXIT.done;
  },
};

function stickSight(room: RoomDetail, members: readonly MemberView[], me: AgentId | null): PromptStick {
  const { owner, reservedFor, state, paused } = room;
  return {
    holder: owner && (members.find(({ agentId }) => agentId === owner)?.handle ?? owner),
    isMine: owner !== null && owner === me,
    isReservedForMe: reservedFor !== null && reservedFor === me,
    isHolderLost: state !== "owned" && owner !== me,
    isPaused: paused !== null,
  };
}
