/** `tt doctor --prove` with the real programs, and with programs that misbehave. */
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { cache, fileOf, isInstalled, tellMissing } from "./support/installed.ts";
import { until } from "./support/until.ts";
import type { HarnessName } from "./support/wires/index.ts";

const NAMES: readonly HarnessName[] = ["claude", "codex", "gemini", "opencode"];
/** Of the user's home, the one file that a proof writes. */
const RESULTS = ".local/state/tt/proofs.json";

interface Proved {
  readonly harnesses: readonly {
    readonly harness: string;
    readonly version?: string;
    readonly isolated?: boolean;
    readonly reason?: string;
    readonly protection?: { readonly level: string };
    readonly checks?: readonly { readonly check: string; readonly outcome: string; readonly why: string | null }[];
  }[];
  readonly warnings: readonly { readonly text: string }[];
}

interface ProveOptions {
  readonly tt?: string;
  /** Whether every connection is written down. */
  readonly traced?: boolean;
}

/** Without it, that nothing is sent elsewhere rests on the network that has nothing but loopback. */
const canTrace = spawnSync("strace", ["-V"]).status === 0;

/** A user with programs on the path, and files at home. */
class User {
  readonly root = mkdtempSync(join(tmpdir(), "tt-prover-"));
  readonly home = join(this.root, "home");
  /** Where throwaway users are made. */
  readonly temporary = join(this.root, "tmp");
  readonly #bin = join(this.root, "bin");
  readonly #trace = join(this.root, "trace");

