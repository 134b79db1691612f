/** What a new holder is told besides the handoff, because we looked: what changed since then, and what is missing. */
import type { RoomEvent } from "../core/event.ts";
import type { RoomId } from "../core/ids.ts";
import { lastKnown } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import { newestEvents } from "../engine/newest-events.ts";
import type { Drift, YourTurn } from "./rules/answers.ts";

/** Mostly the grant is the last event, or the one before what differs. To read many events takes time. */
const SINCE_GRANT = 4;

export async function grantedFacts(
  deps: Deps,
  roomId: RoomId,
  { turnId, handoff, reason }: YourTurn,
): Promise<Pick<YourTurn, "drift" | "missingArtifacts">> {
  const room = lastKnown(deps, roomId)?.room;
  if (!room || !handoff || reason === "already_owner") return {};
  const missing = deps.workingTree.missing(
    room.path,
    (handoff.artifacts ?? []).map(({ path }) => path),
  );
  const isDrift = (event: RoomEvent) =>
    event.type === "foreign_write" && event.turnId === turnId && event.payload.evidence === "comparison";
  // The evidence of the turn before may stand behind events of this one.
  const isOlder = (event: RoomEvent) => event.turnId < turnId && event.type !== "evidence_attached";
  // Only with the tree at the end of the turn before. It may be there already if its evidence is still pending.
  const { tree, pendingUntil } = handoff.evidence ?? {};
  const isComparable = tree !== undefined || pendingUntil !== undefined;
  const few = isComparable ? await deps.store.readEventsBefore(room.id, room.state.lastSeq + 1, SINCE_GRANT) : [];
  const isAll = few.length === 0 || few.some(isOlder);
  const [found] = isAll ? few.filter(isDrift) : await newestEvents(deps.store, room, 1, isDrift, isOlder);
  const drift: Drift | null =
    found?.type === "foreign_write" ? { paths: found.payload.paths, more: found.payload.more } : null;
  return { ...(drift && { drift }), ...(missing.length > 0 && { missingArtifacts: missing }) };
}
