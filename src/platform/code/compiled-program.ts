import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { Script } from "node:vm";
import { pathIn } from "../files/path-in.ts";
import { cacheDirectory, type KeptProgram, keptName, readKeptCode } from "./code-cache.ts";

type Wrapper = (exports: object, require: NodeJS.Require, module: object, file: string, directory: string) => void;

export interface ProgramFile extends KeptProgram {
  readonly directory: string;
  readonly file: string;
}

export interface CompiledProgram {
  /** What its module exports. */
  readonly exports: unknown;
  /** The command whose compiled code it runs. Null if it was compiled again. */
  readonly keptFor: string | null;
  /** Keeps what V8 has compiled so far, for this command. False when there is no place to keep it. */
  keep(command: string): Promise<boolean>;
}

/**
 * Loads a CommonJS file that the build has wrapped, as `require` does, in its compiled form where that was kept for one
 * of these commands; the first that has something decides. Without any command it is compiled again.
 */
export function loadCompiled(
  program: ProgramFile,
  require: NodeJS.Require,
  commands: readonly string[],
): CompiledProgram {
  const path = pathIn(program.directory, program.file);
  const file = openSync(path, constants.O_RDONLY);
  const { size } = fstatSync(file);
  // The compiled form is mostly longer, and uses the same buffer.
  const room = Buffer.allocUnsafeSlow(2 * size);
  const length = readSync(file, room, 0, size, null);
  closeSync(file);
  // The build writes nothing but ASCII, and as Latin-1 it is read faster.
  const source = room.toString("latin1", 0, length);
  const cache = cacheDirectory(process.env);
  let kept: Uint8Array | null = null;
  let keptFor: string | null = null;
  for (const command of commands) {
    kept = readKeptCode(cache, keptName(program, command), room);
    if (kept === null) continue;
    keptFor = command;
    break;
  }
  // V8 does not compile the same file twice. Without commands it must.
  const filename = commands.length === 0 ? `${path}?` : path;
  const script = new Script(source, kept ? { filename, cachedData: kept } : { filename });
  let rejected = script.cachedDataRejected === true ? keptFor : null;
  const module = { exports: {} };
  // Every bundled file requires the same few modules of Node, and each `require` is slow.
  const loaded = new Map<string, unknown>();
  const load = (name: string): unknown => {
    let found = loaded.get(name);
    if (found === undefined) loaded.set(name, (found = require(name)));
    return found;
  };
  (script.runInThisContext() as Wrapper)(module.exports, load as NodeJS.Require, module, path, program.directory);
  return {
    exports: module.exports,
    keptFor: rejected === null ? keptFor : null,
    async keep(command) {
      if (cache === null) return false;
      try {
        const { keepCode, removeCode } = await import("./keep-code.ts");
        // Otherwise the next command finds it first, is rejected as well, and keeps its code again.
        if (rejected !== null && rejected !== command) removeCode(cache, program, rejected);
        rejected = null;
        return keepCode(cache, program, command, script.createCachedData());
      } catch {
        // The program may have been replaced or removed while it ran. Its work is done.
        return false;
      }
    },
  };
}
