import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { Script } from "node:vm";
import type { KeptCodeFile } from "./kept-code.ts";

type Wrapper = (exports: object, require: NodeJS.Require, module: object, file: string, directory: string) => void;

export interface CompiledProgram {
  /** What its module exports. */
  readonly exports: unknown;
  /** Keeps what V8 has compiled so far, unless that command's functions are kept already. */
  keep(command: string): void;
}

/** Loads a CommonJS file that the build has wrapped, as `require` does, in its compiled form where that was kept. */
export function loadCompiled(file: string, require: NodeJS.Require, keptCode: KeptCodeFile): CompiledProgram {
  const kept = keptCode.read();
  // The build writes nothing but ASCII, and as Latin-1 it is read faster.
  const script = new Script(readFileSync(file, "latin1"), { filename: file, ...(kept && { cachedData: kept.code }) });
  const commands = kept && !script.cachedDataRejected ? kept.commands : [];
  const module = { exports: {} };
  (script.runInThisContext() as Wrapper)(module.exports, onceEach(require), module, file, dirname(file));
  return {
    exports: module.exports,
    keep(command) {
      if (commands.includes(command)) return;
      // What was compiled for earlier commands is still in it.
      keptCode.write({ code: script.createCachedData(), commands: [...commands, command] });
    },
  };
}

/** Every file that was bundled asks for the same few modules of Node, and each time Node looks at all it knows. */
function onceEach(require: NodeJS.Require): NodeJS.Require {
  const loaded = new Map<string, unknown>();
  const load = (name: string): unknown => {
    let found = loaded.get(name);
    if (found === undefined) loaded.set(name, (found = require(name)));
    return found;
  };
  return Object.assign(load, require);
}
