/**
 * What a harness's hook starts: loads the program beside it, as V8 compiled it for an earlier hook, and always ends in
 * time. A hook that takes longer than its deadline has failed, and a failed hook says nothing.
 */

import { loadCompiled } from "../platform/code/compiled-program.ts";
import { hookDeadlineMs } from "../platform/settings/hook-deadline.ts";

/** The digest of each program by its file; the build writes it. */
declare const PROGRAM_DIGESTS: Readonly<Record<string, string>>;

function launch(): void {
  const file = "hook-program.cjs";
  const which = { directory: __dirname, file, name: "hook", digest: PROGRAM_DIGESTS[file] ?? "" };
  const words = process.argv.slice(2);
  // A harness and one of its events, as its settings name them.
  const command = /^[a-z]+ [a-z-]+$/.exec(`${words[0]} ${words[1]}`)?.[0].replace(" ", "-") ?? "other";
  // What a hook shows is more code than most hooks need, and it is the hooks that show something that agents wait for.
  const showing = `${command}-showing`;
  const program = loadCompiled(which, require, [showing, command]);
  const { startHook } = program.exports as typeof import("./hook.ts");
  const deadlineMs = hookDeadlineMs(process.env, words[1]);
  const hook = startHook(words, deadlineMs);
  setTimeout(
    () => {
      hook.giveUp();
      if (hook.waitsForInput()) process.kill(process.pid, "SIGKILL");
      process.exit(0);
    },
    deadlineMs - process.uptime() * 1000,
  );
  const keep = async () => {
    if (hook.hasShown()) return program.keptFor === showing || program.keep(showing);
    return program.keptFor !== null || program.keep(command);
  };
  void hook.done.then(keep, keep).finally(() => process.exit(hook.exitCode()));
}

try {
  launch();
} catch {
  // A program that cannot even be loaded has nowhere to say so, except to the script that started it.
  process.exitCode = 1;
}
