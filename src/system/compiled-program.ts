import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { Script } from "node:vm";
import { bitOf, cacheDirectory, type KeptProgram, readKeptCode } from "./kept-code.ts";
import { pathIn } from "./path-in.ts";

type Wrapper = (exports: object, require: NodeJS.Require, module: object, file: string, directory: string) => void;

export interface CompiledProgram {
  /** What its module exports. */
  readonly exports: unknown;
  /** Keeps what V8 has compiled so far, unless that command's functions are kept already. */
  keep(command: string): Promise<void>;
}

/** Loads a CommonJS file that the build has wrapped, as `require` does, in its compiled form where that was kept. */
export function loadCompiled(
  directory: string,
  file: string,
  require: NodeJS.Require,
  which: KeptProgram,
): CompiledProgram {
  const path = pathIn(directory, file);
  const cache = cacheDirectory(process.env);
  const program = openSync(path, constants.O_RDONLY);
  const { size } = fstatSync(program);
  // What was compiled of it is mostly longer, and goes to the same place.
  const room = Buffer.allocUnsafeSlow(2 * size);
  const length = readSync(program, room, 0, size, null);
  closeSync(program);
  // The build writes nothing but ASCII, and as Latin-1 it is read faster.
  const source = room.toString("latin1", 0, length);
  const kept = readKeptCode(cache, which, room);
  const script = new Script(source, kept ? { filename: path, cachedData: kept.code } : { filename: path });
  const module = { exports: {} };
  // Every file that was bundled asks for the same few modules of Node, and each time Node looks at all it knows.
  const loaded = new Map<string, unknown>();
  const load = (name: string): unknown => {
    let found = loaded.get(name);
    if (found === undefined) loaded.set(name, (found = require(name)));
    return found;
  };
  (script.runInThisContext() as Wrapper)(module.exports, load as NodeJS.Require, module, path, directory);
  return {
    exports: module.exports,
    async keep(command) {
      const commands = kept && !script.cachedDataRejected ? kept.commands : 0;
      const bit = bitOf(command);
      if (cache === null || (commands & bit) !== 0) return;
      const { keepCode } = await import("./keep-code.ts");
      // What was compiled for earlier commands is still in it.
      keepCode(cache, which, { code: script.createCachedData(), commands: commands | bit });
    },
  };
}
