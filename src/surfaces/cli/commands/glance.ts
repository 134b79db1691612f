/** Bare `tt`, and the fragment for a shell prompt: the room at a glance. */
import { mayRefuse } from "../../../core/policy.ts";
import { isRefusal } from "../../../core/refusal.ts";
import { holdingSince } from "../../../engine/newest-events.ts";
import { countDeadLetters } from "../../../mail/dead-letters.ts";
import { type MailAtAGlance, mailAtAGlance, type Question } from "../../../mail/mail-watch.ts";
import { roomState } from "../../../room/get-room-state.ts";
import type { Room } from "../../../room/rules/room.ts";
import type { MemberView, RoomDetail } from "../../../room/rules/view.ts";
import type { Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { granted } from "../granted.ts";
import { protectionOfMode } from "../protection-of.ts";
import { roomOf } from "../room-of.ts";
import { deadLetterLines } from "../text/delivery.ts";
import type { Page } from "../text/reading.ts";
import { guardLines, nameIn, stickLine } from "../text/room.ts";
import { unreadLines } from "../text/turn.ts";
import { wrap, wrapWhole } from "../text/wrap.ts";
import { UsageError } from "../usage-error.ts";

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
  await context.answer(nothing, ({ next }) =>
    [
      "No room here yet.",
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
  const { room, members } = granted(await roomState(deps, caller, found.id));
  const since = await holdingSince(deps.store, found);
  const openNotes = await deps.store.countOpenNotes(found.id);
  const mail = await mailAtAGlance(deps, caller);
  const deadLetters = caller ? await countDeadLetters(deps, caller) : 0;
  const me = caller?.agentId ?? null;
  const queue = members
    .filter((member) => member.waiting)
    .toSorted((a, b) => (a.queuePosition ?? 0) - (b.queuePosition ?? 0));
  const answer: Glance = {
    room,
    since,
    waiting: queue.map((member) => member.agentId),
    openNotes,
    unread: mail.unread,
    deadLetters,
    asked: mail.asked,
    next: await nextFor(context, mailCommand(mail) ?? nextCommand(room, me)),
  };
  // Reading the files of all harnesses takes time, so agents, which read JSON, do not pay for it.
  const showsProtection = mayRefuse(room.guard) && !(await context.wantsJson());
  const protection = showsProtection ? (await protectionOfMode(context, room.guard)).protection : null;
  await context.answer(answer, () => {
    const nowMs = deps.clock.now().wallMs;
    const waiting = queue.map((member) => nameIn(members, member.agentId, me));
    const howMany = `${openNotes} open note${openNotes === 1 ? "" : "s"}`;
    const view = { room, members, me, host: deps.host, since, nowMs, width: context.columns, paint: context.paint };
    return [
      wrap(room.canonicalPath, context.columns),
      stickLine(view),
      ...guardLines(room, protection, context.tt),
      ...(waiting.length > 0 ? [listed("waiting", waiting, context.columns)] : []),
      ...(room.state === "dormant" ? [] : [presentText(members, me, context.columns)]),
      ...(openNotes > 0 ? [`  ${howMany}: ${context.tt} notes list --open`] : []),
      ...mailLines(mail.unread, deadLetters, context.page).map((line) => `  ${line}`),
      ...mail.asked.map(
        ({ from }) => `  ${wrap(`${nameIn(members, from, null)} waits for your answer`, context.columns)}`,
      ),
      wrapWhole(`Next: ${answer.next}`, context.columns, "  "),
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

function presentText(members: readonly MemberView[], me: string | null, width: number): string {
  const active = members.filter((member) => member.status === "active");
  const names = active.map((member) => nameIn(members, member.agentId, me));
  return active.length === 0 ? "  nobody is active here" : listed("here", names, width);
}

function listed(label: string, names: readonly string[], width: number): string {
  return `  ${wrap(`${label}: ${names.join(", ")}`, width, "    ")}`;
}

/** The one command that makes sense now. */
function nextCommand(room: RoomDetail, me: string | null): string {
  if (room.state === "closed") return "join";
  if (room.owner !== null && room.owner === me) return 'release --status "…" --next-action "…"';
  if (room.state === "owner_gone" || room.state === "stale_owner") return 'take --reason "…"';
  return room.state === "owned" || (room.reservedFor !== null && room.reservedFor !== me) ? "wait" : "try";
}

export const status: Command = {
  name: "status",
  summary: "a fragment for the shell prompt: who holds the stick",
  details: [
    "With --prompt it is empty where there is no room, and where nobody holds the stick and it is not reserved for you.",
    "Without, it shows the room as tt alone does.",
  ],
  example: "tt status --prompt",
  positionals: [{ name: "path" }],
  flags: { prompt: { kind: "boolean", help: "one short word for a prompt" } },
  async run(context, args) {
    if (!args.isSet("prompt")) return glance.run(context, args);
    const room = await roomOf(context);
    // A prompt has no place for errors; but a room that was named is another matter.
    if (isRefusal(room)) return args.text("room") === undefined ? EXIT.done : context.refuse(room);
    const deps = await context.deps();
    if (isRefusal(deps)) return EXIT.done;
    const caller = await context.caller();
    const state = await roomState(deps, caller, room.id);
    if (!isRefusal(state)) await context.ports.writeOut(promptText(state.room, state.members, caller?.agentId ?? null));
    return EXIT.done;
  },
};

function promptText(room: RoomDetail, members: readonly MemberView[], me: string | null): string {
  if (room.owner === null) return room.reservedFor === me && me !== null ? "stick:yours?" : "";
  if (room.owner === me) return "stick:you";
  const mark = room.state === "owned" ? "" : "!";
  return `stick:${members.find((member) => member.agentId === room.owner)?.handle ?? room.owner}${mark}`;
}

const SNIPPETS: Readonly<Record<string, string>> = {
  bash: 'PS1=\'$(tt status --prompt 2>/dev/null | sed "s/..*/[&] /")\'"$PS1"',
  zsh: 'setopt PROMPT_SUBST; PROMPT=\'$(tt status --prompt 2>/dev/null | sed "s/..*/[&] /")\'"$PROMPT"',
  fish: 'functions -c fish_prompt _tt_fish_prompt; function fish_prompt; set -l stick (tt status --prompt 2>/dev/null); test -n "$stick"; and echo -n "[$stick] "; _tt_fish_prompt; end',
};

export const prompt: Command = {
  name: "prompt",
  roomless: true,
  summary: "a line for your shell that shows the stick in the prompt",
  example: "tt prompt init bash >> ~/.bashrc",
  positionals: [
    { name: "init", required: true, literal: true },
    { name: "bash|zsh|fish", required: true },
  ],
  async run(context: CliContext, args) {
    const shell = args.required("bash|zsh|fish");
    const snippet = Object.hasOwn(SNIPPETS, shell) ? SNIPPETS[shell] : undefined;
    if (args.required("init") !== "init" || snippet === undefined) {
      throw new UsageError("tt prompt knows init for bash, zsh and fish.", "For example: tt prompt init bash");
    }
    await context.ports.writeOut(`${snippet}\n`);
    return EXIT.done;
  },
};
