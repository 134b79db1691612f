/**
 * A change with events waits until the disk has it (synchronous=FULL). One without, such as a registered wait or a
 * heartbeat, need not: it survives the death of every process, because the kernel has it, and after a loss of power
 * nothing that it said is true any more, because the process that waits is gone and the deadlines are of another
 * boot. It cannot damage what comes later either. The write-ahead log is one file that is read from its start up to
 * the first frame whose checksum does not fit, and each frame's checksum covers all before it; a commit that waits
 * syncs the whole file, so whatever was written before an event is on the disk when the event is. Checkpoints sync
 * the log first under both settings.
 */

import type { Loaded } from "../../engine/ports/store.ts";
import type { Decision } from "../../room/rules/change.ts";
import { takesUpHandles } from "../sql/save.ts";

/** Everything that must still be true after a loss of power: events, and the handles that they speak of. */
export function mustReachDisk({ room, created }: Loaded, { change }: Decision<unknown>): boolean {
  return created || change.events.length > 0 || takesUpHandles(room, change.room);
}
