/** What `tt install` writes, as the real harnesses read it: they start the server, and Codex knows the hooks. */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, inject, it, onTestFinished } from "vitest";
import { OFFLINE } from "./support/drivers/opencode.ts";
import { endEverything } from "./support/end-everything.ts";
import { cache, isInstalled, programOf } from "./support/installed.ts";

type Harness = Parameters<typeof programOf>[0];

const run = promisify(execFile);

class Home {
  readonly path: string;
  /** Variables of the harness under test. */
  more: Readonly<Record<string, string>> = {};

  constructor() {
    mkdirSync(cache, { recursive: true });
    this.path = mkdtempSync(join(cache, "home-"));
    onTestFinished(() => {
      endEverything(this.path);
      rmSync(this.path, { recursive: true, force: true });
    });
  }

  write(name: string, content: string | object): void {
    mkdirSync(join(this.path, name, ".."), { recursive: true });
    writeFileSync(join(this.path, name), typeof content === "string" ? content : JSON.stringify(content));
  }

  get env(): Record<string, string> {
    const { PATH = "" } = process.env;
    return {
      PATH,
      HOME: this.path,
      LANG: "C.UTF-8",
      SHELL: "/bin/bash",
      USER: "root",
      GEMINI_API_KEY: "x",
      ...OFFLINE,
      ...this.more,
    };
  }

