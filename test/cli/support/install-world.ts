/** A user's machine with harnesses on it, as far as setting them up can tell: directories, files, programs. */
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { version } from "../../../package.json" with { type: "json" };
import { CliWorld, type Outcome, type RunOptions } from "./cli-world.ts";

export type Harness = "claude" | "codex" | "gemini" | "opencode";

export const HARNESSES: readonly Harness[] = ["claude", "codex", "gemini", "opencode"];

/** Where each keeps its configuration, and the files in which we have entries. */
export const PLACES: Readonly<Record<Harness, { readonly directory: string; readonly files: readonly string[] }>> = {
  claude: { directory: ".claude", files: [".claude.json", ".claude/settings.json"] },
  codex: { directory: ".codex", files: [".codex/config.toml", ".codex/hooks.json"] },
  gemini: { directory: ".gemini", files: [".gemini/settings.json"] },
  opencode: { directory: ".config/opencode", files: [".config/opencode/opencode.json"] },
};

interface HarnessAnswer {
  readonly harness: string;
  readonly status: string;
  readonly files: readonly {
    readonly path: string;
    readonly action: string;
    readonly keys: readonly string[];
    readonly backup: string | null;
  }[];
  readonly reason: string | null;
  readonly next: string | null;
  readonly notes: readonly string[];
}

export class InstallWorld extends CliWorld {
  /** The data directory that follows from HOME alone. */
  readonly ownData = join(this.home, ".local/share/tt");
  readonly state = join(this.home, ".local/state/tt");
  readonly hookScript = join(this.state, "hooks/tt-hook");

  /** Nothing of ours, and no harness that happens to be installed on this machine. */
  readonly surroundings = { TT_DATA_DIR: undefined, PATH: this.directory("no-programs") };

  /** As a user types it who means it. */
  async type(line: string, options: RunOptions = {}): Promise<Outcome> {
    const yes = /^(un)?install\b(?!.*--(print|yes|help))/.test(line) ? " --yes" : "";
    return this.tt(`${line}${yes}`, { ...options, env: { ...this.surroundings, ...options.env } });
  }

  /** What was answered about each harness. */
  async harnesses(line: string, options: RunOptions = {}): Promise<readonly HarnessAnswer[]> {
    return (await this.type(`${line} --json`, options)).json()["harnesses"] as HarnessAnswer[];
  }

  async findings(options: RunOptions = {}): Promise<readonly Record<string, string>[]> {
    const { findings } = (await this.type("doctor --json", options)).json() as { findings: Record<string, string>[] };
    // What this build has no hook program for is no matter of how a harness is set up.
    return findings.filter(({ name }) => name !== undefined && (HARNESSES as readonly string[]).includes(name));
  }

  write(name: string, text: string, mode = 0o644): string {
    const path = join(this.home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }

  read(name: string): string {
    return readFileSync(join(this.home, name), "utf8");
  }

  /** Everything in the home but what we remember for ourselves: files with their modes, links, directories. */
  snapshot(): Readonly<Record<string, string>> {
    const names = readdirSync(this.home, { recursive: true, encoding: "utf8" }).filter(
      (name) => !/^\.(local|cache)(\/|$)/.test(name) || /^\.local\/(share|state)\/tt\/hooks/.test(name),
    );
    return Object.fromEntries(names.toSorted().map((name) => [name, this.#sightOf(join(this.home, name))]));
  }

  #sightOf(path: string): string {
    const stats = lstatSync(path);
    const mode = (stats.mode & 0o777).toString(8);
    if (stats.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
    return stats.isDirectory() ? `${mode} directory` : `${mode} ${readFileSync(path, "latin1")}`;
  }

  /** As if nothing had been written down. */
  forget(): void {
    rmSync(join(this.state, "install.json"));
  }

  /** As if the program behind the hooks had been set up at this place. */
  older(place: string): void {
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    renameSync(this.hookScript, place);
    for (const name of [".claude/settings.json", ".codex/hooks.json", ".gemini/settings.json"]) {
      writeFileSync(join(this.home, name), this.read(name).replaceAll(this.hookScript, place));
    }
    const ledger = join(this.state, "install.json");
    writeFileSync(ledger, readFileSync(ledger, "utf8").replaceAll(this.hookScript, place));
  }

  /** The same program as an earlier version would have been: another number, another place, other hooks. */
  olderProgram(): string {
    const here = dirname(this.program);
    const older = join(here, `older-${process.pid}-${readdirSync(here).length}`);
    onTestFinished(() => rmSync(older, { recursive: true, force: true }));
    for (const name of readdirSync(here).filter((one) => /\.c?js$/.test(one)))
      cpSync(join(here, name), join(older, name));
    const change = (name: string, from: RegExp, to: string) => {
      const text = readFileSync(join(older, name), "latin1");
      if (!from.test(text)) throw new Error(`${name} does not say ${from}`);
      writeFileSync(join(older, name), text.replace(from, to), "latin1");
    };
    change("program.cjs", new RegExp(`"${version.replaceAll(".", String.raw`\.`)}"`), '"0.0.9"');
    change("install.cjs", /PreToolUse:"pre-tool"/, 'PostToolUse:"post-tool"');
    change("install.cjs", /BeforeAgent:"prompt"/, 'BeforeModel:"pre-tool"');
    return join(older, "tt.cjs");
  }

  async runOlder(program: string, ...words: string[]): Promise<void> {
    const { code, stderr } = await this.startProgram(process.execPath, [program, ...words, "--yes"], {
      env: this.surroundings,
    }).ended;
    if (code !== 0) throw new Error(`the older tt ended with ${code}: ${stderr}`);
  }
}

/** Files as their users wrote them, each with a thing or two that is easily lost. */
export const HAND_WRITTEN: Readonly<Record<string, string>> = {
  ".claude.json": `{\n    "numStartups": 3,\n    "mcpServers": {\n        "talking-stick": { "command": "tt", "args": ["mcp"] }, "other": { "command": "x" }\n    },\n    "projects": {}\n}`,
  ".claude/settings.json": `{\n\t"permissions": { "allow": ["Bash"] },\n\t"hooks": {\n\t\t"Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }]\n\t}\n}\n`,
  ".codex/config.toml": `# mine\nmodel = "x"   # the good one\n\n[sandbox_workspace_write]\nwritable_roots = [\n  "/srv/cache", # shared\n]\n\n[projects."/home/me/p"]\ntrust_level = "trusted"`,
  ".codex/hooks.json": `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}],"SessionStart":[]}}`,
  ".gemini/settings.json": `// for Gemini\r\n{\r\n  "mcpServers": {}, /* none yet */\r\n  "ui": { "theme": "Ayu" }, // dark\r\n}\r\n`,
  ".config/opencode/opencode.json": `{\n  // which model\n  "model": "a/b", // this one\n  /* "mcp": {} */\n}\n`,
};

/** A machine with the directories of all four. */
export function allFour(world = new InstallWorld()): InstallWorld {
  for (const { directory } of Object.values(PLACES)) mkdirSync(join(world.home, directory), { recursive: true });
  return world;
}

export const parsed = (text: string) => JSON.parse(text) as Record<string, Record<string, unknown>>;

/** The lines that stand in a configuration of hooks. */
export function commandsIn(text: string): readonly string[] {
  return [...text.matchAll(/"command": "(test (?:[^"\\]|\\.)*)"/g)].map(
    ([, line]) => JSON.parse(`"${line}"`) as string,
  );
}
