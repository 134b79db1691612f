/** Printing a stream: one line at a time, each flushed before the next is fetched, and the cursor as the last line. */
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { shellWord } from "../../core/shell-word.ts";
import { wrapWhole } from "../words/wrap.ts";
import type { Arguments } from "./command.ts";
import type { CliContext } from "./context.ts";
import { EXIT } from "./exit-codes.ts";
import { ERASE_LINE } from "./live-line.ts";

export interface Stream<Item> {
  /** Aborted when the stream is to end. */
  readonly until: AbortSignal;
  /** The next items; none if the stream has ended meanwhile. */
  readonly next: () => Promise<readonly Item[] | Refusal>;
  readonly line: (item: Item) => string;
  /**
   * Runs while a line is written: for what must happen while its reader is slow, and after the line has left the
   * process.
   */
  readonly whileWriting?: (item: Item, written: Promise<void>) => Promise<void>;
  /** Where the stream was when it ended. */
  readonly lastLine: () => string;
  readonly onShown: (item: Item) => void;
  /** Called when all items of a batch were shown, even if there were none. */
  readonly onBatch?: () => void;
  /** What surrounds the stream until it has ended. */
  readonly around?: (stream: () => Promise<Refusal | null>) => Promise<Refusal | null>;
  /** A last look, for a stream whose time is up: its senders may have been told that it sees their mail. */
  readonly last?: () => Promise<readonly Item[]>;
}

/** A slow reader delays only itself: the next item is fetched only after the last one has left the process. */
export async function printStream<Item>(context: CliContext, stream: Stream<Item>): Promise<number> {
  const { around = (print) => print(), last } = stream;
  const refused = await around(() => printUntilStopped(context, stream));
  if (refused) return context.refuse(refused);
  if (last && !context.ports.interrupted.aborted) for (const item of await last()) await show(context, stream, item);
  await context.ports.writeOut(`${stream.lastLine()}\n`);
  return EXIT.done;
}

async function printUntilStopped<Item>(context: CliContext, stream: Stream<Item>): Promise<Refusal | null> {
  const { until } = stream;
  while (!until.aborted) {
    const items = await stream.next();
    if (isRefusal(items)) return items;
    let shown = 0;
    for (const item of items) {
      // The first item may have been taken already, and an item that was taken must be shown.
      if (until.aborted && shown > 0) break;
      await show(context, stream, item);
      shown += 1;
      // With a fast reader the event loop would never run, and a signal would not be handled before the end.
      await new Promise(setImmediate);
    }
    if (shown === items.length) stream.onBatch?.();
  }
  return null;
}

async function show<Item>(context: CliContext, stream: Stream<Item>, item: Item): Promise<void> {
  const written = context.ports.writeOut(stream.line(item));
  await (stream.whileWriting ? stream.whileWriting(item, written) : written);
  stream.onShown(item);
}

/** The last line for a person: the command that goes on, with the same flags. */
export function goOnText({ args, columns, ports, tt }: CliContext, command: string, flags: readonly string[]): string {
  const line = `Go on with: ${[tt, command, ...flagsAgain(args, flags)].join(" ")}`;
  // The terminal has written ^C at the beginning of the line.
  return `${ports.terminal.output ? ERASE_LINE : ""}${wrapWhole(line, columns, "  ")}`;
}

/** Those of the flags that were given, as they are typed. None may be a duration. */
export function flagsAgain(args: Arguments, flags: readonly string[]): readonly string[] {
  return flags.flatMap((flag) => {
    const one = args.text(flag) ?? args.number(flag);
    const values = one === undefined ? args.list(flag) : [String(one)];
    return values.map((value) => `--${flag} ${shellWord(value)}`);
  });
}
