/**
 * Writes the hooks of a plan (plan-git-layer.ts) into a repository, and removes them. Every file is replaced whole, a
 * link is not followed, and what was there is put back byte for byte. What is written is recorded before, outside of the
 * repository, so that it can be removed after a crash. Without a record, our texts are recognised by their content.
 */
import { closeSync, linkSync, lstatSync, openSync, renameSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRefusal, type Refusal, refuse } from "../../core/refusal.ts";
import type { GitLayer, GitLayerPlan, GitLayerWrite } from "../../engine/ports/git-layer.ts";
import { isDocument } from "../../install/rules/entry.ts";
import { readFileOrNull, readTextOrNull } from "../files/bounded-read.ts";
import { openInstallRecords } from "../files/install-records.ts";
import { isThere } from "../files/list-names.ts";
import { makeDirectories, missingAbove, removeDirectories } from "../files/made-directories.ts";
import { removeQuietly, replaceFile } from "../files/replace-file.ts";
import { errorCode } from "../files/system-error.ts";
import { isOurHookFile, withHookLine, withoutConfigSections, withoutHookLines } from "./git-layer-text.ts";
import { bytesOf, CONFIG_BYTES, type GitLayerWorld, planGitLayer, versionOfGit } from "./plan-git-layer.ts";

export interface GitLayerOptions extends GitLayerWorld {
  /** The text of our script. */
  readonly script: string;
  /** Where the records are kept: found from HOME alone, and never in the data directory. */
  readonly stateDirectory: string;
}

interface FileRecord {
  readonly path: string;
  readonly action: Exclude<GitLayerWrite["action"], "keep" | "replace">;
  /** The bytes that were added, for `add`. */
  readonly added: string;
  readonly movedTo: string | null;
}

interface RepositoryRecord {
  readonly repository: string;
  readonly place: GitLayerPlan["place"];
  readonly files: readonly FileRecord[];
  /** Directories that were made, the outermost first. */
  readonly directories: readonly string[];
}

/** By repository; each working tree has a directory of husky's of its own. */
type LayerRecords = Readonly<Record<string, RepositoryRecord>>;

const RECORD_BYTES = 16 * 1_048_576;

/** The records, and what they say how to undo. Without any, our script goes, too. */
function openLayerRecords({ stateDirectory, program }: GitLayerOptions) {
  const recordFile = join(stateDirectory, "git-layer.json");
  const read = () => recordsIn(readTextOrNull(recordFile, RECORD_BYTES, { followLinks: false }));
  const write = (records: LayerRecords) => {
    if (Object.keys(records).length > 0)
      replaceFile(recordFile, `${JSON.stringify(records, null, 2)}\n`, 0o600, { durable: true });
    else {
      for (const path of [recordFile, program]) removeQuietly(path);
      removeDirectories([dirname(program)]);
    }
  };
  const takeOut = (key: string) => {
    const { [key]: record, ...others } = read();
    const changed = (record?.files ?? []).flatMap((file) => (putBack(file) ? [file.path] : []));
    removeDirectories([...movedDirectories(record?.files ?? []), ...(record?.directories ?? [])]);
    write(others);
    return changed;
  };
  const ofRepository = (repository: string) =>
    Object.entries(read()).filter(([, each]) => each.repository === repository);
  return { read, write, takeOut, ofRepository };
}

