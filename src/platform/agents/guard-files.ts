/** The guard's files (engine/ports/guard-files.ts). Each is ours alone, and a planted link is not followed. */

import { constants } from "node:fs";
import { isSessionId } from "../../core/harness.ts";
import { asRoomId, isId } from "../../core/ids.ts";
import { elapsedMs, type Instant } from "../../core/time.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { GuardedTurn, GuardFiles } from "../../engine/ports/guard-files.ts";
import { readTextOrNull } from "../files/bounded-read.ts";
import { sha256Hex } from "../files/digest.ts";
import { listNames } from "../files/list-names.ts";
import { pathIn } from "../files/path-in.ts";
import { ensurePrivateDirectory } from "../files/private-path.ts";
import { removeQuietly, replaceFile, writeInPlace } from "../files/replace-file.ts";
import { errorCode } from "../files/system-error.ts";
import { storePathFault } from "../settings/store-path-fault.ts";

const [ON, PASS, OVER] = ["guard/on", "guard/pass", "guard/over"];
const MAX_BYTES = 8192;
/** A pass is renewed after this time, so that an old one is worth nothing. */
const PASS_MS = 1_800_000;
/** No pass of a turn is valid for so long after its end, because the store was read before that. */
const MARK_MS = 2 * PASS_MS;
/** So many turns of a room keep their marks in any case. */
const MARKED_TURNS = 1000;
/** Old marks are looked for when so many turns are over. */
const TIDY_EVERY = 100;

export function createGuardFiles(dataDir: string, clock: Clock): GuardFiles {
  const at = (directory: string, name: string) => pathIn(dataDir, `${directory}/${name}`);
  const removeOldMarks = ({ roomId, turnId }: GuardedTurn, now: Instant) => {
    for (const name of listNames(pathIn(dataDir, OVER))) {
      const [room, turn] = name.split(".");
      if (room === roomId && Number(turn) <= turnId - MARKED_TURNS) removeOldMark(at(OVER, name), now);
    }
  };

  // The directory of the marks comes first: a hook that finds a switch finds it, too.
  const makeDirectories = () => {
    for (const name of ["guard", OVER, PASS, ON]) ensurePrivateDirectory(pathIn(dataDir, name));
  };

  return {
    switchOn({ roomId, path }) {
      makeDirectories();
      const file = at(ON, roomId);
      try {
        if (readTextOrNull(file, MAX_BYTES, { followLinks: false }) !== path) replaceFile(file, path, 0o600);
      } catch (error) {
        throw storePathFault(file, error);
      }
    },
    switchOff: (roomId) => void removeQuietly(at(ON, roomId)),
    guardedRooms: () =>
      listNames(pathIn(dataDir, ON)).flatMap((name) => {
        // A file that a killed process left beside a switch has a dot in its name.
        const path =
          isId(name) && !name.includes(".") ? readTextOrNull(at(ON, name), MAX_BYTES, { followLinks: false }) : null;
        return path === null ? [] : [{ roomId: asRoomId(name), path }];
      }),
    markOver(turn, isGuarded) {
      const { instant } = clock.now();
      const mark = at(OVER, `${turn.roomId}.${wordFor(turn)}`);
      try {
        if (isGuarded) makeDirectories();
        writeInPlace(mark, `${instant.ms} ${instant.epoch}\n`, constants.O_TRUNC);
      } catch (error) {
        if (!isGuarded && errorCode(error) === "ENOENT") return;
        throw storePathFault(mark, error);
      }
      if (turn.turnId > MARKED_TURNS && turn.turnId % TIDY_EVERY === 0) removeOldMarks(turn, instant);
    },
    givePass(sessionId, { readAt, until, ...turn }) {
      if (!isSessionId(sessionId) || until.epoch !== readAt.epoch) return;
      const seconds = Math.floor(Math.min(until.ms, readAt.ms + PASS_MS) / 1000);
      try {
        replaceFile(at(PASS, sessionId), `${turn.roomId} ${wordFor(turn)} ${seconds} ${readAt.epoch}\n`, 0o600);
      } catch {
        // The disk is full, for example. The holder's next tool asks the store again.
      }
    },
  };
}

/** A turn and its holder in one word, which the shell compares. */
function wordFor({ turnId, holder }: GuardedTurn): string {
  return `${turnId}.${sha256Hex(holder).slice(0, 16)}`;
}

function removeOldMark(path: string, now: Instant): void {
  const text = readTextOrNull(path, MAX_BYTES, { followLinks: false });
  if (text === null) return;
  const [ms = "", epoch = ""] = text.trimEnd().split(" ");
  if (elapsedMs({ ms: Number(ms), epoch }, now) > MARK_MS) removeQuietly(path);
}
