/** tt events: the log, once or as a stream. */

import { jsonText } from "../../../core/json-text.ts";
import { withSnakeKeys } from "../../../core/letter-case.ts";
import { isRefusal, type Refusal } from "../../../core/refusal.ts";
import type { Deps } from "../../../engine/deps.ts";
import {
  type EventBatch,
  findEvents,
  getRoomEvents,
  type WaitForEventsInput,
  waitForEvents,
} from "../../../room/events.ts";
import type { EventView } from "../../../room/rules/event-view.ts";
import type { Room } from "../../../room/rules/room.ts";
import type { Arguments, Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { liveLine } from "../live-line.ts";
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
    "--wait ends with the first batch that comes; without --timeout it waits for ever on a terminal, else as long",
    "as the room's limit. --follow prints one line per event until it is stopped or its time is up, then a last",
    "line with the cursor; --after with that cursor goes on exactly there.",
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
    target: { kind: "text", value: "self|any|WHO", help: "whom they concern; self by default with --wait, else any" },
    from: { kind: "text", value: "WHO", help: "only what this agent did" },
    timeout: { kind: "duration", help: "how long --wait and --follow go on" },
  },
  async run(context, args) {
    if (args.isSet("wait") && args.isSet("follow"))
      throw new UsageError("--wait and --follow exclude each other.", "Use one of them.");
    refuseWithoutEffect(args);
    const room = await roomOf(context);
    if (isRefusal(room)) return context.refuse(room);
    const deps = await context.deps();
    if (isRefusal(deps)) return context.refuse(deps);
    const filter = await filterOf(context, deps, room);
    if (isRefusal(filter)) return context.refuse(filter);
    if (args.isSet("follow")) return follow(context, deps, room, filter);
    if (args.isSet("wait")) return waitOnce(context, deps, room, filter);
    return isFiltered(args) ? showMatching(context, deps, filter) : showTail(context, deps, room);
  },
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

async function showTail(context: CliContext, deps: Deps, room: Room): Promise<number> {
  const after = context.args.number("after");
  const limit = context.args.number("limit");
  const answer = await getRoomEvents(deps, {
    roomId: room.id,
    ...(after !== undefined && { afterEventSeq: after }),
    ...(limit !== undefined && { limit }),
  });
  return showBatch(context, deps, answer, EXIT.done);
}

/** After a cursor the next ones that match, without one the newest. */
async function showMatching(context: CliContext, deps: Deps, filter: WaitForEventsInput): Promise<number> {
  const [caller, limit] = [await context.caller(), context.args.number("limit")];
  const answer =
    filter.afterEventSeq === undefined
      ? await findEvents(deps, caller, { ...filter, ...(limit !== undefined && { limit }) })
      : await waitForEvents(deps, caller, { ...filter, maxWaitMs: 0 });
  return showBatch(context, deps, answer, EXIT.done);
}

async function waitOnce(context: CliContext, deps: Deps, room: Room, filter: WaitForEventsInput): Promise<number> {
  const { args, ports } = context;
  const maxWaitMs = args.number("timeout") ?? (ports.terminal.output ? undefined : room.policy.waitMaxMs);
  const afterEventSeq = filter.afterEventSeq ?? room.state.lastSeq;
  const wanted = { ...filter, afterEventSeq, signal: ports.interrupted };
  const line = liveLine(context);
  line.show("Waiting for events. Ctrl-C ends it.");
  const answer = await untilSomething(context, deps, wanted, maxWaitMs);
  line.clear();
  return showBatch(context, deps, answer, EXIT.notYet);
}

async function untilSomething(
  context: CliContext,
  deps: Deps,
  filter: WaitForEventsInput & { readonly signal: AbortSignal },
  maxWaitMs: number | undefined,
): Promise<EventBatch | Refusal> {
  const caller = await context.caller();
  let after = filter.afterEventSeq;
  for (;;) {
    const answer = await waitForEvents(deps, caller, {
      ...filter,
      ...(after !== undefined && { afterEventSeq: after }),
      ...(maxWaitMs !== undefined && { maxWaitMs }),
    });
    const done = isRefusal(answer) || answer.events.length > 0 || maxWaitMs !== undefined || filter.signal.aborted;
    if (done) return answer;
    after = answer.cursorEventSeq;
  }
}

async function filterOf(context: CliContext, deps: Deps, room: Room): Promise<WaitForEventsInput | Refusal> {
  const { args } = context;
  const target = await targetOf(context, deps, args.text("target") ?? (args.isSet("wait") ? "self" : "any"));
  if (isRefusal(target)) return target;
  const author = args.text("from");
  const from = author === undefined ? undefined : await agentOf(context, deps, await context.caller(), author);
  if (from !== undefined && isRefusal(from)) return from;
  const after = args.number("after");
  const types = eventTypes(args);
  return {
    roomId: room.id,
    targetAgentId: target,
    ...(after !== undefined && { afterEventSeq: after }),
    ...(types.length > 0 && { eventTypes: types }),
    ...(from !== undefined && { fromAgentId: from }),
  };
}

async function targetOf(context: CliContext, deps: Deps, target: string): Promise<string | Refusal> {
  return target === "self" || target === "any" ? target : agentOf(context, deps, await context.caller(), target);
}

function eventTypes(args: Arguments): readonly string[] {
  const types = args.list("event").flatMap((list) => list.split(","));
  if (types.includes(""))
    throw new UsageError("--event has a comma with no type beside it.", "Write --event release,claim, for example.");
  return types;
}

async function showBatch(
  context: CliContext,
  deps: Deps,
  answer: EventBatch | Refusal,
  whenEmpty: number,
): Promise<number> {
  if (isRefusal(answer)) return context.refuse(answer);
  const nowMs = deps.clock.now().wallMs;
  await context.answer(answer, ({ events: found }) =>
    found.length === 0 ? "No events." : found.map((event) => eventText(event, nowMs, context.columns)).join("\n"),
  );
  return answer.events.length === 0 ? whenEmpty : EXIT.done;
}

async function follow(context: CliContext, deps: Deps, room: Room, filter: WaitForEventsInput): Promise<number> {
  const json = await context.wantsJson();
  const signal = untilStopped(context.ports.interrupted, context.args.number("timeout"));
  let cursor = filter.afterEventSeq ?? room.state.lastSeq;
  let scanned = cursor;
  return printStream<EventView>(context, {
    until: signal,
    next: async () => {
      const batch = await untilSomething(context, deps, { ...filter, afterEventSeq: cursor, signal }, undefined);
      if (isRefusal(batch)) return batch;
      scanned = batch.cursorEventSeq;
      return batch.events;
    },
    line: (event) => followLine(event, json, deps, context),
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

function followLine(event: EventView, json: boolean, deps: Deps, context: CliContext): string {
  return json
    ? `${jsonText(withSnakeKeys(event))}\n`
    : `${eventText(event, deps.clock.now().wallMs, context.columns)}\n`;
}