export function openGitLayer(options: GitLayerOptions): GitLayer {
  const { stateDirectory, program, script } = options;
  const { alone } = openInstallRecords(stateDirectory);
  const { read, write, takeOut, ofRepository } = openLayerRecords(options);
  /** What the plan would write in another way now. */
  const takeOutOld = ({ repository, place, writes }: GitLayerPlan) => {
    if (repository === null || place === null) return;
    for (const [key, record] of ofRepository(repository)) {
      // Git was updated, or its hooks have moved to another directory.
      if (record.place !== place) takeOut(key);
      const added = writes.filter(({ action }) => action === "add").map(({ path }) => path);
      for (const file of record.files) if (added.includes(file.path)) putBack(file);
    }
  };
  const carryOut = (plan: GitLayerPlan): GitLayerPlan | Refusal => {
    const { repository, place, writes } = plan;
    if (repository === null || place === null) return plan;
    const key = keyOf(plan);
    const before = read()[key];
    const recorded = (path: string) => before?.files.find((file) => file.path === path);
    const missing = [...new Set(writes.flatMap(({ path, movedTo }) => [path, movedTo ?? path].flatMap(missingAbove)))];
    const files = writes.map((each) => (isPresent(each) ? recorded(each.path) : undefined) ?? guessed(each));
    const directories = [...new Set([...(before?.directories ?? []), ...missing])];
    makeDirectories(missingAbove(program));
    if (readTextOrNull(program, RECORD_BYTES) !== script) replaceFile(program, script, 0o700);
    write({ ...read(), [key]: { repository, place, files, directories } });
    try {
      makeDirectories(missing);
      for (const each of writes) carryOutWrite(each);
      return plan;
    } catch (error) {
      takeOut(key);
      return unwritable(repository, error);
    }
  };
  const planNow = async () => {
    const version = await versionOfGit(options.env);
    return (path: string) => planGitLayer(path, version, options);
  };
  return {
    plan: async (path) => (await planNow())(path),
    async install(path) {
      const plan = await planNow();
      return alone(() =>
        unlessUnwritable(path, () => {
          takeOutOld(plan(path));
          return carryOut(plan(path));
        }),
      );
    },
    async remove(path) {
      const plan = await planNow();
      return alone(() =>
        unlessUnwritable(path, () => {
          const { repository } = plan(path);
          const known = repository === null ? [] : ofRepository(repository).flatMap(([key]) => takeOut(key));
          return [...known, ...takeOutUnknown(plan(path))];
        }),
      );
    },
    recorded: () =>
      Object.values(read()).map(({ repository, files }) => ({ repository, paths: files.map(({ path }) => path) })),
    removeAll: () =>
      alone(() => {
        const failed: Refusal[] = [];
        // One repository that cannot be written must not keep the others as they are.
        const restored = Object.keys(read()).flatMap((key) => {
          const paths = unlessUnwritable(key, () => takeOut(key));
          if (!isRefusal(paths)) return paths;
          failed.push(paths);
          return [];
        });
        return { restored, failed };
      }),
    async inspect(path) {
      const plan = (await planNow())(path);
      if (plan.kind === "hole") return { status: "impossible", plan };
      const isWhole = readTextOrNull(program, RECORD_BYTES) === script;
      if (isWhole && plan.writes.every(({ action }) => action === "keep")) return { status: "in_place", plan };
      return { status: plan.writes.some(isPresent) ? "partly" : "absent", plan };
    },
  };
}

/** A text of ours is there already. */
function isPresent({ action }: GitLayerWrite): boolean {
  return action === "keep" || action === "replace";
}

/** What stands there without a record of ours. */
function takeOutUnknown({ writes }: GitLayerPlan): readonly string[] {
  const files = writes.map(guessed);
  const changed = files.flatMap((file) => (putBack(file) ? [file.path] : []));
  removeDirectories(movedDirectories(files));
  return changed;
}

function keyOf({ repository, place, writes }: GitLayerPlan): string {
  return place === "husky" ? dirname(writes[0]?.path ?? "") : (repository ?? "");
}

function movedDirectories(files: readonly FileRecord[]): readonly string[] {
  return [...new Set(files.flatMap(({ movedTo }) => (movedTo === null ? [] : [dirname(movedTo)])))];
}

function recordsIn(text: string | null): LayerRecords {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return isDocument(value) ? (value as LayerRecords) : {};
  } catch {
    // We did not write it. Our texts are then recognised by their content.
    return {};
  }
}