  async tt(...words: string[]): Promise<Record<string, unknown>> {
    const { stdout } = await run(process.execPath, [inject("tt"), ...words, "--json"], {
      env: this.env,
      cwd: this.path,
    });
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  async doctor(harness: Harness): Promise<readonly Record<string, string>[]> {
    const { findings } = (await this.tt("doctor")) as { findings: Record<string, string>[] };
    return findings.filter(({ name }) => name === harness);
  }

  /** What the harness itself says. */
  async ask(harness: Harness, ...words: string[]): Promise<string> {
    const [program = "", ...first] = programOf(harness);
    const { stdout, stderr } = await run(program, [...first, ...words], { env: this.env, cwd: this.path });
    return `${stdout}${stderr}`;
  }

  start(harness: Harness, ...words: string[]): ChildProcessWithoutNullStreams {
    const [program = "", ...first] = programOf(harness);
    return spawn(program, [...first, ...words], { env: this.env, cwd: this.path });
  }
}

/** Each in a state in which it would use a server of its user's: what else it needs stands beside our entries. */
const PREPARATIONS: Readonly<Record<Harness, (home: Home) => void>> = {
  claude: (home) => home.write(".claude/settings.json", { permissions: {} }),
  codex: (home) => home.write(".codex/config.toml", "check_for_update_on_startup = false\n"),
  gemini: (home) => home.write(".gemini/settings.json", { security: { folderTrust: { enabled: false } } }),
  opencode(home) {
    home.write(".config/opencode/opencode.json", { autoupdate: false });
    // As if it had fetched its library for plugins already.
    const dependencies = { "@opencode-ai/plugin": "*" };
    home.write(".config/opencode/package.json", { dependencies });
    home.write(".config/opencode/package-lock.json", { lockfileVersion: 3, packages: { "": { dependencies } } });
    mkdirSync(join(home.path, ".config/opencode/node_modules"));
  },
};

for (const harness of ["claude", "gemini", "opencode"] as const) {
  it.skipIf(!isInstalled(harness))(`${harness} starts the server`, async () => {
    const home = new Home();
    PREPARATIONS[harness](home);
    await home.tt("install", harness, "--yes");
    expect(await home.ask(harness, "mcp", "list")).toMatch(/talking-stick.*connected/is);
    expect(await home.doctor(harness)).toMatchObject([{ level: "ok" }]);
    await home.tt("uninstall", harness, "--yes");
    expect(await home.ask(harness, "mcp", "list")).not.toContain("talking-stick");
  });
}

interface CodexHook {
  readonly key: string;
  readonly currentHash: string;
  readonly trustStatus: string;
  readonly command: string;
}

interface HookList {
  readonly hooks: readonly CodexHook[];
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
}

/** What Codex itself knows about the hooks of its user. */
async function hooksOfCodex(home: Home): Promise<HookList> {
  const server = home.start("codex", "app-server");
  const send = (message: object) => server.stdin.write(`${JSON.stringify(message)}\n`);
  send({ id: 1, method: "initialize", params: { clientInfo: { name: "test", version: "1" } } });
  for await (const line of createInterface({ input: server.stdout })) {
    const { id, result } = JSON.parse(line) as { id?: number; result?: { data: HookList[] } };
    if (id === 1) {
      send({ method: "initialized" });
      send({ id: 2, method: "hooks/list", params: { cwds: [home.path] } });
    }
    if (id !== 2) continue;
    server.kill();
    const [list] = result?.data ?? [];
    if (list) return list;
  }
  throw new Error("Codex did not tell its hooks.");
}

/** The lines with which Codex notes that its user trusts these hooks. */
function trustedBy(hooks: readonly CodexHook[]): string {
  const lines = hooks.map(({ key, currentHash }) => `\n[hooks.state."${key}"]\ntrusted_hash = "${currentHash}"\n`);
  return lines.join("");
}

it.skipIf(!isInstalled("codex")).each([
  ["in its own directory", null, []],
  ["in its own directory behind a link", ".codex", []],
  ["behind a link that CODEX_HOME names", "link", []],
  ["with the guard", null, ["--guard"]],
])("Codex starts the server, and trusts the hooks by what doctor looks for: %s", async (_, link, flags) => {
  const home = new Home();
  PREPARATIONS.codex(home);
  if (link !== null) {
    renameSync(join(home.path, ".codex"), join(home.path, "real"));
    symlinkSync(join(home.path, "real"), join(home.path, link));
    if (link !== ".codex") home.more = { CODEX_HOME: join(home.path, link) };
  }
  const configFile = `${link === null ? ".codex" : "real"}/config.toml`;
  await home.tt("install", "codex", ...flags, "--yes");
  expect(JSON.parse((await home.ask("codex", "mcp", "list", "--json")).replace(/^[^[]*|[^\]]*$/g, ""))).toMatchObject([
    { name: "talking-stick", enabled: true, transport: { command: process.execPath, args: [inject("tt"), "mcp"] } },
  ]);
  const before = await hooksOfCodex(home);
  expect([before.hooks.length, before.warnings, before.errors]).toEqual([6 + flags.length, [], []]);
  expect(new Set(before.hooks.map(({ trustStatus }) => trustStatus))).toEqual(new Set(["untrusted"]));
  expect(await home.doctor("codex")).toMatchObject([{ level: "warning", text: expect.stringContaining("trust") }]);
  const config = readFileSync(join(home.path, configFile), "utf8");
  // Each of them counts, also the second one of an event.
  for (const hook of before.hooks) {
    home.write(configFile, `${config}${trustedBy(before.hooks.filter((other) => other !== hook))}`);
    expect(await home.doctor("codex")).toMatchObject([{ level: "warning", text: expect.stringContaining("trust") }]);
  }
  home.write(configFile, `${config}${trustedBy(before.hooks)}`);
  expect(new Set((await hooksOfCodex(home)).hooks.map(({ trustStatus }) => trustStatus))).toEqual(new Set(["trusted"]));
  expect(await home.doctor("codex")).toMatchObject([{ level: "ok" }]);
});

it.skipIf(!isInstalled("codex"))("tt in a read-only sandbox of Codex says what to use instead", async () => {
  const home = new Home();
  PREPARATIONS.codex(home);
  await home.tt("install", "codex", "--yes");
  await home.tt("join", "--agent", "script:a");
  const inSandbox = async (...words: string[]) => {
    const [program = "", ...first] = programOf("codex");
    const sandbox = ["sandbox", "-c", 'sandbox_mode="read-only"', "--", process.execPath, inject("tt"), ...words];
    const ended = run(program, [...first, ...sandbox, "--json"], { env: home.env, cwd: home.path });
    const { stderr } = await ended.then(() => ({ stderr: "{}" })).catch((error: { stderr: string }) => error);
    // Codex may have a warning of its own before.
    return JSON.parse(stderr.split("\n").findLast((line) => line.startsWith("{")) ?? stderr) as unknown;
  };
  expect(await inSandbox("try", "--agent", "script:a")).toMatchObject({
    error: "store_readonly",
    next: expect.stringMatching(
      /^Use the MCP tools, or run `tt install` outside .* writable roots\. A read-only sandbox/,
    ),
  });
  expect(await inSandbox("install", "codex", "--yes")).toMatchObject({
    error: "invalid_path",
    next: expect.stringContaining("outside of any sandbox"),
  });
});