  constructor() {
    for (const directory of [this.home, this.temporary, this.#bin]) mkdirSync(directory);
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true }));
    this.write(".claude/settings.json", '{ "model": "opus" }\n');
    this.write(".codex/config.toml", 'model = "mine"\n');
    this.write(".gemini/settings.json", "{}\n");
    this.write(".config/opencode/opencode.json", "{}\n");
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(join(this.home, name)), { recursive: true });
    writeFileSync(join(this.home, name), text);
  }

  install(harness: HarnessName): void {
    symlinkSync(fileOf(harness) ?? "", join(this.#bin, harness));
  }

  /** A program that is none of the harnesses. */
  fake(harness: HarnessName, script: string): void {
    const path = join(this.#bin, harness);
    rmSync(path, { force: true });
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }

  get #env() {
    return {
      PATH: `${this.#bin}:${process.env["PATH"]}`,
      HOME: this.home,
      TMPDIR: this.temporary,
      TERM: "xterm",
      // What belongs to the person who asks does not reach the harness.
      ANTHROPIC_API_KEY: "sk-of-the-user",
    };
  }

  /** What it runs as `tt` may be another build. */
  start(words: readonly string[], tt: string = inject("tt"), through: readonly string[] = []) {
    const line = [...through, process.execPath, tt, "doctor", ...words, "--json"];
    const child = spawn(line[0] ?? "", line.slice(1), { cwd: this.root, env: this.#env });
    let [output, progress] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      progress += text;
    });
    const ended = new Promise<{ code: number | null; output: string; progress: string }>((resolve) => {
      child.once("close", (code) => resolve({ code, output, progress }));
    });
    return { child, ended };
  }

  async prove(words: readonly string[], { tt, traced = false }: ProveOptions = {}) {
    const trace = ["strace", "-f", "-qq", "-e", "trace=connect,sendto", "-e", "signal=none", "-o", this.#trace];
    const { code, output, progress } = await this.start(["--prove", ...words], tt, traced ? trace : []).ended;
    return { code, progress, ...(JSON.parse(output) as Proved) };
  }

  /** Where any process of a traced run has tried to connect to, besides loopback. */
  outsideConnections(): readonly string[] {
    const lines = existsSync(this.#trace) ? readFileSync(this.#trace, "utf8").split("\n") : [];
    return lines.filter((line) => /AF_INET/.test(line) && !/"(127\.0\.0\.1|::1)"/.test(line));
  }

  /** What `tt doctor` says about the results. */
  async proofLines(): Promise<readonly string[]> {
    const { output } = await this.start([]).ended;
    const { findings } = JSON.parse(output) as {
      findings: readonly { readonly name: string; readonly text: string }[];
    };
    return findings.filter(({ name }) => name === "proof").map(({ text }) => text);
  }

  /** Every file at home and its bytes, but for the results. */
  files(): Readonly<Record<string, string>> {
    const names = readdirSync(this.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.home.length + 1));
    const others = names.filter((name) => name !== RESULTS);
    return Object.fromEntries(others.map((name) => [name, readFileSync(join(this.home, name), "latin1")]));
  }
}

function outcomes({ harnesses }: Proved): Readonly<Record<string, string>> {
  return Object.fromEntries(
    harnesses.flatMap(({ checks = [] }) => checks.map(({ check, outcome }) => [check, outcome])),
  );
}

/** What was killed may stay in the list of processes until its parent asks for it. */
function hasEnded(pid: string): boolean {
  const file = `/proc/${pid}/stat`;
  return !existsSync(file) || /\) Z /.test(readFileSync(file, "utf8"));
}

describe.each(NAMES)("%s", (name) => {
  tellMissing();
  it.skipIf(!isInstalled(name))("shows a message and is woken, and its user's home stays as it was", async () => {
    const user = new User();
    user.install(name);
    const before = user.files();
    const proved = await user.prove([name], { traced: canTrace });
    expect(user.outsideConnections()).toEqual([]);
    const wake = name === "gemini" ? "not_available" : "proven";
    expect(outcomes(proved)).toMatchObject({ message: "proven", wake });
    expect(proved.harnesses).toMatchObject([
      { harness: name, version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string },
    ]);
    expect(user.files()).toEqual(before);
    const { level = "", version = "" } = { ...proved.harnesses[0]?.protection, ...proved.harnesses[0] };
    expect(await user.proofLines()).toEqual([expect.stringContaining(`: ${level} (${version}, `)]);
    user.fake(name, "echo an update of it");
    expect(await user.proofLines()).toEqual([expect.stringContaining("not for this version")]);
    expect(Object.keys(JSON.parse(readFileSync(join(user.home, RESULTS), "utf8")) as object)).toEqual([name]);
    expect(readdirSync(user.temporary)).toEqual([]);
  });
});

it.skipIf(!isInstalled("codex"))("a hook program that does nothing proves nothing", async () => {
  const user = new User();
  user.install("codex");
  // Below the project, where the build finds its packages.
  const build = mkdtempSync(join(cache, "sabotaged-"));
  onTestFinished(() => rmSync(build, { recursive: true, force: true }));
  cpSync(dirname(inject("tt")), build, { recursive: true });
  writeFileSync(join(build, "hook.cjs"), "process.exit(0);\n");
  const { code, ...proved } = await user.prove(["codex"], { tt: join(build, "tt.cjs") });
  expect(code).toBe(5);
  expect(new Set(Object.values(outcomes(proved)))).toEqual(new Set(["not_proven"]));
  // It was run, and nothing else was wrong with it.
  expect(proved.harnesses[0]?.checks?.slice(0, 3).map(({ why }) => why)).toEqual([
    'the message could not be sent: There is no member "codex" here.',
    "the write was not refused",
    "the write was not refused",
  ]);
  expect(proved.harnesses[0]?.protection?.level).toBe("not_proven");
});

it("a program that hangs is reported and ended, in a network that has nothing but loopback", async () => {
  const user = new User();
  const seen = join(user.root, "seen");
  user.fake(
    "claude",
    `[ "$1" = --version ] && echo 9.9.9 && exit; cat /proc/net/dev >'${seen}'; echo $$ >>'${seen}'; sleep 600`,
  );
  const proved = await user.prove(["claude", "--timeout", "10s"]);
  expect(proved.code).toBe(5);
  const [claude] = proved.harnesses;
  expect(claude).toMatchObject({ version: "9.9.9", protection: { level: "not_proven" } });
  expect(new Set(claude?.checks?.map(({ why }) => why))).toEqual(
    new Set(["no answer within 10 s, while waiting for its first request"]),
  );
  const lines = readFileSync(seen, "utf8").trim().split("\n");
  await until("the program has ended", () => hasEnded(lines.at(-1) ?? ""));
  const devices = lines.slice(2, -1).map((line) => line.trim().split(":")[0]);
  if (claude?.isolated) expect(devices).toEqual(["lo"]);
  expect(readdirSync(user.temporary)).toEqual([]);
});

it("Ctrl-C ends the harness, leaves nothing behind and keeps no result", async () => {
  const user = new User();
  const seen = join(user.root, "seen");
  user.fake(
    "claude",
    `[ "$1" = --version ] && echo 9.9.9 && exit; echo $$ >'${seen}.new'; mv '${seen}.new' '${seen}'; sleep 600`,
  );
  const { child, ended } = user.start(["--prove", "claude"]);
  await until("the harness runs", () => existsSync(seen));
  child.kill("SIGINT");
  expect((await ended).code).toBe(130);
  await until("the program has ended", () => hasEnded(readFileSync(seen, "utf8").trim()));
  expect(readdirSync(user.temporary)).toEqual([]);
  expect(existsSync(join(user.home, RESULTS))).toBe(false);
});

it("a program that does not tell its version is not run, and what it said is repeated", async () => {
  const user = new User();
  user.fake("claude", "echo 'Welcome!'");
  const { code, harnesses } = await user.prove(["claude"]);
  expect(code).toBe(5);
  expect(harnesses).toEqual([
    { harness: "claude", reason: expect.stringContaining('names no version. It said "Welcome!"') as string },
  ]);
  expect(existsSync(join(user.home, RESULTS))).toBe(false);
});

it("a program that ends at once is reported with its last words", async () => {
  const user = new User();
  user.fake("gemini", '[ "$1" = --version ] && echo 9.9.9 && exit; echo "no such model" >&2; exit 3');
  const { harnesses } = await user.prove(["gemini"]);
  expect(harnesses[0]?.checks?.[0]?.why).toBe("it ended with 3: no such model");
});
