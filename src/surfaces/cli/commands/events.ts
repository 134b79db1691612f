/** tt log, or tt events: the log, once or as a stream. */

import type { AgentId } from "../../../core/ids.ts";
import { withSnakeKeys } from "../../../core/letter-case.ts";
import { LIMITS } from "../../../core/limits.ts";
import { isRefusal } from "../../../core/refusal.ts";
import { wallTime } from "../../../core/time.ts";
import { jsonText } from "../../../core/visible.ts";
import type { Deps } from "../../../engine/deps.ts";
import { newestEvents } from "../../../engine/newest-events.ts";
import { type EventBatch, getRoomEvents, untilEvents, waitForEvents } from "../../../room/events.ts";
import { type EventView, isBefore } from "../../../room/rules/event-view.ts";
import type { Room } from "../../../room/rules/room.ts";
import { durationText } from "../../words/duration-text.ts";
import { wrapWhole } from "../../words/wrap.ts";
import type { Arguments, Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { type AnswerContext, runForm } from "../form.ts";
import { granted } from "../granted.ts";
import { roomOf } from "../room-of.ts";
import { flagsAgain, goOnText, printStream } from "../stream.ts";
import { LogText } from "../text/events.ts";
import { untilStopped } from "../until-stopped.ts";
import { UsageError } from "../usage-error.ts";
import { agentOf } from "./mail/sender-of.ts";

/** `--since` reaches back for as long as rooms are kept. */
const MAX_HOURS = 24 * 366;

const FLAGS = {
  since: { kind: "duration", maxHours: MAX_HOURS, help: "only what happened within this time, such as 1h or 2d" },
  by: { kind: "text", value: "WHO", help: "only what this agent did, and what was done or said to it" },
  turn: { kind: "number", value: "N", help: "only what happened in this turn" },
  follow: { kind: "boolean", help: "go on until stopped" },
  after: { kind: "number", value: "N", help: "only events after this cursor" },
  limit: {
    kind: "number",
    value: "N",
    help: "at most this many: the newest, or the next ones after --after; 50 by default, 500 with --since or --turn",
  },
  wait: { kind: "boolean", help: "wait for the next events" },
  event: { kind: "list", value: "TYPE,…", help: "only these types" },
  target: {
    kind: "text",
    value: "self|any|WHO",
    help: "the agent they concern; self by default with --wait, else any",
  },
  from: { kind: "text", value: "WHO", help: "only what this agent did" },
  timeout: { kind: "duration", help: "how long --wait and --follow go on" },
} as const;

/** Which events are shown, without `--since`: a stream that goes on has passed it. */
const FILTERS = ["event", "target", "from", "by", "turn"] as const;

const STREAMS = [
  "--wait ends with the first batch. Without --timeout it waits until stopped on a terminal, else until the",
  "room's limit. --follow prints one line per event until it is stopped or its time is up, then a last",
  "line with the cursor; --after with that cursor continues exactly there.",
];

export const log: Command = {
  name: "log",
  of: "get_room_events",
  summary: "what happened in the room, with clock times: the last 50, or as a stream",
  details: [
    "People see handles and the time of this machine's clock; a line shows where the day changes.",
    "--agent is short for --by here, after the command's name. --since with --follow begins that long ago.",
    "At most 500 are shown at once, and the last line says how to see older ones; tt export has all of them.",
    ...STREAMS,
  ],
  example: "tt log --since 1h --agent codex",
  positionals: [{ name: "path" }],
  ownFlags: { agent: "by" },
  flags: FLAGS,
  run: showLog,
};

export const events: Command = {
  name: "events",
  of: "get_room_events",
  summary: "the same as log",
  details: STREAMS,
  example: "tt events --follow --event release,claim",
  positionals: [{ name: "path" }],
  hidden: true,
  flags: FLAGS,
  run: showLog,
};

async function showLog(context: CliContext, args: Arguments): Promise<number> {
  if (args.isSet("wait") && args.isSet("follow"))
    throw new UsageError("--wait and --follow exclude each other.", "Use one of them.");
  refuseWithoutEffect(args);
  if (args.isSet("follow")) return follow(context, args);
  return args.isSet("wait") ? runForm(NEXT, context, args) : runForm(ONCE, context, args);
}

const ONCE = { of: getRoomEvents, gather: wantedOf, agentsIn, text: batchText };

const NEXT = {
  of: waitForEvents,
  gather: wantedOf,
  agentsIn,
  live: "Waiting for events. Ctrl-C ends it.",
  again({ events: found, cursorEventSeq }: EventBatch, { ports }: CliContext, args: Arguments) {
    const isUnlimited = args.number("timeout") === undefined && ports.terminal.output;
    const goesOn = isUnlimited && found.length === 0 && !ports.interrupted.aborted;
    return goesOn ? { afterEventSeq: cursorEventSeq } : null;
  },
  text: batchText,
  exit: ({ events: found }: EventBatch) => (found.length === 0 ? EXIT.notYet : EXIT.done),
};

/** A part of the log that is shown whole, as far as one answer can have it. */
function isNarrowed(args: Arguments): boolean {
  return args.number("since") !== undefined || args.number("turn") !== undefined;
}

/** A flag that is silently ignored is worse than one that is refused. */
function refuseWithoutEffect(args: Arguments): void {
  const waits = args.isSet("wait") || args.isSet("follow");
  const looksOn = isFiltered(args) && args.number("after") !== undefined;
  if (args.number("limit") !== undefined && (waits || looksOn)) {
    throw new UsageError(
      "--limit has no effect with --wait, --follow, or a filter after a cursor.",
      "Leave it out; a batch has at most 100 events.",
    );
  }
  if (args.number("since") !== undefined && (args.isSet("wait") || args.number("after") !== undefined)) {
    throw new UsageError(
      "--since has no effect with --wait, and excludes --after.",
      "Use it alone or with --follow: tt log --since 1h --follow",
    );
  }
  if (args.number("timeout") !== undefined && !waits) {
    throw new UsageError(
      "--timeout says how long --wait and --follow go on.",
      "For example: tt events --wait --timeout 10m",
    );
  }
}

function isFiltered(args: Arguments): boolean {
  const isNamed = ["target", "from", "by"].some((flag) => args.text(flag) !== undefined);
  return isNamed || args.list("event").length > 0 || isNarrowed(args);
}

interface Filter {
  readonly eventTypes?: readonly string[];
  readonly targetAgentId?: string;
  readonly fromAgentId?: string;
  readonly aboutAgentId?: string;
  readonly turnId?: number;
  readonly since?: string;
}

async function filterOf(context: CliContext, args: Arguments): Promise<Filter> {
  const targetAgentId = await idOf(context, args.text("target"));
  const fromAgentId = await idOf(context, args.text("from"));
  const aboutAgentId = await idOf(context, args.text("by"));
  const [turnId, sinceMs] = [args.number("turn"), args.number("since")];
  const eventTypes = args.list("event").flatMap((list) => list.split(","));
  if (eventTypes.includes(""))
    throw new UsageError("--event has a comma with no type beside it.", "Write --event release,claim, for example.");
  return {
    ...(eventTypes.length > 0 && { eventTypes }),
    ...(targetAgentId !== undefined && { targetAgentId }),
    ...(fromAgentId !== undefined && { fromAgentId }),
    ...(aboutAgentId !== undefined && { aboutAgentId }),
    ...(turnId !== undefined && { turnId }),
    ...(sinceMs !== undefined && { since: wallTime(granted(await context.deps()).clock.now().wallMs - sinceMs) }),
  };
}

async function idOf(context: CliContext, name: string | undefined): Promise<string | undefined> {
  if (name === undefined || name === "self" || name === "any") return name;
  return granted(await agentOf(context, granted(await context.deps()), await context.caller(), name));
}

async function wantedOf(context: CliContext, args: Arguments) {
  const { eventTypes: eventType, ...others } = await filterOf(context, args);
  const afterEventSeq = args.number("after");
  const most =
    isNarrowed(args) && afterEventSeq === undefined && !args.isSet("wait") ? LIMITS.eventsPerRead : undefined;
  const limit = args.number("limit") ?? most;
  // On a terminal a wait without a limit goes on until something happens; the longest single wait is a day.
  const longestMs = args.isSet("wait") && context.ports.terminal.output ? LIMITS.waitMs : undefined;
  const maxWaitMs = args.number("timeout") ?? longestMs;
  const wanted = { ...others, eventType, afterEventSeq, limit, maxWaitMs };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

function agentsIn({ events: found }: Pick<EventBatch, "events">): readonly AgentId[] {
  return [...new Set(found.flatMap(({ fromAgentId, toAgentId }) => [fromAgentId ?? [], toAgentId ?? []].flat()))];
}

function batchText({ events: found }: EventBatch, { context, nowMs }: AnswerContext): string {
  const [first] = found;
  if (!first) return "No events.";
  const text = new LogText(context.page, nowMs);
  return [...found.map((event) => text.of(event)), ...olderLines(first, found.length, context)].join("\n");
}

/** Says that older events are left out, and how to see them. */
function olderLines(first: EventView, count: number, { args, tt, columns }: CliContext): readonly string[] {
  if (args.number("after") !== undefined || args.isSet("wait") || first.eventSeq === 1) return [];
  const limit = args.number("limit") ?? (isNarrowed(args) ? LIMITS.eventsPerRead : LIMITS.eventsTail);
  if (count < limit) return [];
  const more = Math.min(limit * 4, LIMITS.eventsPerRead);
  const since = args.number("since");
  const again = [...flagsAgain(args, FILTERS), ...(since === undefined ? [] : [`--since ${durationText(since)}`])];
  const how = limit < LIMITS.eventsPerRead ? ["log", `--limit ${more}`, ...again] : ["export"];
  return [wrapWhole(`Older ones are left out. To see more: ${[tt, ...how].join(" ")}`, columns, "  ")];
}

async function follow(context: CliContext, args: Arguments): Promise<number> {
  const room = granted(await roomOf(context));
  const deps = granted(await context.deps());
  const filter = await filterOf(context, args);
  const [caller, json] = [await context.caller(), await context.wantsJson()];
  const signal = untilStopped(context.ports.interrupted, args.number("timeout"));
  const wanted = { targetAgentId: "any", ...filter, roomId: room.id, maxWaitMs: LIMITS.waitMs, signal };
  let cursor = args.number("after") ?? (await beginOf(deps, room, filter));
  let scanned = cursor;
  const text = new LogText(context.page, deps.clock.now().wallMs);
  return printStream<EventView>(context, {
    until: signal,
    next: async () => {
      const batch = await untilEvents(deps, caller, { ...wanted, afterEventSeq: cursor });
      if (isRefusal(batch)) return batch;
      scanned = batch.cursorEventSeq;
      if (!json) await context.learnNames(agentsIn(batch));
      return batch.events;
    },
    line: (event) => `${json ? jsonText(withSnakeKeys(event)) : text.of(event)}\n`,
    onShown: ({ eventSeq }) => {
      cursor = eventSeq;
    },
    onBatch: () => {
      cursor = scanned;
    },
    lastLine: () =>
      json
        ? jsonText({ type: "cursor", cursor_event_seq: cursor })
        : goOnText(context, `log --follow --after ${cursor}`, FILTERS),
  });
}

/** A stream begins now, or with what `--since` or `--turn` asks for. */
async function beginOf({ store }: Deps, room: Room, { turnId, since }: Filter): Promise<number> {
  if (turnId === undefined && since === undefined) return room.state.lastSeq;
  const filter = { turnId: turnId ?? null, since: since ?? null };
  const [before] = await newestEvents(store, room, 1, (event) => isBefore(filter, event));
  return before?.seq ?? 0;
}
