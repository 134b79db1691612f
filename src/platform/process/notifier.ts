/**
 * Shows notices to the person at this machine: with the desktop's own program, or with a command of the user. The child
 * is detached and nobody waits for it. Text of others goes to it as arguments or as its input, never through a shell.
 */
import { closeSync, constants, ftruncateSync, lstatSync, openSync, renameSync, writeSync } from "node:fs";
import { fileNameFor } from "../../core/file-name.ts";
import { withSnakeKeys } from "../../core/letter-case.ts";
import { jsonText } from "../../core/visible.ts";
import { isOldSlot, type Notice, type NoticeWords, noticeWords, slotsAt, TRIAL } from "../../peers/rules/notices.ts";
import { createRandomness } from "../clock/randomness.ts";
import { isThere, listNames } from "../files/list-names.ts";
import { pathIn } from "../files/path-in.ts";
import { ensurePrivateDirectory } from "../files/private-path.ts";
import { removeQuietly, writeInPlace, writeNew } from "../files/replace-file.ts";
import { errorCode } from "../files/system-error.ts";
import type { NotifyChoice } from "../settings/config.ts";
import type { Environment } from "../settings/environment.ts";
import { storePathFault } from "../settings/store-path-fault.ts";
import { safePath } from "./find-program.ts";
import { NOTIFY_SEND, notifierProgram, OSASCRIPT } from "./notifier-program.ts";
import { runChild } from "./run-briefly.ts";

interface NotifierOptions {
  readonly dataDir: string;
  readonly env: Environment;
  readonly choice: NotifyChoice;
}

interface Child {
  /** An absolute path. */
  readonly program: string;
  readonly args: (leftOut: number) => readonly string[];
  /** What it reads; null: nothing. */
  readonly input: ((leftOut: number) => string) | null;
}

/** Tries what the user chose, and waits for its end. Null if all went well. */
export async function tryNotifier({ env, choice }: Omit<NotifierOptions, "dataDir">): Promise<string | null> {
  const child = childFor(choice, env, TRIAL);
  if (typeof child === "string") return child;
  const { program, args, input } = child;
  const run = {
    program,
    args: args(0),
    cwd: "/",
    env: smallEnvironment(env, null),
    timeoutMs: TRIAL_MS,
    maxBytes: 0,
    errorBytes: 500,
  };
  const { answer } = runChild({ ...run, ...(input !== null && { input: Buffer.from(input(0)) }) });
  const ended = await answer;
  if (ended.ended === "exit" && ended.code === 0) return null;
  if (ended.ended === "exit") return `${program} ended with ${ended.code}: ${ended.errors.trim() || "it said nothing"}`;
  return ended.ended === "missing"
    ? `${program} cannot be started`
    : `${program} did not end within ${TRIAL_MS / 1000} s`;
}

const TRIAL_MS = 10_000;

/** Shows a notice, unless another process has shown it, or too many were shown. Null if nothing went wrong. */
export function showNotice({ dataDir, env, choice }: NotifierOptions, notice: Notice, wallMs: number): string | null {
  const directory = pathIn(dataDir, "notices");
  ensurePrivateDirectory(directory);
  const once = notice.onceFor === null ? null : pathIn(directory, fileNameFor(ONCE, notice.onceFor));
  if (once !== null && isThere(once)) return null;
  // Another process may be able to show what this one cannot. So all is at hand before the notice is claimed.
  const child = childFor(choice, env, notice);
  if (typeof child === "string") return child;
  const stdin = child.input && inputFile(directory, child.input(Number.MAX_SAFE_INTEGER));
  try {
    if (once !== null && !isFirst(once)) return null;
    const slot = slotsAt(wallMs).findIndex((name) => isFirst(pathIn(directory, name)));
    if (slot < 0) return leaveOut(directory);
    if (slot === 0) tidy(directory, wallMs);
    const leftOut = takeLeftOut(directory);
    if (stdin !== null) writeWhole(stdin, child.input?.(leftOut) ?? "");
    return start(child.program, child.args(leftOut), stdin, smallEnvironment(env, notice.path));
  } finally {
    if (stdin !== null) closeSync(stdin);
  }
}

const ONCE = "once";
const LEFT_OUT = "left-out";
/** A turn that lasts for longer than this may be told of again. */
const REMEMBERED_MS = 30 * 24 * 3_600_000;

/** Whether this process creates the file: only one can. */
function isFirst(path: string): boolean {
  try {
    writeNew(path, [], 0o600);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw storePathFault(path, error);
  }
}

/** Counts by the length of a file: one byte for each notice. */
function leaveOut(directory: string): null {
  const path = pathIn(directory, LEFT_OUT);
  try {
    writeInPlace(path, ".", constants.O_APPEND);
  } catch (error) {
    throw storePathFault(path, error);
  }
  return null;
}

