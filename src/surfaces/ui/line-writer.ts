/** The lines of one stream, to a page that may read slowly or not at all. At most a line of each sender waits in memory. */
import type { ServerResponse } from "node:http";
import type { StreamLine } from "../wire/stream-line.ts";
import { withoutLeases } from "./answer-text.ts";

/** A page that takes nothing for so many beats is gone. It opens a stream again when it comes back. */
const MOST_MISSED_BEATS = 3;

export class LineWriter {
  readonly #response: ServerResponse;
  #missedBeats = 0;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Resolves when there is room for the next line. */
  async send(line: StreamLine): Promise<void> {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    if (response.write(`${withoutLeases(line)}\n`)) return;
    await new Promise<void>((resolve) => {
      const over = () => {
        response.off("drain", over);
        response.off("close", over);
        resolve();
      };
      response.on("drain", over);
      response.on("close", over);
      if (response.destroyed) over();
    });
  }

  beat(): void {
    const isBehind = this.#response.writableNeedDrain;
    this.#missedBeats = isBehind ? this.#missedBeats + 1 : 0;
    if (!isBehind) void this.send({ line: "beat" });
    else if (this.#missedBeats >= MOST_MISSED_BEATS) this.#response.destroy();
  }
}
