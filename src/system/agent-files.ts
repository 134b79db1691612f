/**
 * What a command-line caller remembers between two commands: the turn and lease it was granted, and how far it
 * has listened. The lease is a secret, so the files are its user's alone. All of it can be lost without harm: a
 * look at the turn gives a holder its lease back.
 */

import { fileNameFor } from "../domain/file-name.ts";
import { type AgentId, asLeaseId, isId, type RoomId } from "../domain/ids.ts";
import type { AgentMemory, Rememberer } from "../ports/agent-memory.ts";
import { pathIn } from "./path-in.ts";
import { readPrivateJson, removePrivateFile, writePrivateJson } from "./private-file.ts";

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

  return {
    recallTurn(who, roomId) {
      const { turn_id: turnId, lease_id: leaseId } = recall("turn", who, roomId);
      return isSeq(turnId) && isId(leaseId) ? { turnId, leaseId: asLeaseId(leaseId) } : null;
    },
    rememberTurn(who, roomId, { turnId, leaseId }) {
      // A holder that looks again is told the same again, and to read is quicker than to replace.
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
  };
}

function namesOf({ agentId, formerId }: Rememberer): readonly AgentId[] {
  return formerId ? [agentId, formerId] : [agentId];
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
