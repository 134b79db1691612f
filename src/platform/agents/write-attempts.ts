/** Attempts as files, `guard/attempts/<room>.<id>`, so that hooks that run at once never overwrite each other. */
import { lstatSync } from "node:fs";
import { asAgentId, asRoomId, isId, type RoomId } from "../../core/ids.ts";
import type { WriteAttemptRecord, WriteAttempts } from "../../engine/ports/write-attempts.ts";
import { createRandomness } from "../clock/randomness.ts";
import { sha256Hex } from "../files/digest.ts";
import { listNames } from "../files/list-names.ts";
import { pathIn } from "../files/path-in.ts";
import { readPrivateJson, writePrivateJson } from "../files/private-file.ts";
import { removeQuietly } from "../files/replace-file.ts";

const DIRECTORY = "guard/attempts";
/** `<room>.<digest of the agent>`: when the agent last ran such a command. */
const COMMANDS = "guard/commands";
/** A tool that took longer has been forgotten by its harness. */
const LONGEST_MS = 3_600_000;
/** More attempts of one room are not noticed. */
const MOST = 200;

interface Stored extends WriteAttemptRecord {
  /** How each path looked. */
  readonly looks: readonly string[];
  readonly atMs: number;
}

export function createWriteAttempts(dataDir: string): WriteAttempts {
  const root = pathIn(dataDir, DIRECTORY);
  const namesOf = (roomId: RoomId) => listNames(root).filter((name) => name.startsWith(`${roomId}.`));
  const fileOf = (name: string) => pathIn(root, name);
  const commands = pathIn(dataDir, COMMANDS);
  return {
    note(attempt) {
      if (namesOf(attempt.roomId).length >= MOST) return;
      const stored: Stored = { ...attempt, looks: attempt.paths.map(lookOf), atMs: Date.now() };
      try {
        writePrivateJson(pathIn(dataDir, "guard"), fileOf(`${attempt.roomId}.${createRandomness().id()}`), stored);
      } catch {
        // The disk is full, for example. The comparison at the next grant may still find the change.
      }
    },
    settle(roomId, endedFor) {
      return namesOf(roomId).flatMap((name) => {
        const stored = read(fileOf(name));
        const written = stored?.paths.filter((path, index) => lookOf(path) !== stored.looks[index]) ?? [];
        const isOver = !stored || stored.agentId === endedFor || Date.now() - stored.atMs > LONGEST_MS;
        // Only the process that removes the file tells of it.
        const isOurs = (written.length > 0 || isOver) && removeQuietly(fileOf(name));
        return stored && isOurs && written.length > 0 ? [{ ...stored, paths: written }] : [];
      });
    },
    noteCommand(roomId, agentId) {
      const document = { roomId, agentId, atMs: Date.now() };
      const file = pathIn(commands, `${roomId}.${sha256Hex(agentId).slice(0, 16)}`);
      try {
        writePrivateJson(pathIn(dataDir, "guard"), file, document);
      } catch {
        // The agent is then not named beside a change that nobody saw.
      }
    },
    commandsSince(roomId, sinceMs) {
      const names = listNames(commands).filter((name) => name.startsWith(`${roomId}.`));
      return names.flatMap((name) => {
        const { agentId, atMs } = Object(documentIn(pathIn(commands, name))) as Record<"agentId" | "atMs", unknown>;
        return isId(agentId) && Number(atMs) >= sinceMs ? [asAgentId(agentId)] : [];
      });
    },
    roomsOf(agentId) {
      const stored = listNames(root).flatMap((name) => read(fileOf(name)) ?? []);
      return [...new Set(stored.filter((each) => each.agentId === agentId).map(({ roomId }) => roomId))];
    },
  };
}

function read(file: string): Stored | null {
  const document = documentIn(file) as Readonly<Record<keyof Stored, unknown>> | null;
  if (document === null || typeof document !== "object") return null;
  const { roomId, agentId, tool, duringTurn, paths, looks, atMs } = document;
  const isWhole = isId(roomId) && isId(agentId) && typeof tool === "string" && typeof atMs === "number";
  if (!isWhole || !isTexts(paths) || !isTexts(looks)) return null;
  const turn = Number.isSafeInteger(duringTurn) && Number(duringTurn) > 0 ? Number(duringTurn) : null;
  return {
    roomId: asRoomId(roomId),
    agentId: asAgentId(agentId),
    tool,
    duringTurn: turn,
    paths,
    looks,
    atMs,
  };
}

function documentIn(file: string): unknown {
  try {
    return readPrivateJson(file);
  } catch {
    // Not ours: it is removed with the next look.
    return null;
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Differs whenever the file was written, replaced, created or removed. */
function lookOf(path: string): string {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stats ? `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}` : "none";
  } catch {
    // A path that cannot be looked at looks the same the next time.
    return "unknown";
  }
}
