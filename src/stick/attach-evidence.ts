/**
 * After a hand-over: asks git about the tree as the turn left it, and attaches what it says to the handoff. The stick has
 * moved on by then, so no agent waits for git. The call that handed over ends only after this, because its process may
 * end with it. If that process ends before, only the evidence is lost.
 */
import { Fault } from "../core/fault.ts";
import type { CheckedOut, HandoffEvidence } from "../core/handoff.ts";
import type { RoomId } from "../core/ids.ts";
import { commit, lastKnown } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import { ownNames } from "../engine/evidence.ts";
import type { Call } from "../engine/operation.ts";
import type { AttachedHandoff, Room } from "../room/rules/room.ts";
import { type Caller, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import { OBSERVER } from "../session/rules/observer.ts";
import { markEndLate, recordEnd } from "./record-turn.ts";
import { attachEvidence, gitEvidence } from "./rules/handoff-evidence.ts";

/** What files tell at once of the tree that the holder leaves. Null where there is no repository, and for other callers. */
export async function checkedOutBy(deps: Deps, caller: Caller, roomId: RoomId): Promise<CheckedOut | null> {
  const isMine = (room: Room | undefined) => ownNames(caller).some((name) => name === room?.state.owner);
  // A caller that claimed in this process mostly holds the stick still; if not, this is not used.
  const known = lastKnown(deps, roomId)?.room;
  const room = isMine(known) ? known : (await deps.store.readRoom(roomId))?.room;
  return room && isMine(room) ? deps.workingTree.checkedOut(room.path) : null;
}

/** `ended`: the room as the hand-over left it. A fault goes to the trace: the stick has moved. */
export async function afterHandingOver(deps: Deps, ended: Room, call: Call): Promise<void> {
  const { handoff } = ended.state;
  const evidence = handoff?.handoff.evidence;
  if (!handoff || evidence?.pendingUntil === undefined) return;
  try {
    await untilCancelled(gatherAndAttach(deps, ended, handoff, evidence), call.cancel);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    deps.trace?.fault({ during: "the evidence of a handoff", message: error.message });
  }
}

async function gatherAndAttach(
  deps: Deps,
  ended: Room,
  handoff: AttachedHandoff,
  checkedOut: CheckedOut,
): Promise<void> {
  const { id: roomId, path, state } = ended;
  const { turnId, turnHead } = state;
  const since = deps.clock.now().instant;
  const [found, end] = await Promise.all([deps.workingTree.evidence(path, turnHead), recordEnd(deps, ended, since)]);
  const evidence: HandoffEvidence = { ...gitEvidence(checkedOut, found), ...end };
  const done = await commit(deps, OBSERVER, { roomId }, NO_EVIDENCE, (loaded, given) =>
    attachEvidence(loaded.room, given, { turnId, handoff, evidence }),
  );
  if (done?.decision.answer.isLate) await markEndLate(deps, ended);
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
