/**
 * After a hand-over: asks git about the tree as the turn left it, and attaches what it says to the handoff. The stick has
 * moved on by then, so no agent waits for git. The call that handed over ends only after this, because its process may
 * end with it. If that process ends before, only the evidence is lost.
 */
import { Fault } from "../core/fault.ts";
import type { CheckedOut, HandoffEvidence } from "../core/handoff.ts";
import type { RoomId } from "../core/ids.ts";
import type { Instant } from "../core/time.ts";
import { commit, lastKnown } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import { ownNames } from "../engine/evidence.ts";
import type { Call } from "../engine/operation.ts";
import type { AttachedHandoff, Room } from "../room/rules/room.ts";
import { type Caller, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import { OBSERVER } from "../session/rules/observer.ts";
import { isDirectlyAfter, markEndLate, recordEnd } from "./record-turn.ts";
import { attachEvidence, gitEvidence } from "./rules/handoff-evidence.ts";

/** What files tell at once of the tree that the holder leaves. Null where there is no repository, and for other callers. */
export async function checkedOutBy(deps: Deps, caller: Caller, roomId: RoomId): Promise<CheckedOut | null> {
  const isMine = (room: Room | undefined) => ownNames(caller).some((name) => name === room?.state.owner);
  // A caller that claimed in this process mostly holds the stick still; if not, this is not used.
  const known = lastKnown(deps, roomId)?.room;
  const room = isMine(known) ? known : (await deps.store.readRoom(roomId))?.room;
  return room && isMine(room) ? deps.workingTree.checkedOut(room.path) : null;
}

/** The room as a hand-over leaves it. */
export interface HandedOver {
  readonly room: Room;
  /** On the clock of this machine, right before the commit: what is seen much later may be of the next turn. */
  readonly since: Instant;
}

export function handedOver({ clock }: Pick<Deps, "clock">, room: Room): HandedOver {
  return { room, since: clock.now().instant };
}

/** A fault goes to the trace: the stick has moved. */
export async function afterHandingOver(deps: Deps, ended: HandedOver | null, call: Call): Promise<void> {
  const handoff = ended?.room.state.handoff;
  const evidence = handoff?.handoff.evidence;
  if (!ended || !handoff || evidence?.pendingUntil === undefined) return;
  try {
    await untilCancelled(gatherAndAttach(deps, ended, handoff, evidence), call.cancel);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    deps.trace?.fault({ during: "the evidence of a handoff", message: error.message });
  }
}

async function gatherAndAttach(
  deps: Deps,
  { room, since }: HandedOver,
  handoff: AttachedHandoff,
  checkedOut: CheckedOut,
): Promise<void> {
  const { id: roomId, path, state } = room;
  const { turnId, turnHead } = state;
  const askGit = async () => {
    const found = await deps.workingTree.evidence(path, turnHead);
    return isDirectlyAfter(since, deps.clock.now().instant) ? found : null;
  };
  const [found, end] = await Promise.all([askGit(), recordEnd(deps, room, since)]);
  const evidence: HandoffEvidence = { ...gitEvidence(checkedOut, found), ...end };
  const done = await commit(deps, OBSERVER, { roomId }, NO_EVIDENCE, (loaded, given) =>
    attachEvidence(loaded.room, given, { turnId, handoff, evidence }),
  );
  if (done?.decision.answer.isLate) await markEndLate(deps, room);
}

/** The work itself goes on for as long as its process lives. */
function untilCancelled(work: Promise<void>, cancel: AbortSignal | undefined): Promise<void> {
  if (cancel === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = () => resolve();
    cancel.addEventListener("abort", stop, { once: true });
    if (cancel.aborted) stop();
    work.then(resolve, reject).finally(() => cancel.removeEventListener("abort", stop));
  });
}
