/** Printing a stream: one line at a time, each flushed before the next is fetched, and the cursor as the last line. */
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { shellWord } from "../../core/shell-word.ts";
import type { CliContext } from "./context.ts";
import { EXIT } from "./exit-codes.ts";
import { ERASE_LINE } from "./live-line.ts";
import { wrapWhole } from "./text/wrap.ts";

export interface Stream<Item> {
  /** Aborted when the stream is to end. */
  readonly until: AbortSignal;
  /** The next items; none when the stream was ended meanwhile. */
  readonly next: () => Promise<readonly Item[] | Refusal>;
  readonly line: (item: Item) => string;
  /** Around the writing of a line: what has to happen while its reader is slow, and when it has left the process. */
  readonly whileWriting?: (item: Item, written: Promise<void>) => Promise<void>;
  /** Where the stream was when it ended. */
  readonly lastLine: () => string;
  readonly onShown: (item: Item) => void;
  /** All items of a batch were shown, be they none. */
  readonly onBatch?: () => void;
}

/** A slow reader holds up nothing but itself: the next item is not even looked for while the last one is on its way. */
export async function printStream<Item>(context: CliContext, stream: Stream<Item>): Promise<number> {
  const { until } = stream;
  while (!until.aborted) {
    const items = await stream.next();
    if (isRefusal(items)) return context.refuse(items);
    let shown = 0;
    for (const item of items) {
      // The first may have been taken already, and whatever was taken is shown.
      if (until.aborted && shown > 0) break;
      const written = context.ports.writeOut(stream.line(item));
      await (stream.whileWriting ? stream.whileWriting(item, written) : written);
      stream.onShown(item);
      shown += 1;
      // A reader that keeps up would never let the event loop turn, and a signal would not be heard before the end.
      await new Promise(setImmediate);
    }
    if (shown === items.length) stream.onBatch?.();
  }
  await context.ports.writeOut(`${stream.lastLine()}\n`);
  return EXIT.done;
}

/** The last line for a person: the command that goes on, with what else was asked for. */
export function goOnText({ args, columns, ports, tt }: CliContext, command: string, flags: readonly string[]): string {
  const asked = flags.flatMap((flag) => {
    const text = args.text(flag);
    const values = text === undefined ? args.list(flag) : [text];
    return values.map((value) => `--${flag} ${shellWord(value)}`);
  });
  const line = `Go on with: ${[tt, command, ...asked].join(" ")}`;
  // The terminal itself has written ^C where the line begins.
  return `${ports.terminal.output ? ERASE_LINE : ""}${wrapWhole(line, columns, "  ")}`;
}
