/**
 * What a command-line caller remembers between two commands: the turn and lease it was granted, and how far it
 * has listened. The lease is a secret, so the files are its user's alone. All of it can be lost without harm: a
 * look at the turn gives a holder its lease back.
 */

import { fileNameFor } from "../../core/file-name.ts";
import { type AgentId, asEventId, asLeaseId, asRoomId, isId, type RoomId } from "../../core/ids.ts";
import { withCamelKeys, withSnakeKeys } from "../../core/letter-case.ts";
import type { AgentMemory, Rememberer } from "../../engine/ports/agent-memory.ts";
import type { ToldLoss } from "../../hooks/rules/told-loss.ts";
import { pathIn } from "../files/path-in.ts";
import { readPrivateJson, removePrivateFile, writePrivateJson } from "../files/private-file.ts";

/** One file for each agent, not for each of its rooms. */
export const LOSSES_KIND = "losses";

export function openAgentFiles(dataDir: string): AgentMemory {
  const root = pathIn(dataDir, "agents");
  // Ids have no blanks, so one between them keeps every pair apart.
  const pathOf = (kind: string, agentId: AgentId, roomId: RoomId) =>
    pathIn(root, fileNameFor(kind, `${agentId} ${roomId}`));

  const recall = (kind: string, who: Rememberer, roomId: RoomId): Record<string, unknown> => {
    for (const agentId of namesOf(who)) {
      const document = readPrivateJson(pathOf(kind, agentId, roomId));
      if (typeof document === "object" && document !== null) return document as Record<string, unknown>;
    }
    return {};
  };

  const pathOfLosses = (agentId: AgentId) => pathIn(root, fileNameFor(LOSSES_KIND, agentId));

  return {
    recallTurn(who, roomId) {
      const { turn_id: turnId, lease_id: leaseId } = recall("turn", who, roomId);
      return isSeq(turnId) && isId(leaseId) ? { turnId, leaseId: asLeaseId(leaseId) } : null;
    },
    rememberTurn(who, roomId, { turnId, leaseId }) {
      // A holder that looks again gets the same turn, and reading is quicker than replacing.
      const known = this.recallTurn({ ...who, formerId: null }, roomId);
      if (known?.turnId === turnId && known.leaseId === leaseId) return;
      writePrivateJson(root, pathOf("turn", who.agentId, roomId), { turn_id: turnId, lease_id: leaseId });
    },
    forgetTurn(who, roomId) {
      for (const agentId of namesOf(who)) removePrivateFile(pathOf("turn", agentId, roomId));
    },
    recallReminder(who, roomId) {
      const { turn_id: turnId } = recall("reminder", who, roomId);
      return isSeq(turnId) ? turnId : null;
    },
    rememberReminder(who, roomId, turnId) {
      writePrivateJson(root, pathOf("reminder", who.agentId, roomId), { turn_id: turnId });
    },
    recallCursor(who, roomId) {
      const { cursor_event_seq: seq } = recall("cursor", who, roomId);
      return isSeq(seq) ? seq : null;
    },
    rememberCursor(who, roomId, seq) {
      writePrivateJson(root, pathOf("cursor", who.agentId, roomId), { cursor_event_seq: seq });
    },
    recallLosses(who) {
      // The memory of its own name overrides that of a former one.
      const documents = namesOf(who)
        .toReversed()
        .map((agentId) => readPrivateJson(pathOfLosses(agentId)));
      return new Map(documents.flatMap(lossesIn));
    },
    rememberLosses(who, losses) {
      const document = withSnakeKeys({ losses: [...losses].map(([roomId, loss]) => ({ roomId, ...loss })) });
      try {
        writePrivateJson(root, pathOfLosses(who.agentId), document as object);
      } catch {
        // The agent is told again.
      }
    },
  };
}

const LOSS_STATES: readonly unknown[] = ["shown", "returned", "told"] satisfies ToldLoss["state"][];

function lossesIn(document: unknown): readonly (readonly [RoomId, ToldLoss])[] {
  const entries: unknown = typeof document === "object" && document !== null && "losses" in document && document.losses;
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown) => {
    const { roomId, eventSeq, eventId, state, turn, times } = Object(withCamelKeys(entry));
    const isWhole = isId(roomId) && isSeq(eventSeq) && isId(eventId) && LOSS_STATES.includes(state) && isSeq(times);
    if (!isWhole) return [];
    const told = { eventSeq, eventId: asEventId(eventId), state, turn: typeof turn === "string" ? turn : null, times };
    return [[asRoomId(roomId), told] as const];
  });
}

function namesOf({ agentId, formerId }: Rememberer): readonly AgentId[] {
  return formerId ? [agentId, formerId] : [agentId];
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
