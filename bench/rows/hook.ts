/**
 * Hooks as a harness runs them, from the start of their shell to its end: without mail beside a shell that looks for a
 * file, with mail beside a node that does nothing, and with a store that never answers. Of prompts and ends of turns it is
 * the processor time that counts: nobody waits for the end of a turn.
 */
import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shellWord } from "../../src/core/shell-word.ts";
import { hookScript } from "../../src/harness/hook-script.ts";
import { loadSqliteDriver } from "../../src/store/sqlite/driver.ts";
import { type BuiltProgram, buildProgram } from "../built-program.ts";
import { median, milliseconds, percent, percentile, sum } from "../figure.ts";
import { atMost, bounded, type Finding } from "../finding.ts";
import type { Row } from "../row.ts";

const QUIET_TARGET = 3;
const QUIET_P99_US = 10_000;
const MAIL_TARGET = 1.6;
const TURN_TARGET = 4;
/** What hooks promise; what the machine needs to start and end programs comes on top. */
const LOCKED_US = { prompt: 1_000_000, guard: 3_000_000 } as const;
const STARTS = 2;

const SESSIONS = {
  claude: "898509a1-5dab-4f24-a4e9-7b7158c02f3e",
  codex: "01a1de4f-f37c-7292-8a4a-8ad18c8e90ee",
} as const;
type Harness = keyof typeof SESSIONS;

interface Site {
  readonly built: BuiltProgram;
  readonly options: SpawnSyncOptions;
  readonly script: string;
  readonly tree: string;
}

export const hook: Row = {
  name: "hook",
  async measure(shop) {
    const { env, tree, dataDir, database } = shop.ground();
    const built = buildProgram("hook");
    try {
      const options = { env: { ...env, CLAUDE_CODE_SESSION_ID: SESSIONS.claude, TT_GUARD: "deny" }, cwd: tree };
      const site = { built, options, tree, script: install(built, dataDir) };
      // As in a real project: a peer is there, and both sessions have joined.
      tt(site, ["join"]);
      for (const harness of ["claude", "codex"] as const) run(site, [harness, "session-start"]);
      return [
        ...measureQuiet(site, shop.scale(300, 10)),
        ...measureTurns(site, shop.scale(300, 10)),
        ...measureMail(site, shop.scale(60, 5)),
        measureGuard(site, shop.scale(300, 10)),
        ...measureLocked(site, database, shop.scale(10, 1)),
      ];
    } finally {
      built.remove();
    }
  },
};

function install(
  { directory }: BuiltProgram,
  dataDir: string,
  { name = "tt-hook", node = process.execPath }: { readonly name?: string; readonly node?: string } = {},
): string {
  const hooks = join(dataDir, "hooks");
  mkdirSync(hooks, { recursive: true, mode: 0o700 });
  chmodSync(dataDir, 0o700);
  const script = join(hooks, name);
  const hookProgram = join(directory, "hook.cjs");
  writeFileSync(script, hookScript({ version: "0.0.0", node, hookProgram, dataDir }));
  chmodSync(script, 0o700);
  return script;
}

function measureQuiet(site: Site, rounds: number): readonly Finding[] {
  const times = { floor: [] as number[], claude: [] as number[], codex: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    times.floor.push(lifeOf(["/bin/sh", "-c", "[ -e f ]"], site.options));
    for (const harness of ["claude", "codex"] as const) times[harness].push(run(site, [harness, "pre-tool"]).us);
  }
  const floor = milliseconds(median(times.floor));
  return (["claude", "codex"] as const).flatMap((harness) => {
    const what = `hook with nothing to do (${harness}), against sh -c '[ -e f ]'`;
    const measured = milliseconds(median(times[harness]));
    const slowest = milliseconds(percentile(times[harness], 0.99));
    return [
      atMost({ what: `${what}, p50`, floor, measured }, QUIET_TARGET),
      bounded(`hook with nothing to do (${harness}), p99`, slowest, milliseconds(QUIET_P99_US)),
    ];
  });
}

/** Turns in which nothing is to do, and how many of their hooks start the program nevertheless. */
function measureTurns(site: Site, turns: number): readonly Finding[] {
  const { tree } = site;
  const starts = join(tree, "starts");
  const node = join(tree, "counting-node");
  writeFileSync(node, `#!/bin/sh\necho >>'${starts}'\nexec '${process.execPath}' "$@"\n`, { mode: 0o700 });
  const script = install(site.built, join(site.script, "../.."), { name: "tt-hook-counted", node });
  return (["claude", "codex"] as const).flatMap((harness) => {
    const floor = milliseconds(cpuOf(site, turns, ["[ -e f ]"], harness) / turns);
    const lines = ["prompt", "stop"].map((event) => `test ! -x '${script}' || exec '${script}' ${harness} ${event}`);
    const measured = milliseconds(cpuOf(site, turns, lines, harness) / (2 * turns));
    const started = readFileSync(starts, "utf8").length;
    const what = `prompt and stop with nothing to do (${harness}), CPU, against sh -c '[ -e f ]'`;
    const share = percent(1 - started / (2 * turns));
    return [
      atMost({ what, floor, measured }, TURN_TARGET),
      {
        ...bounded(`prompt and stop with nothing to do (${harness}), without the program`, share, percent(1)),
        target: "",
      },
    ];
  });
}