/** What the record of a write would be, if it were lost. */
function guessed({ path, action, text, movedTo }: GitLayerWrite): FileRecord {
  const isAdded = action === "add" || (action === "keep" && !isOurHookFile(text));
  return {
    path,
    action: isAdded ? "add" : movedTo === null ? "make" : "chain",
    added: isAdded ? bytesOf(text) : "",
    movedTo,
  };
}

function carryOutWrite({ path, action, text, movedTo }: GitLayerWrite): void {
  if (action === "keep") return;
  if (action === "add") {
    const isConfig = text.includes("[hook ");
    const added = bytesOf(text);
    edit(path, (now) => (isConfig ? `${withoutConfigSections(now)}${added}` : withHookLine(now, added)));
    return;
  }
  // Under its second name first, so that the hook is never missing.
  if (action === "chain" && movedTo !== null) linkSync(path, movedTo);
  replaceFile(path, text, 0o755, { durable: true });
}

/** Whether something was there to be put back. What another program has written since is left alone. */
function putBack({ path, action, added, movedTo }: FileRecord): boolean {
  if (action === "add") {
    const isConfig = added.includes("[hook ");
    const clean = (now: string) => {
      const without = added === "" ? now : now.replace(added, () => "");
      return isConfig ? withoutConfigSections(without) : withoutHookLines(without);
    };
    return isThere(path) && edit(path, clean);
  }
  const now = readFileOrNull(path, CONFIG_BYTES, { followLinks: false })?.bytes.toString("latin1") ?? null;
  const isOurs = now !== null && isOurHookFile(now);
  if (movedTo !== null && isThere(movedTo) && (isOurs || !isThere(path))) {
    renameSync(movedTo, path);
    return true;
  }
  // It was given its second name and nothing more.
  if (movedTo !== null && isSameFile(path, movedTo)) unlinkSync(movedTo);
  if (!isOurs) return false;
  const others = withoutOurLines(now);
  if (others === null) unlinkSync(path);
  else edit(path, () => others);
  return true;
}

/** What a person has added to a file of ours; null for nothing. */
function withoutOurLines(text: string): string | null {
  const [first = "", ...lines] = text.split("\n").filter((line) => !/talking-stick|\/tt-git-guard'/.test(line));
  return lines.some((line) => line.trim() !== "") ? [first, ...lines].join("\n") : null;
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

/** False if nothing is to be changed. Git does not change its configuration while our lock is there. */
function edit(path: string, change: (now: string) => string): boolean {
  const changed = () => {
    const now = readFileOrNull(path, CONFIG_BYTES, { followLinks: false })?.bytes.toString("latin1");
    const after = now === undefined ? undefined : change(now);
    return after === now ? undefined : after;
  };
  if (changed() === undefined) return false;
  const lock = `${path}.lock`;
  closeSync(openSync(lock, "wx", 0o600));
  try {
    const after = changed();
    if (after === undefined) return false;
    replaceFile(path, Buffer.from(after, "latin1"), lstatSync(path).mode & 0o7777, { durable: true });
    return true;
  } finally {
    removeQuietly(lock);
  }
}

/** What could not be put back keeps its record. */
function unlessUnwritable<Result>(path: string, work: () => Result): Result | Refusal {
  try {
    return work();
  } catch (error) {
    return unwritable(path, error);
  }
}

function unwritable(place: string, error: unknown): Refusal {
  const code = errorCode(error);
  if (code === "") throw error;
  // What the system says is exact: hooks may lie in a directory of their own.
  const { path: file } = error as NodeJS.ErrnoException;
  const path = file === undefined ? place : dirname(file);
  const next =
    code === "EEXIST"
      ? "Another program is changing the same file. Run it again when that has ended."
      : `Make ${path} a directory that you may write in, then run it again.`;
  return refuse("invalid_path", `The hooks that git calls in ${path} cannot be written (${code}).`, next, {
    path,
    cause: code,
  });
}
