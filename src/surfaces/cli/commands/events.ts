/** tt events: the log, once or as a stream. */

import { withSnakeKeys } from "../../../core/letter-case.ts";
import { LIMITS } from "../../../core/limits.ts";
import { isRefusal } from "../../../core/refusal.ts";
import { jsonText } from "../../../core/visible.ts";
import { type EventBatch, getRoomEvents, untilEvents, waitForEvents } from "../../../room/events.ts";
import type { EventView } from "../../../room/rules/event-view.ts";
import type { Arguments, Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { type AnswerContext, runForm } from "../form.ts";
import { granted } from "../granted.ts";
import { roomOf } from "../room-of.ts";
import { agentOf } from "../sender-of.ts";
import { goOnText, printStream } from "../stream.ts";
import { eventText } from "../text/events.ts";
import { untilStopped } from "../until-stopped.ts";
import { UsageError } from "../usage-error.ts";

export const events: Command = {
  name: "events",
  summary: "the room's log: the last 50, after a cursor, or as a stream",
  details: [
    "--wait ends with the first batch. Without --timeout it waits until stopped on a terminal, else until the",
    "room's limit. --follow prints one line per event until it is stopped or its time is up, then a last",
    "line with the cursor; --after with that cursor continues exactly there.",
  ],
  example: "tt events --follow --event release,claim",
  positionals: [{ name: "path" }],
  flags: {
    after: { kind: "number", value: "N", help: "only events after this cursor" },
    limit: {
      kind: "number",
      value: "N",
      help: "at most this many: the newest, or the next ones after --after; 50 by default",
    },
    wait: { kind: "boolean", help: "wait for the next events" },
    follow: { kind: "boolean", help: "go on until stopped" },
    event: { kind: "list", value: "TYPE,…", help: "only these types" },
    target: {
      kind: "text",
      value: "self|any|WHO",
      help: "the agent they concern; self by default with --wait, else any",
    },
    from: { kind: "text", value: "WHO", help: "only what this agent did" },
    timeout: { kind: "duration", help: "how long --wait and --follow go on" },
  },
  async run(context, args) {
    if (args.isSet("wait") && args.isSet("follow"))
      throw new UsageError("--wait and --follow exclude each other.", "Use one of them.");
    refuseWithoutEffect(args);
    if (args.isSet("follow")) return follow(context, args);
    return args.isSet("wait") ? runForm(NEXT, context, args) : runForm(ONCE, context, args);
  },
};

const ONCE = { of: getRoomEvents, gather: wantedOf, text: batchText };

const NEXT = {
  of: waitForEvents,
  gather: wantedOf,
  live: "Waiting for events. Ctrl-C ends it.",
  again({ events: found, cursorEventSeq }: EventBatch, { ports }: CliContext, args: Arguments) {
    const isUnlimited = args.number("timeout") === undefined && ports.terminal.output;
    const goesOn = isUnlimited && found.length === 0 && !ports.interrupted.aborted;
    return goesOn ? { afterEventSeq: cursorEventSeq } : null;
  },
  text: batchText,
  exit: ({ events: found }: EventBatch) => (found.length === 0 ? EXIT.notYet : EXIT.done),
};

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
  if (args.number("timeout") !== undefined && !waits) {
    throw new UsageError(
      "--timeout says how long --wait and --follow go on.",
      "For example: tt events --wait --timeout 10m",
    );
  }
}

function isFiltered(args: Arguments): boolean {
  return args.list("event").length > 0 || args.text("target") !== undefined || args.text("from") !== undefined;
}

interface Filter {
  readonly eventTypes?: readonly string[];
  readonly targetAgentId?: string;
  readonly fromAgentId?: string;
}

async function filterOf(context: CliContext, args: Arguments): Promise<Filter> {
  const targetAgentId = await idOf(context, args.text("target"));
  const fromAgentId = await idOf(context, args.text("from"));
  const eventTypes = args.list("event").flatMap((list) => list.split(","));
  if (eventTypes.includes(""))
    throw new UsageError("--event has a comma with no type beside it.", "Write --event release,claim, for example.");
  return {
    ...(eventTypes.length > 0 && { eventTypes }),
    ...(targetAgentId !== undefined && { targetAgentId }),
    ...(fromAgentId !== undefined && { fromAgentId }),
  };
}

async function idOf(context: CliContext, name: string | undefined): Promise<string | undefined> {
  if (name === undefined || name === "self" || name === "any") return name;
  return granted(await agentOf(context, granted(await context.deps()), await context.caller(), name));
}

async function wantedOf(context: CliContext, args: Arguments) {
  const { eventTypes: eventType, ...others } = await filterOf(context, args);
  const [afterEventSeq, limit] = [args.number("after"), args.number("limit")];
  // On a terminal a wait without a limit goes on until something happens; the longest single wait is a day.
  const longestMs = args.isSet("wait") && context.ports.terminal.output ? LIMITS.waitMs : undefined;
  const maxWaitMs = args.number("timeout") ?? longestMs;
  const wanted = { ...others, eventType, afterEventSeq, limit, maxWaitMs };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

function batchText({ events: found }: EventBatch, { context, nowMs }: AnswerContext): string {
  if (found.length === 0) return "No events.";
  return found.map((event) => eventText(event, nowMs, context.columns)).join("\n");
}

async function follow(context: CliContext, args: Arguments): Promise<number> {
  const room = granted(await roomOf(context));
  const deps = granted(await context.deps());
  const filter = await filterOf(context, args);
  const [caller, json] = [await context.caller(), await context.wantsJson()];
  const signal = untilStopped(context.ports.interrupted, args.number("timeout"));
  const wanted = { targetAgentId: "any", ...filter, roomId: room.id, maxWaitMs: LIMITS.waitMs, signal };
  let cursor = args.number("after") ?? room.state.lastSeq;
  let scanned = cursor;
  return printStream<EventView>(context, {
    until: signal,
    next: async () => {
      const batch = await untilEvents(deps, caller, { ...wanted, afterEventSeq: cursor });
      if (isRefusal(batch)) return batch;
      scanned = batch.cursorEventSeq;
      return batch.events;
    },
    line: (event) =>
      json ? `${jsonText(withSnakeKeys(event))}\n` : `${eventText(event, deps.clock.now().wallMs, context.columns)}\n`,
    onShown: ({ eventSeq }) => {
      cursor = eventSeq;
    },
    onBatch: () => {
      cursor = scanned;
    },
    lastLine: () =>
      json
        ? jsonText({ type: "cursor", cursor_event_seq: cursor })
        : goOnText(context, `events --follow --after ${cursor}`, ["event", "target", "from"]),
  });
}