/** Microseconds of all processes that a harness starts for these lines in a number of turns. One turn before is not counted. */
function cpuOf({ options, tree }: Site, turns: number, lines: readonly string[], harness: Harness): number {
  const payloads = ["a", "b"].map((turn) => {
    const file = join(tree, `payload-${turn}`);
    const common = { session_id: SESSIONS[harness], transcript_path: "/t", cwd: tree };
    writeFileSync(file, JSON.stringify({ ...common, prompt_id: turn, turn_id: turn, last_assistant_message: "Done." }));
    return file;
  });
  const turn = payloads.flatMap((file) => lines.map((line) => `/bin/sh -c ${shellWord(line)} <'${file}'`));
  const loop = `${turn.join("\n")}\n: >starts\ntimes\ni=0\nwhile [ $i -lt ${turns} ]; do i=$((i + 2))\n${turn.join("\n")}\ndone\ntimes`;
  const { stdout } = spawnSync("/bin/sh", ["-c", loop], options);
  // The shell's own times, and those of its children: minutes and seconds in user mode, and in the kernel.
  const [, before, , after] = String(stdout).trim().split("\n").map(secondsIn);
  if (before === undefined || after === undefined) throw new Error(`the shell said ${JSON.stringify(String(stdout))}`);
  return (after - before) * 1e6;
}

function secondsIn(line: string): number {
  return sum(
    [...line.matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds)),
  );
}

/** The hook of a tool at which each shows its mail. */
const SHOWS_AT = { claude: "post-tool", codex: "pre-tool" } as const;

function measureMail(site: Site, rounds: number): readonly Finding[] {
  const times = { bare: [] as number[], claude: [] as number[], codex: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    times.bare.push(lifeOf([process.execPath, "-e", "0"], site.options));
    for (const harness of ["claude", "codex"] as const) {
      tt(site, ["msg", "send", agentOf(harness), `message ${round}`]);
      const { us, stdout } = run(site, [harness, SHOWS_AT[harness]]);
      if (!stdout.includes(`message ${round}`)) throw new Error(`the hook showed ${JSON.stringify(stdout)}`);
      times[harness].push(us);
    }
  }
  const floor = milliseconds(median(times.bare));
  return (["claude", "codex"] as const).map((harness) => {
    const measured = milliseconds(median(times[harness]));
    return atMost({ what: `hook with mail (${harness}), against bare node, p50`, floor, measured }, MAIL_TARGET);
  });
}

/** The holder of a guarded room writes. Its first tool asks the store and leaves a pass for the next ones. */
function measureGuard(site: Site, rounds: number): Finding {
  tt({ ...site, options: { ...site.options, env: { ...site.options.env, CLAUDECODE: "1" } } }, ["try"], "claude");
  run(site, ["claude", "guard"]);
  const times = { floor: [] as number[], guard: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    times.floor.push(lifeOf(["/bin/sh", "-c", "[ -e f ]"], site.options));
    times.guard.push(run(site, ["claude", "guard"]).us);
  }
  const [floor, measured] = [times.floor, times.guard].map((all) => milliseconds(median(all)));
  if (!floor || !measured) throw new Error("nothing was measured");
  return atMost(
    { what: "guard allows the holder (claude), against sh -c '[ -e f ]', p50", floor, measured },
    QUIET_TARGET,
  );
}

/** Another program has the store, and does not give it back. */
function measureLocked(site: Site, database: string, rounds: number): readonly Finding[] {
  const handle = loadSqliteDriver()(database);
  try {
    handle.exec("PRAGMA locking_mode = EXCLUSIVE");
    handle.exec("BEGIN IMMEDIATE");
    const starts = [...Array(rounds)].map(() => lifeOf([process.execPath, "-e", "0"], site.options));
    return (["prompt", "guard"] as const).map((event) => {
      const slowest = Math.max(...[...Array(rounds)].map(() => run(site, ["codex", event]).us));
      const limit = milliseconds(LOCKED_US[event] + STARTS * Math.max(...starts));
      return bounded(`hook "${event}" while the store is locked (codex), slowest`, milliseconds(slowest), limit);
    });
  } finally {
    handle.close();
  }
}

function agentOf(harness: Harness): string {
  return `${harness}:${createHash("sha256").update(SESSIONS[harness]).digest("hex").slice(0, 8)}`;
}

/** As a peer, or as the session itself. */
function tt({ built, options }: Site, words: readonly string[], as: "peer" | "claude" = "peer"): void {
  const peer = { TT_AGENT_ID: "bench:peer", TT_SEND_RATE_PER_MIN: "0", CLAUDE_CODE_SESSION_ID: undefined };
  const env = { ...options.env, ...(as === "peer" && peer) };
  const { status, stderr } = spawnSync(process.execPath, [built.program, ...words], { ...options, env });
  if (status !== 0) throw new Error(`tt ${words.join(" ")}: ${String(stderr)}`);
}

function run({ options, script, tree }: Site, [harness, event]: readonly [Harness, string]) {
  const payload = {
    session_id: SESSIONS[harness],
    transcript_path: "/t",
    cwd: tree,
    tool_name: "Bash",
    tool_input: { command: "x".repeat(2000) },
  };
  const line = `test ! -x '${script}' || exec '${script}' ${harness} ${event}`;
  const start = process.hrtime.bigint();
  const { stdout } = spawnSync("/bin/sh", ["-c", line], { ...options, input: JSON.stringify(payload) });
  return { us: Number(process.hrtime.bigint() - start) / 1000, stdout: String(stdout) };
}

function lifeOf([program = "", ...words]: readonly string[], options: SpawnSyncOptions): number {
  const start = process.hrtime.bigint();
  spawnSync(program, words, options);
  return Number(process.hrtime.bigint() - start) / 1000;
}
