/** `tt watch`: the board of one room, or of all rooms, on the alternate screen. It acknowledges nothing. */
import type { CliContext } from "../../cli/context.ts";
import { EXIT } from "../../cli/exit-codes.ts";
import { granted } from "../../cli/granted.ts";
import { personOf } from "../../cli/person-of.ts";
import { roomOf } from "../../cli/room-of.ts";
import type { ConsoleTerminal } from "../console-terminal.ts";
import { KeyReader } from "../keys.ts";
import { readingKeys } from "../opening.ts";
import { Board } from "./board.ts";
import { BoardKeys } from "./board-keys.ts";

export async function openWatch(context: CliContext, terminal: ConsoleTerminal, ofAll: boolean): Promise<number> {
  const roomId = ofAll ? null : granted(await roomOf(context)).id;
  const person = await personOf(context);
  const quit = new AbortController();
  context.ports.interrupted.addEventListener("abort", () => quit.abort());
  const board = new Board({ context, terminal, person, quit, roomId });
  const keys = new BoardKeys(board, context, quit);
  const reader = readingKeys(
    new KeyReader(),
    (key) => keys.press(key),
    () => board.draw(),
  );
  terminal.on.gone(() => quit.abort());
  terminal.on.resize(() => board.resized());
  terminal.on.continued(() => board.repaint());
  terminal.enter({ fullScreen: true });
  terminal.on.input(reader);
  try {
    await board.run();
  } finally {
    quit.abort();
    terminal.leave();
  }
  return EXIT.done;
}
