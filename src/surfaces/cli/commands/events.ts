/** tt events: the log, once or as a stream. */
import type { EventView } from "../../../domain/event-view.ts";
import { withSnakeKeys } from "../../../domain/letter-case.ts";
import { isRefusal, type Refusal } from "../../../domain/refusal.ts";
import type { Room } from "../../../domain/room/room.ts";
import type { Deps } from "../../../service/deps.ts";
import { type EventBatch, getRoomEvents, type WaitForEventsInput, waitForEvents } from "../../../service/events.ts";
import type { Arguments, Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { roomOf } from "../room-of.ts";
import { printStream } from "../stream.ts";
import { eventText } from "../text/events.ts";
import { UsageError } from "../usage-error.ts";

export const events: Command = {
  name: "events",
  summary: "the room's log: the last 50, after a cursor, or as a stream",
  details: [
    "--wait ends with the first batch that comes. --follow prints one line per event until it is stopped, then",
    "a last line with the cursor; --after with that cursor goes on exactly there.",
  ],
  example: "tt events --follow --event release,claim",
  positionals: [{ name: "path" }],
  flags: {
    after: { kind: "number", value: "N", help: "only events after this cursor" },
    limit: { kind: "number", value: "N", help: "at most this many (without --wait and --follow)" },
    wait: { kind: "boolean", help: "wait for the next events" },
    follow: { kind: "boolean", help: "go on until stopped" },
    event: { kind: "list", value: "TYPE,…", help: "only these types" },
    target: { kind: "text", value: "self|any|ID", help: "whom they concern; any by default" },
    from: { kind: "text", value: "ID", help: "only what this agent did" },
    timeout: { kind: "duration", help: "how long --wait waits; without it for ever on a terminal" },
  },
  async run(context, args) {
    if (args.isSet("wait") && args.isSet("follow"))
      throw new UsageError("--wait and --follow exclude each other.", "Use one of them.");
    refuseWithoutEffect(args);
    const room = await roomOf(context);
    if (isRefusal(room)) return context.refuse(room);
    const deps = await context.deps();
    if (isRefusal(deps)) return context.refuse(deps);
    if (args.isSet("follow")) return follow(context, deps, room);
    return args.isSet("wait") || isFiltered(args) ? waitOnce(context, deps, room) : showTail(context, deps, room);
  },
};

/** A flag that is silently ignored is worse than one that is refused. */
function refuseWithoutEffect(args: Arguments): void {
  const waits = args.isSet("wait") || args.isSet("follow");
  if (args.number("limit") !== undefined && (waits || isFiltered(args))) {
    throw new UsageError(
      "--limit has no effect with --wait, --follow or a filter.",
      "Leave it out; a batch has at most 100 events.",
    );
  }
  if (args.number("timeout") !== undefined && !args.isSet("wait")) {
    throw new UsageError("--timeout says how long --wait waits.", "For example: tt events --wait --timeout 10m");
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

async function waitOnce(context: CliContext, deps: Deps, room: Room): Promise<number> {
  const { args, ports } = context;
  const filter = filterOf(context, room);
  const waits = args.isSet("wait");
  const maxWaitMs = waits ? (args.number("timeout") ?? (ports.terminal.output ? undefined : room.policy.waitMaxMs)) : 0;
  const answer = await untilSomething(context, deps, filter, maxWaitMs);
  return showBatch(context, deps, answer, waits ? EXIT.notYet : EXIT.done);
}

async function untilSomething(
  context: CliContext,
  deps: Deps,
  filter: WaitForEventsInput,
  maxWaitMs: number | undefined,
): Promise<EventBatch | Refusal> {
  const caller = await context.caller();
  let after = filter.afterEventSeq;
  for (;;) {
    const answer = await waitForEvents(deps, caller, {
      ...filter,
      ...(after !== undefined && { afterEventSeq: after }),
      ...(maxWaitMs !== undefined && { maxWaitMs }),
      signal: context.ports.interrupted,
    });
    const done =
      isRefusal(answer) || answer.events.length > 0 || maxWaitMs !== undefined || context.ports.interrupted.aborted;
    if (done) return answer;
    after = answer.cursorEventSeq;
  }
}

/** Without --after a filter looks through the whole log, a wait starts from now. */
function filterOf({ args }: CliContext, room: Room): WaitForEventsInput {
  const after = args.number("after") ?? (args.isSet("wait") || args.isSet("follow") ? undefined : 0);
  const types = args.list("event").flatMap((list) => list.split(","));
  const from = args.text("from");
  return {
    roomId: room.id,
    targetAgentId: args.text("target") ?? "any",
    ...(after !== undefined && { afterEventSeq: after }),
    ...(types.length > 0 && { eventTypes: types }),
    ...(from !== undefined && { fromAgentId: from }),
  };
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

async function follow(context: CliContext, deps: Deps, room: Room): Promise<number> {
  const filter = filterOf(context, room);
  const json = await context.wantsJson();
  let cursor = filter.afterEventSeq ?? room.state.lastSeq;
  let scanned = cursor;
  return printStream<EventView>(context, {
    until: context.ports.interrupted,
    next: async () => {
      const batch = await untilSomething(context, deps, { ...filter, afterEventSeq: cursor }, undefined);
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
    cursor: () => ({ type: "cursor", cursor_event_seq: cursor }),
  });
}

function followLine(event: EventView, json: boolean, deps: Deps, context: CliContext): string {
  return json
    ? `${JSON.stringify(withSnakeKeys(event))}\n`
    : `${eventText(event, deps.clock.now().wallMs, context.columns)}\n`;
}
