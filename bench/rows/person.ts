/**
 * What a person sees at a terminal: how soon the console paints, what it costs while nothing happens, and what a shell pays
 * for a completion and a prompt. `script` gives each program a terminal.
 */
import { type ChildProcess, type SpawnSyncOptions, spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildProgram } from "../built-program.ts";
import { median, milliseconds, percent } from "../figure.ts";
import { atMost, bounded, type Finding, skipped } from "../finding.ts";
import { lifeOf } from "../life-of.ts";
import { nowUs } from "../marks.ts";
import { cpuNs, hasAccounts } from "../process-accounts.ts";
import type { Row } from "../row.ts";
import { pause } from "../workers/pause.ts";
import type { Workshop } from "../workshop.ts";
import { YardstickFailed } from "../yardstick.ts";

const FIRST_PAINT_TARGET = 5;
const COMPLETION_TARGET = 1.5;
const PROMPT_TARGET = 2;
const MAX_IDLE = 0.002;
/** The last thing that each paints: the keys, and the line to write in. */
const PAINTED = { watch: /q quit/, chat: /room>/ } as const;
/** Like the console, it lives until it is told to end. */
const BARE = "console.log('painted'); setInterval(() => {}, 1000);";
const CONSOLES = ["watch", "chat"] as const;

interface Site {
  readonly program: string;
  readonly options: { readonly env: NodeJS.ProcessEnv; readonly cwd: string };
  readonly rounds: number;
}

export const person: Row = {
  name: "person",
  async measure(shop) {
    const built = buildProgram("person");
    try {
      const { env, tree } = shop.ground();
      const options = { env: { ...env, TERM: "xterm-256color", LANG: "C.UTF-8" }, cwd: tree };
      const site = { program: built.program, options, rounds: shop.scale(40, 3) };
      // The first ones make the room and keep what was compiled, as they do once for every user.
      for (const word of ["try", "join"]) {
        lifeOf([site.program, word], { ...options, env: { ...env, TT_AGENT_ID: `bench:${word}` } });
      }
      return [...(await consoles(shop, site)), completion(site), promptOf(shop, site)];
    } finally {
      built.remove();
    }
  },
};

async function consoles(shop: Workshop, site: Site): Promise<readonly Finding[]> {
  const what = "tt chat and tt watch, start to first paint";
  if (!hasAccounts()) return [skipped(what, "this system has no /proc, and perhaps another script")];
  if (spawnSync("script", ["--version"]).status !== 0) return [skipped(what, "there is no program script here")];
  const times = { bare: [] as number[], watch: [] as number[], chat: [] as number[] };
  for (let round = 0; round <= site.rounds; round += 1) {
    // The first round is not counted: it keeps what was compiled.
    const counted = round > 0;
    const bare = await paintOf(site, ["-e", BARE], /painted/);
    if (counted) times.bare.push(bare);
    for (const name of CONSOLES) {
      const us = await paintOf(site, [site.program, name], PAINTED[name]);
      if (counted) times[name].push(us);
    }
  }
  const floor = milliseconds(median(times.bare));
  return [
    ...CONSOLES.map((name) =>
      atMost(
        {
          what: `tt ${name}, start to first paint, against bare node, p50`,
          floor,
          measured: milliseconds(median(times[name])),
        },
        FIRST_PAINT_TARGET,
      ),
    ),
    ...(await Promise.all(CONSOLES.map((name) => idleShare(shop, site, name)))),
  ];
}

/** Until the terminal shows that. */
async function paintOf(site: Site, words: readonly string[], shown: RegExp): Promise<number> {
  const startUs = nowUs();
  const painted = await paintedBy(site, words, shown);
  const us = nowUs() - startUs;
  await painted.end();
  return us;
}

interface Painted {
  /** Of the program in the terminal. */
  readonly pid: number;
  readonly end: () => Promise<void>;
}

async function paintedBy({ options }: Site, words: readonly string[], shown: RegExp): Promise<Painted> {
  const line = ["exec", process.execPath, ...words].map((word) =>
    word === "exec" ? word : `'${word.replaceAll("'", `'\\''`)}'`,
  );
  const child = spawn("script", ["-qfc", line.join(" "), "/dev/null"], {
    ...options,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await shows(child, shown);
  const pid = programIn(child);
  const end = async () => {
    // The program and not the terminal, which would first wait for two seconds.
    process.kill(pid, "SIGTERM");
    await ended;
  };
  return { pid, end };
}

function shows({ stdout }: ChildProcess, shown: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let screen = "";
    stdout?.setEncoding("utf8").on("data", (text: string) => {
      screen += text;
      if (shown.test(screen)) resolve();
    });
    stdout?.once("end", () => reject(new Error(`the terminal closed before it showed ${shown.source}:\n${screen}`)));
  });
}

function programIn({ pid }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
}

async function idleShare(shop: Workshop, site: Site, name: (typeof CONSOLES)[number]): Promise<Finding> {
  const forMs = shop.scale(60_000, 2000);
  const { pid, end } = await paintedBy(site, [site.program, name], PAINTED[name]);
  // A young process still compiles and collects for a while.
  await pause(shop.scale(10_000, 500));
  const before = cpuNs(pid);
  await pause(forMs);
  const share = (cpuNs(pid) - before) / (forMs * 1e6);
  await end();
  return bounded(`tt ${name} while nothing happens, CPU`, percent(share), percent(MAX_IDLE));
}

function completion({ program, options, rounds }: Site): Finding {
  const complete = () => lifeOf([program, "complete-line", "--", "wa"], options);
  complete();
  const times = { bare: [] as number[], completed: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    times.bare.push(lifeOf(["-e", "0"], options));
    times.completed.push(complete());
  }
  const [floor, measured] = [times.bare, times.completed].map((each) => milliseconds(median(each)));
  if (!floor || !measured) throw new Error("two figures were measured");
  return atMost({ what: "completion of a word, against bare node, p50", floor, measured }, COMPLETION_TARGET);
}

/** A new bash that shows one prompt, against one that does nothing. */
function promptOf(shop: Workshop, { program, options, rounds }: Site): Finding {
  const what = "the prompt of bash, against a bare bash, p50";
  if (spawnSync("bash", ["--version"]).status !== 0) return skipped(what, "there is no bash here");
  const snippet = join(shop.directory(), "snippet.sh");
  writeFileSync(snippet, spawnSync(process.execPath, [program, "prompt", "init", "bash"], options).stdout);
  const bash = (script: string) => bashLife(script, options);
  const prompt = `. '${snippet}'; eval "$PROMPT_COMMAND"; case $_tt_line in *stick:*) ;; *) exit 1 ;; esac`;
  const times = { bare: [] as number[], prompt: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    times.bare.push(bash(":"));
    times.prompt.push(bash(prompt));
  }
  const [floor, measured] = [times.bare, times.prompt].map((each) => milliseconds(median(each)));
  if (!floor || !measured) throw new Error("two figures were measured");
  return atMost({ what, floor, measured }, PROMPT_TARGET);
}

function bashLife(script: string, options: SpawnSyncOptions): number {
  const startUs = nowUs();
  const { status } = spawnSync("bash", ["--norc", "--noprofile", "-c", script], options);
  const us = nowUs() - startUs;
  if (status !== 0)
    throw script === ":" ? new YardstickFailed("bash") : new Error(`bash ended with ${status}: ${script}`);
  return us;
}
