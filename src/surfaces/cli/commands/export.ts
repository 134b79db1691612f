/** tt export: the history of a room, as lines of JSON or as a page. */
import { resolve } from "node:path";
import { durationMs } from "../../../core/duration.ts";
import { withSnakeKeys } from "../../../core/letter-case.ts";
import { clockOf, wallMsOf, wallTime } from "../../../core/time.ts";
import { jsonText, quoted } from "../../../core/visible.ts";
import { wallTimeIn } from "../../../room/event-filter.ts";
import { exportRoom } from "../../../room/export-room.ts";
import type { RecordingCounts } from "../../recording/recording-page.ts";
import type { Recording } from "../../wire/recording.ts";
import { wrap, wrapWhole } from "../../words/wrap.ts";
import type { Arguments, Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { granted } from "../granted.ts";
import { liveLine } from "../live-line.ts";
import { YES } from "../means-it.ts";
import { shownProtection } from "../protection-of.ts";
import { roomOf } from "../room-of.ts";
import { UsageError } from "../usage-error.ts";

export const exportCommand: Command = {
  name: "export",
  summary: "the room's whole history, as JSON lines or as a page",
  details: [
    "Without --html: first the room, then every event in order with full notes, then the notes. Always JSON.",
    "With --html: one file that a browser opens without tt and without a network. It shows what tt ui shows, and a slider",
    "moves through the time. The texts of messages and notes, paths and names are in it, and with --diffs the code that",
    "turns changed; no lease and no credential of ours. tt says what is in it and asks first. Without a terminal, add --yes.",
    "--since and --until take an age such as 2h or 3d, or a time with its zone such as 2026-11-18T14:02:07Z.",
  ],
  example: "tt export --html afternoon.html --since 4h",
  positionals: [{ name: "path" }],
  flags: {
    html: { kind: "text", value: "FILE", help: "write a page with the history in it to this file" },
    diffs: { kind: "boolean", help: "with --html: also the code that each turn changed" },
    since: { kind: "text", value: "WHEN", help: "with --html: from then on" },
    until: { kind: "text", value: "WHEN", help: "with --html: up to then" },
    force: { kind: "boolean", help: "with --html: replace a file that is there" },
    yes: YES,
  },
  async run(context, args) {
    const file = args.text("html");
    if (file === undefined) {
      refuseWithoutPage(args);
      return exportLines(context);
    }
    // The next flag is no name either.
    if (file === "" || file.startsWith("-"))
      throw new UsageError("--html needs the name of a file.", "Write --html room.html.");
    return exportPage(context, args, resolve(context.ports.currentDirectory, file));
  },
};

async function exportLines(context: CliContext): Promise<number> {
  const room = granted(await roomOf(context));
  const deps = granted(await context.deps());
  for await (const record of exportRoom(deps, room)) {
    if (context.ports.interrupted.aborted) return EXIT.interrupted;
    await context.ports.writeOut(`${jsonText(withSnakeKeys(record))}\n`);
  }
  return EXIT.done;
}

/** A flag that is silently ignored is worse than one that is refused. */
function refuseWithoutPage(args: Arguments): void {
  const flag = ["diffs", "since", "until", "force", "yes"].find((name) => args.value(name) !== undefined);
  if (flag === undefined) return;
  throw new UsageError(
    `--${flag} has no effect without --html.`,
    "Leave it out, or write a page: tt export --html FILE",
  );
}

async function exportPage(context: CliContext, args: Arguments, path: string): Promise<number> {
  const json = await context.wantsJson();
  const asks = !args.isSet("yes");
  if (asks && (json || !context.ports.terminal.input)) {
    throw new UsageError(
      "The page holds the texts of messages and notes, and there is no terminal to ask for a yes. Nothing was written.",
      "Add --yes if you mean it.",
    );
  }
  const { interrupted, writeError } = context.ports;
  const recorder = await context.ports.recorder();
  const file = { path, replace: args.isSet("force") };
  // Known before, because the rest may take long.
  const obstacle = recorder.obstacleTo(file);
  if (obstacle) return context.refuse(obstacle);
  const recording = await recordedRoom(context, args, recorder);
  if (recording === null) return nothingWritten(context);
  const { html, counts } = await recorder.page(recording);
  if (interrupted.aborted) return nothingWritten(context);
  const bytes = Buffer.byteLength(html);
  if (!json) await writeError(`${contentText(context, recording, { ...counts, bytes, path })}\n`);
  if (asks && !(await context.ports.confirm("Write this?"))) {
    await nothingWritten(context);
    return EXIT.done;
  }
  if (interrupted.aborted) return nothingWritten(context);
  const problem = recorder.write(file, html);
  if (problem) return context.refuse(problem);
  const { from, to } = recording;
  await context.answer({ path, from, to, ...counts, bytes }, () => `Written: ${path}`);
  return EXIT.done;
}

async function nothingWritten({ ports }: CliContext): Promise<number> {
  await ports.writeError("Nothing was written.\n");
  return EXIT.interrupted;
}

type Recorder = Awaited<ReturnType<CliContext["ports"]["recorder"]>>;

/** Null once a person has stopped it. */
async function recordedRoom(context: CliContext, args: Arguments, { gather }: Recorder): Promise<Recording | null> {
  const { version, interrupted: cancel } = context.ports;
  const room = granted(await roomOf(context));
  const deps = granted(await context.deps());
  const { wallMs } = deps.clock.now();
  const [since, until] = [momentIn(args, "since", wallMs), momentIn(args, "until", wallMs)];
  if (since !== null && since >= (until ?? wallTime(wallMs))) {
    const [what, next] =
      until === null
        ? ["--since is not in the past.", "Give an age such as 2h, or an earlier time."]
        : ["--since is not before --until.", "Exchange them, or leave one out."];
    throw new UsageError(what, next);
  }
  const line = liveLine(context);
  try {
    const recording = await gather(deps, room, {
      version,
      since,
      until,
      diffs: args.isSet("diffs"),
      ids: args.isSet("ids"),
      protectionOf: (mode) => shownProtection(context, mode),
      cancel,
      tell: (words) => line?.show(words),
    });
    return granted(recording);
  } finally {
    line?.clear();
  }
}

/** An age before now, or a time; null if the flag was not given. */
function momentIn(args: Arguments, flag: "since" | "until", nowMs: number): string | null {
  const text = args.text(flag);
  if (text === undefined) return null;
  const ageMs = durationMs(text);
  const time = Number.isNaN(ageMs) ? wallTimeIn(text) : wallTime(nowMs - ageMs);
  if (time === null) {
    throw new UsageError(
      `--${flag} ${quoted(text)} is neither an age nor a time.`,
      "Give an age such as 30m, 2h or 3d, or a time with its zone such as 2026-11-18T14:02:07Z.",
    );
  }
  if (flag === "until" && wallMsOf(time) > nowMs)
    throw new UsageError("--until is in the future.", "Leave it out to record up to now.");
  return time;
}

/** What the file is going to hold, and where it will be. */
function contentText(
  { columns }: CliContext,
  { place, from, to, isCut, hasDiffs }: Recording,
  { messages, notes, turns, diffs, bytes, path, ...counts }: RecordingCounts & { bytes: number; path: string },
): string {
  const code = hasDiffs ? `the code that ${counted(diffs, "turn")} changed` : "no code";
  return [
    wrap(`${place.path}, from ${dayAndTime(from)} to ${dayAndTime(to)}`, columns),
    wrap(
      `  ${counted(counts.events, "event")}; the texts of ${counted(messages, "message")} and ${counted(notes, "note")}; ${counted(turns, "turn")} with handoffs and the names of files; ${code}`,
      columns,
      "  ",
    ),
    ...(isCut ? [wrapWhole("  Older events were deleted by tt prune.", columns, "  ")] : []),
    wrap(
      "  Everyone who gets the file can read all of that. No lease and no credential of ours is in it.",
      columns,
      "  ",
    ),
    wrap(`  ${sizeText(bytes)}, to ${path}`, columns, "  "),
  ].join("\n");
}

function dayAndTime(iso: string): string {
  const { day, time } = clockOf(wallMsOf(iso));
  return `${day} ${time}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