/**
 * How many were left out. By its new name the file is ours, and the next count begins at once. A process that had the
 * file open just then is not counted.
 */
function takeLeftOut(directory: string): number {
  const own = pathIn(directory, `${LEFT_OUT}.${createRandomness().id()}`);
  try {
    renameSync(pathIn(directory, LEFT_OUT), own);
    return lstatSync(own).size;
  } catch {
    // Nothing was left out.
    return 0;
  } finally {
    removeQuietly(own);
  }
}

/** Once in a minute with a notice. */
function tidy(directory: string, wallMs: number): void {
  for (const name of listNames(directory)) {
    const path = pathIn(directory, name);
    const isForgotten = name.startsWith(`${ONCE}.`) && ageMs(path, wallMs) > REMEMBERED_MS;
    if (isForgotten || isOldSlot(name, wallMs)) removeQuietly(path);
  }
}

function ageMs(path: string, wallMs: number): number {
  return wallMs - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? wallMs);
}

/** The texts are its arguments, so none of them is read as a script. */
const SCRIPT = ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"];

/** A text if there is no such program. */
function childFor(choice: NotifyChoice, env: Environment, notice: Notice): Child | string {
  const program = notifierProgram(choice, env, notice.path);
  if (choice.kind === "command") {
    const [name = "", ...args] = choice.words;
    if (program === null) return `${name} cannot be run`;
    return { program, args: () => args, input: (leftOut) => eventText(notice, leftOut) };
  }
  if (program === null) return `neither ${NOTIFY_SEND} nor ${OSASCRIPT} was found on PATH`;
  const argsOf = program.endsWith(OSASCRIPT) ? scriptArgs : sendArgs;
  return { program, args: (leftOut) => argsOf(noticeWords(notice, leftOut)), input: null };
}

function scriptArgs({ title, body }: NoticeWords): readonly string[] {
  return [...SCRIPT.flatMap((line) => ["-e", line]), title, body];
}

function sendArgs({ title, body }: NoticeWords): readonly string[] {
  return ["--app-name=tt", "--", withoutEscapes(title), markupOf(withoutEscapes(body))];
}

/** What the command of the user reads. */
function eventText(notice: Notice, leftOut: number): string {
  const { kind, roomId, path, agent, text } = notice;
  const words = noticeWords(notice, leftOut);
  return `${jsonText(withSnakeKeys({ kind, roomId, path, agent, text, ...words, leftOut }))}\n`;
}

/** The desktop reads markup in the body. */
function markupOf(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** notify-send reads escapes such as \n itself. This sign looks like a backslash and is none. */
function withoutEscapes(text: string): string {
  return text.replaceAll("\\", "\u2216");
}

const KEPT_VARIABLES = [
  "HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "LC_ALL",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
  "XDG_RUNTIME_DIR",
  "DBUS_SESSION_BUS_ADDRESS",
] as const;

/** What a program needs to find the desktop, and nothing of an agent's environment or of the room's working tree. */
function smallEnvironment(env: Environment, room: string | null): Record<string, string> {
  const kept = KEPT_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  // Some harnesses strip the environment of what they start. The bus is usually here.
  const usual = `/run/user/${process.getuid?.() ?? ""}`;
  const runtime = env["XDG_RUNTIME_DIR"] === undefined && isThere(usual) ? { XDG_RUNTIME_DIR: usual } : {};
  return { ...runtime, ...Object.fromEntries(kept), PATH: safePath(env, room).join(":") };
}

function start(
  program: string,
  args: readonly string[],
  stdin: number | null,
  env: Record<string, string>,
): string | null {
  try {
    const { spawn } = process.getBuiltinModule("node:child_process");
    const stdio = [stdin ?? "ignore", "ignore", "ignore"] as const;
    spawn(program, [...args], { cwd: "/", env, detached: true, stdio: [...stdio] })
      // The program was there a moment ago, and nobody waits to hear how it ends.
      .on("error", () => undefined)
      .unref();
    return null;
  } catch (error) {
    return `${program} cannot be started: ${errorCode(error)}`;
  }
}

/**
 * A file without a name, because this process may end before the child reads a pipe. `text`: the longest that it may
 * get, so that the disk has room for the one that it gets.
 */
function inputFile(directory: string, text: string): number {
  const path = pathIn(directory, `input.${createRandomness().id()}`);
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  let file: number | null = null;
  try {
    file = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    removeQuietly(path);
    writeWhole(file, text);
    return file;
  } catch (error) {
    if (file !== null) closeSync(file);
    throw storePathFault(path, error);
  }
}

/** Written by position, so that the child begins to read at the beginning. */
function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, undefined, at);
  ftruncateSync(file, bytes.length);
}
