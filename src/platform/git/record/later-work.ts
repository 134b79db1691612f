/**
 * A process of its own for what takes long (turn-record.ts): the call that wanted it has been answered by now. What to do
 * is its only argument. Nobody reads its output.
 */
import { type LaterWork, workLater } from "./turn-record.ts";

const work = JSON.parse(process.argv[2] ?? "null") as LaterWork | null;

if (work !== null) {
  // The record says when there is no snapshot, so a failure needs no word here.
  void workLater(work, process.env).catch(() => process.exit(1));
}
