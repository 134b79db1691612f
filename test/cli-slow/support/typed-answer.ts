/** What every answer of the command line must be, whatever was typed. */
import { expect } from "vitest";
import { FAULT_CODES } from "../../../src/core/fault.ts";
import { REFUSAL_CODES } from "../../../src/core/refusal.ts";

export interface Answered {
  readonly words: readonly string[];
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const EXIT_CODES = [0, 2, 3, 4, 5, 6, 70, 130];
const ERRORS: readonly string[] = ["usage", ...REFUSAL_CODES, ...FAULT_CODES];
/** The longest that is repeated to the user is a path. */
const LONGEST_ERROR = 16_384;

/** On a terminal: the colour of errors, and lines about progress that are wiped away. */
const RED = ["\u001b[31m", "\u001b[0m"];
const ERASE_LINE = "\r\u001b[2K";

/** The first thing that is wrong with the answer, or null. */
export function problemWith({ words, code, stdout, stderr: shown }: Answered): string | null {
  const stderr = RED.reduce((text, mark) => text.replaceAll(mark, ""), shown.split(ERASE_LINE).at(-1) ?? "");
  if (code === null || !EXIT_CODES.includes(code)) return `exit ${code}`;
  if (stderr.includes("this is a bug")) return "called a bug";
  if (!words.includes("--debug") && /^\s+at .*[:(]\d+/m.test(stderr)) return "a stack trace";
  if ((code === 2 || code === 5) && stderr === "") return "refused without a word";
  // A caller that interrupts a command knows why it ended. It may be told what was not done.
  if (code === 130) return stderr.length > LONGEST_ERROR ? "an endless error" : null;
  if (code !== 0 && `${stdout}${stderr}` === "") return "failed without a word";
  // What is asked before an answer is no error.
  if (code === 0) return /^(tt: |\{)/.test(stderr) ? "an error with exit 0" : null;
  if (stderr.length > LONGEST_ERROR && !words.includes("--debug")) return "an endless error";
  return stderr === "" || words.includes("--debug") ? null : problemWithError(stderr);
}

function problemWithError(stderr: string): string | null {
  if (!stderr.startsWith("{")) return /^tt: \S[^]*\n {4}\S/.test(stderr) ? null : "no message with a next step";
  const { error, message, next } = JSON.parse(stderr) as Record<string, unknown>;
  if (!ERRORS.includes(error as string)) return `an unknown error ${String(error)}`;
  return typeof message === "string" && message !== "" && typeof next === "string" && next !== ""
    ? null
    : "half an error";
}

export function expectTyped(answered: Answered, more: object): void {
  const problem = problemWith(answered);
  expect(problem === null ? null : { problem, ...answered, ...more }).toBeNull();
}
