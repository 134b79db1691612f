/** Removes what agents that are gone left in the data directory. A file that cannot be removed only takes up space. */
import { lstatSync } from "node:fs";
import { fileNameFor } from "../../core/file-name.ts";
import type { AgentTraces } from "../../engine/ports/agent-traces.ts";
import type { ProcessProbe } from "../../engine/ports/process-probe.ts";
import type { StoredNames } from "../../engine/ports/prune-store.ts";
import { listNames } from "../files/list-names.ts";
import { pathIn } from "../files/path-in.ts";
import { removeQuietly } from "../files/replace-file.ts";
import { recordsIn } from "../process/process-records.ts";
import { ADVICE_KIND } from "./advice-files.ts";
import { LOSSES_KIND } from "./agent-files.ts";
import { MARKS, PERMITS, permitName, TOLD } from "./quiet-files.ts";
import { RETIRED_KIND } from "./retired-sessions.ts";
import { SUBAGENT_KINDS } from "./subagent-marks.ts";

/** What the files of a member's memory are called; see agent-files.ts. */
const MEMORY_KINDS = ["turn", "reminder", "cursor"] as const;
const PROCESS_KINDS = ["card", "claim"] as const;
/** Of the guard, what is worth nothing after an hour. */
const GUARD_LOGS = ["guard/over", "guard/attempts", "guard/commands"];
/** What nothing in the store keeps: only its age counts. */
const AGEING_KINDS = [RETIRED_KIND, ...SUBAGENT_KINDS] as const;

export function createAgentTraces(dataDir: string, probe: ProcessProbe): AgentTraces {
  return {
    removeOld(known, sinceWallMs) {
      const removeIfOld = (path: string) => isOlder(path, sinceWallMs) && removeQuietly(path);
      const inDirectory = (name: string, isOurs: (file: string) => boolean): number => {
        const directory = pathIn(dataDir, name);
        const left = listNames(directory).filter(isOurs);
        return left.filter((file) => removeIfOld(pathIn(directory, file))).length;
      };
      const kept = keptNames(known);
      const isUnknownSession = (file: string) => !kept.sessionIds.has(file);
      return (
        inDirectory("bell", (file) => file.startsWith("agent.") && !kept.bells.has(file)) +
        inDirectory("activity", isUnknownSession) +
        inDirectory("flags", isUnknownSession) +
        inDirectory("agents", (file) => isOfMember(file) && !kept.memories.has(file)) +
        inDirectory("agents", (file) => file.startsWith(`${LOSSES_KIND}.`) && !kept.losses.has(file)) +
        inDirectory("agents", (file) => file.startsWith(`${ADVICE_KIND}.`) && !kept.advice.has(file)) +
        inDirectory("guard/pass", isUnknownSession) +
        inDirectory(MARKS, isUnknownSession) +
        inDirectory(TOLD, isUnknownSession) +
        inDirectory(PERMITS, (file) => !kept.permits.has(file)) +
        // A switch comes back with the next change in its room.
        inDirectory("guard/on", (file) => !kept.rooms.has(file)) +
        GUARD_LOGS.map((name) => inDirectory(name, () => true)).reduce((sum, count) => sum + count, 0) +
        inDirectory("agents", (file) => AGEING_KINDS.some((kind) => file.startsWith(`${kind}.`))) +
        removeProcessRecords(dataDir, probe, removeIfOld)
      );
    },
  };
}

function isOfMember(file: string): boolean {
  return MEMORY_KINDS.some((kind) => file.startsWith(`${kind}.`));
}

function keptNames({ agents, sessionIds, members }: StoredNames) {
  const memories = members.flatMap(({ agentId, roomId }) =>
    MEMORY_KINDS.map((kind) => fileNameFor(kind, `${agentId} ${roomId}`)),
  );
  return {
    bells: new Set(agents.map((agentId) => fileNameFor("agent", agentId))),
    permits: new Set(agents.map(permitName)),
    losses: new Set(agents.map((agentId) => fileNameFor(LOSSES_KIND, agentId))),
    advice: new Set(agents.map((agentId) => fileNameFor(ADVICE_KIND, agentId))),
    rooms: new Set<string>(members.map(({ roomId }) => roomId)),
    sessionIds: new Set(sessionIds),
    memories: new Set(memories),
  };
}

function removeProcessRecords(dataDir: string, probe: ProcessProbe, removeIfOld: (path: string) => boolean): number {
  return recordsIn(dataDir, PROCESS_KINDS).filter(({ path, process }) => {
    const verdict = probe.verdict(process);
    if (verdict === "alive") return false;
    return verdict === "gone" ? removeQuietly(path) : removeIfOld(path);
  }).length;
}

/** A directory is not removed: it holds the rest of a long name. */
function isOlder(path: string, sinceWallMs: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && stats.isFile() && stats.mtimeMs < sinceWallMs;
}
