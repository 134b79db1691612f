/** Subagents at work, a character for each beginning and each end: hooks that run at once never overwrite each other. */

import { constants } from "node:fs";
import { fileNameFor } from "../../core/file-name.ts";
import type { SubagentMarks } from "../../engine/ports/subagent-marks.ts";
import { pathIn } from "../files/path-in.ts";
import { assertOurs, readPrivateText, removePrivateFile } from "../files/private-file.ts";
import { writeInPlace } from "../files/replace-file.ts";
import { storePathFault } from "../settings/store-path-fault.ts";

const [BEGINNING, END] = ["+", "-"];
const [AT_WORK, USE] = ["subagents", "subagent-use"];
export const SUBAGENT_KINDS = [AT_WORK, USE];

export function createSubagentMarks(dataDir: string): SubagentMarks {
  const pathOf = (sessionId: string) => pathIn(dataDir, `agents/${fileNameFor(AT_WORK, sessionId)}`);
  const useOf = (toolUse: string) => pathIn(dataDir, `agents/${fileNameFor(USE, toolUse)}`);
  return {
    began: (sessionId) => append(pathOf(sessionId), BEGINNING),
    ended: (sessionId) => append(pathOf(sessionId), END),
    areAtWork(sessionId) {
      const marks = readPrivateText(pathOf(sessionId)) ?? "";
      return count(marks, BEGINNING) > count(marks, END);
    },
    forget: (sessionId) => removePrivateFile(pathOf(sessionId)),
    uses: (toolUse) => append(useOf(toolUse), BEGINNING),
    wasUse(toolUse) {
      if (readPrivateText(useOf(toolUse)) === null) return false;
      removePrivateFile(useOf(toolUse));
      return true;
    },
  };
}

function append(path: string, mark: string): void {
  try {
    writeInPlace(path, mark, constants.O_APPEND, (stats) => assertOurs(path, stats));
  } catch (error) {
    throw storePathFault(path, error);
  }
}

function count(marks: string, mark: string): number {
  return marks.split(mark).length - 1;
}
