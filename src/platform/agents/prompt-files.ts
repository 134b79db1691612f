/**
 * The files that prompts read (peers/prompt-files.ts). A shell finds the file of a room by its path alone: the room at
 * `/w/proj` has the file `prompt/2/w/proj`. The number of parts of the path comes first, so that the file of one room is
 * never the directory of another.
 */
import { lutimesSync } from "node:fs";
import { prepareOwnFiles } from "../files/data-directory.ts";
import { pathIn } from "../files/path-in.ts";
import { assertOurs, readPrivateText, removePrivateFile, writePrivateText } from "../files/private-file.ts";
import { lookAt } from "../files/private-path.ts";
import { writeInPlace } from "../files/replace-file.ts";
import { storePathFault } from "../settings/store-path-fault.ts";

const PROMPT_DIRECTORY = "prompt";
/** Beside the numbers. */
const PERSON_FILE = "person";

/** For status lines that run a command. */
const SCRIPT_FILE = "line.sh";

/** `textOf`: our script, if it is to be written. */
export function preparePrompt(dataDir: string, textOf: ((directory: string) => string) | null) {
  const directory = pathIn(dataDir, PROMPT_DIRECTORY);
  const script = pathIn(directory, SCRIPT_FILE);
  if (textOf !== null) {
    prepareOwnFiles(dataDir, { uid: process.getuid?.() ?? -1 });
    writePrivateText(directory, script, textOf(directory));
  }
  return { directory, script };
}

/**
 * Every line is filled up with blanks to one length, so that one write replaces it whole. A new file for each line would
 * cost the next commit of the store as much again as the commit itself, because the disk is told of both.
 */
const RECORD_BYTES = 512;

function recordOf(words: string): string {
  const line = Buffer.alloc(RECORD_BYTES, " ");
  line.write(`${words} `);
  line.write("\n", RECORD_BYTES - 1);
  return line.toString();
}

function overwrite(path: string, text: string): void {
  try {
    writeInPlace(path, text, 0, (stats) => assertOurs(path, stats));
  } catch (error) {
    throw storePathFault(path, error);
  }
}

function setTime(path: string, wallMs: number): void {
  try {
    lutimesSync(path, wallMs / 1000, wallMs / 1000);
  } catch (error) {
    throw storePathFault(path, error);
  }
}

export function createPromptFiles(dataDir: string) {
  const root = pathIn(dataDir, PROMPT_DIRECTORY);
  const person = pathIn(root, PERSON_FILE);
  const keep = (path: string, words: string): boolean => {
    const before = readPrivateText(path);
    const text = recordOf(words);
    if (before === text) return false;
    if (before !== null && Buffer.byteLength(before) === RECORD_BYTES) overwrite(path, text);
    else writePrivateText(root, path, text);
    return true;
  };
  return {
    keepRoom(path: string, words: string | null): boolean {
      // It has no name for a file.
      if (path === "/") return false;
      const file = `${root}/${path.split("/").length - 1}${path}`;
      if (words !== null) return keep(file, words);
      if (readPrivateText(file) === null) return false;
      removePrivateFile(file);
      return true;
    },
    keepPerson: (words: string): boolean => keep(person, words),
    person: (): string => readPrivateText(person) ?? "",
    personComparedAt: (): number | null => lookAt(person)?.mtimeMs ?? null,
    confirmPerson: (wallMs: number): void => setTime(person, wallMs),
  };
}
