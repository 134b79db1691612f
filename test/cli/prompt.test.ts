/** The line in prompts and status lines, in real shells and a real tmux. None of them finds a program to start. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ensureDebianPackage } from "../support/ensure-debian-package.ts";
import { asPerson, CliWorld, PERSON } from "./support/cli-world.ts";
import { atTerminal, Terminals } from "./support/terminal.ts";

const CODEX = { as: "codex:1" };
const CLAUDE = { as: "claude:2" };
const ME = { as: PERSON };

interface Shell {
  readonly program: string;
  readonly args: readonly string[];
  /** Reads the snippet, and shows the prompt that follows a command that ended with 7. */
  readonly script: (snippet: string) => string;
  /** The same after a configuration that sets the prompt itself has been read three times. `calls`: what runs before it. */
  readonly again: (snippet: string) => string;
}

const SHELLS: Readonly<Record<string, Shell>> = {
  bash: {
    program: "/bin/bash",
    args: ["--norc", "--noprofile", "-c"],
    script: (snippet) =>
      `PS1='$? > '; . '${snippet}'; . '${snippet}'; (exit 7); eval "$PROMPT_COMMAND"; printf %s "\${PS1@P}"`,
    again: (snippet) =>
      `PROMPT_COMMAND=:; for i in 1 2 3; do PS1='> '; . '${snippet}'; done; eval "$PROMPT_COMMAND"; printf '%s|%s' "\${PS1@P}" "$PROMPT_COMMAND"`,
  },
  zsh: {
    program: "/usr/bin/zsh",
    args: ["-f", "-c"],
    script: (snippet) =>
      `PROMPT='> '; . '${snippet}'; . '${snippet}'; setopt PROMPT_SUBST; for f in $precmd_functions; do $f; done; print -nP -- "7 $PROMPT"`,
    again: (snippet) =>
      `precmd_functions=(true); for i in 1 2 3; do PROMPT='> '; . '${snippet}'; done; for f in $precmd_functions; do $f; done; print -nP -- "$PROMPT"; print -n "|$precmd_functions"`,
  },
  fish: {
    program: "/usr/bin/fish",
    args: ["--no-config", "-c"],
    script: (snippet) =>
      `function fish_prompt; echo -n "$status > "; end; source '${snippet}'; source '${snippet}'; _tt_status 7; fish_prompt`,
    again: (snippet) =>
      `for i in 1 2 3; function fish_prompt; echo -n '> '; end; source '${snippet}'; end; fish_prompt; echo -n '|'`,
  },
};

const INSTALLED = Object.keys(SHELLS).filter(ensureDebianPackage);

const UNUSUAL = 'da\'ta #{x} %H $y "z" \\';

class Prompts {
  readonly world = new CliWorld();

  async init(shell: string): Promise<string> {
    const file = join(this.world.root, `init.${shell}`);
    writeFileSync(file, (await this.world.done(`prompt init ${shell}`)).stdout);
    return file;
  }

  /** What the prompt of a shell says in a directory. The shell has no PATH, so it can start nothing. */
  async shown(shell: string, cwd = this.world.tree, how: "script" | "again" = "script"): Promise<string> {
    const { program, args, [how]: script } = SHELLS[shell] as Shell;
    const line = script(await this.init(shell));
    const env = { PATH: "/nowhere", HOME: this.world.home, LANG: "C.UTF-8", PWD: cwd };
    const { stdout, stderr } = spawnSync(program, [...args, line], { cwd, env, encoding: "utf8" });
    expect(stderr).toBe("");
    return stdout;
  }

  /** What every shell shows, if all agree. */
  async agreed(cwd?: string): Promise<string> {
    const shown = new Set<string>();
    for (const shell of INSTALLED) shown.add(lineIn(await this.shown(shell, cwd)));
    expect(shown.size).toBe(1);
    return [...shown][0] ?? "";
  }

  file(path: string): string {
    return `${this.world.data}/prompt/${path.split("/").length - 1}${path}`;
  }

  get files(): readonly string[] {
    return [this.file(this.world.tree), join(this.world.data, "prompt", "person")];
  }
}

/** The part of a prompt in brackets. */
function lineIn(prompt: string): string {
  return /^(?:7 )?\[(.*)\] (?:7 )?> $/s.exec(prompt)?.[1] ?? (/^(?:7 )?> $/.test(prompt) ? "" : prompt);
}

describe("the line in prompts", () => {
  it("follows claim, message, question, answer, mail that was read, and release", async () => {
    const prompts = new Prompts();
    const { world } = prompts;
    await world.done("join", CODEX);
    await world.done("join", CLAUDE);
    await world.done("join", ME);
    expect(await prompts.agreed()).toBe("");
    await world.done("try", CODEX);
    expect(await prompts.agreed()).toBe("stick:codex");
    await world.done(["msg", "send", PERSON, "hello"], CODEX);
    expect(await prompts.agreed()).toBe("stick:codex ✉1");
    const asked = world.start(["ask", PERSON, "which one?", "--timeout", "5m", "--json"], CLAUDE);
    await world.until("status --prompt", ({ stdout }) => stdout.includes("?"), ME);
    expect(await prompts.agreed()).toBe("stick:codex ✉2 ?claude");
    expect((await world.done("status --prompt", ME)).stdout).toBe("stick:codex ✉2 ?claude");
    const { messages } = (await world.done("msg recv --json", ME)).json() as { messages: { message_id: string }[] };
    expect(await prompts.agreed()).toBe("stick:codex ?claude");
    await world.done(["reply", messages[1]?.message_id ?? "", "the first"], ME);
    expect((await asked.ended).code).toBe(0);
    expect(await prompts.agreed()).toBe("stick:codex");
    expect((await asPerson(world, "pause")).code).toBe(0);
    expect(await prompts.agreed()).toBe("stick:codex paused");
    expect((await world.done("status --prompt", CLAUDE)).stdout).toContain("paused");
    expect((await asPerson(world, "resume")).code).toBe(0);
    expect(await prompts.agreed()).toBe("stick:codex");
    await world.done(["release", "--status", "done", "--next-action", "test"], CODEX);
    expect(await prompts.agreed()).toBe("");
    await world.done("try", ME);
    expect(await prompts.agreed()).toBe("stick:you");
  });

  it("keeps what the prompt shows besides, and the exit code of the last command", async () => {
    const prompts = new Prompts();
    await prompts.world.done("join", CODEX);
    await prompts.world.done("try", CODEX);
    for (const shell of INSTALLED) expect(await prompts.shown(shell)).toMatch(/^(7 )?\[stick:codex\] (7 )?> $/);
  });

  it("is shown once and asked for once, also if the configuration is read again and again", async () => {
    const prompts = new Prompts();
    await prompts.world.done("join", CODEX);
    await prompts.world.done("try", CODEX);
    const calls: Readonly<Record<string, string>> = { bash: "_tt_prompt\n:", zsh: "true _tt_prompt", fish: "" };
    for (const shell of INSTALLED)
      expect(await prompts.shown(shell, undefined, "again")).toBe(`[stick:codex] > |${calls[shell]}`);
  });

  it("is the line of the innermost room, and of the one around it once that is closed", async () => {
    const prompts = new Prompts();
    const { world } = prompts;
    const inner = world.directory("tree/inner");
    await world.done("join", CODEX);
    await world.done("try", CODEX);
    await world.done(["join", inner, "--force-new"], CLAUDE);
    await world.done(["try", inner], CLAUDE);
    const deep = world.directory("tree/inner/deep/er");
    expect(await prompts.agreed(deep)).toBe("stick:claude");
    expect(await prompts.agreed()).toBe("stick:codex");
    await asPerson(world, ["close", inner, "--operator-requested"]);
    expect(await prompts.agreed(deep)).toBe("stick:codex");
    expect(await prompts.agreed(world.root)).toBe("");
  });

  it.each([
    "with blanks  and 'quotes' \"too\"",
    "a\nb",
    "-n $(touch pwned) `touch pwned` %n #(touch pwned)",
    "ünï-日本-\\back*[x]?",
  ])("is found in a directory called %j, and through a link to it", async (name) => {
    const prompts = new Prompts();
    const { world } = prompts;
    const place = world.directory(`tree/${name}`);
    const below = world.directory(`tree/${name}/below`);
    await world.done(["join", "--force-new"], { ...CODEX, cwd: place });
    await world.done("try", { ...CODEX, cwd: place });
    const link = join(world.root, "link");
    symlinkSync(below, link);
    for (const cwd of [place, below, link]) expect(await prompts.agreed(cwd)).toBe("stick:codex");
    expect(readdirSync(place)).toEqual(["below"]);
  });

  it("runs nothing and draws nothing, whatever the name of the holder or the text of the file", async () => {
    const prompts = new Prompts();
    const { world } = prompts;
    const evil = { as: "$(touch${IFS}pwned)%n#(touch${IFS}pwned):1" };
    await world.done("join", evil);
    await world.done("try", evil);
    expect(await prompts.agreed()).toMatch(/^stick:[\w.:@-]+…?$/);
    // Even a file that we would never write does nothing in a prompt.
    const text = "a $(touch pwned) `touch pwned` ${HOME} %F{red} %n \\u \\w ! #[fg=red] #(touch pwned)";
    writeFileSync(prompts.file(world.tree), `${text}\n`);
    expect(await prompts.agreed()).toBe(text);
    expect(readdirSync(world.tree)).toEqual([]);
  });

  it("is for its user alone, and is not written while nothing differs", async () => {
    const prompts = new Prompts();
    const { world } = prompts;
    await world.done("join", CODEX);
    await world.done("join", ME);
    await world.done("try", CODEX);
    await world.done(["msg", "send", PERSON, "hello"], CODEX);
    const before = prompts.files.map((file) => statSync(file));
    for (const { mode } of before) expect(mode & 0o777).toBe(0o600);
    await world.done("heartbeat", CODEX);
    await world.done(["notes", "add", "nothing new"], CODEX);
    expect((await world.tt("try", CLAUDE)).code).toBe(3);
    expect(prompts.files.map((file) => statSync(file).mtimeMs)).toEqual(before.map(({ mtimeMs }) => mtimeMs));
    expect(readdirSync(join(world.data, "prompt")).toSorted()).toEqual([
      String(world.tree.split("/").length - 1),
      "person",
    ]);
  });
});

describe("a status line", () => {
  it("of Claude Code is about the directory that Claude names, and starts no Node", async () => {
    const prompts = new Prompts();
    const { world } = prompts;
    await world.done("join", CODEX);
    await world.done("try", CODEX);
    const { statusLine } = JSON.parse((await world.done("prompt init claude")).stdout) as StatusLine;
    const line = (input: string, cwd: string) =>
      spawnSync("/bin/sh", ["-c", statusLine.command], { cwd, env: ownPath(world), input, encoding: "utf8" });
    const named = JSON.stringify({ session_name: 'x"current_dir":"/', workspace: { current_dir: world.tree } });
    expect(line(named, "/")).toMatchObject({ stdout: "stick:codex\n", stderr: "" });
    for (const input of ["", "{}", "not JSON", '{"workspace":{"current_dir":"/a\\"b"}}'])
      expect(line(input, world.tree)).toMatchObject({ stdout: "stick:codex\n", stderr: "" });
    expect(line("{}", "/")).toMatchObject({ stdout: "", stderr: "" });
    expect(existsSync(join(world.root, "node-ran"))).toBe(false);
  });

  atTerminal("of tmux is about the directory of the pane, and starts no Node", async () => {
    const prompts = new Prompts();
    const { world } = prompts;
    const place = world.directory("tree/it's $(touch pwned) #(touch pwned) a\nb");
    await world.done(["join", "--force-new"], { ...CODEX, cwd: place });
    await world.done("try", { ...CODEX, cwd: place });
    const terminals = new Terminals(world);
    const terminal = terminals.open("outer");
    const config = await prompts.init("tmux");
    const inner = join(world.root, "inner");
    // tmux in tmux, so that the status line is on the screen.
    terminal.type("cd it*");
    terminal.type(`env -u TMUX PATH='${ownPath(world).PATH}' SHELL=/bin/sh tmux -S '${inner}' -f '${config}' new`);
    try {
      await terminal.until(/ stick:codex/);
    } finally {
      spawnSync("tmux", ["-S", inner, "kill-server"], { env: world.env({ TMUX_TMPDIR: undefined }) });
    }
    expect(readdirSync(place)).toEqual([]);
    expect(existsSync(join(world.root, "node-ran"))).toBe(false);
  });

  atTerminal("of tmux has the line once, also if its configuration is read again and again", async () => {
    for (const [index, name] of ["data", UNUSUAL].entries()) {
      const world = new CliWorld();
      const snippet = (await world.done("prompt init tmux", { env: { TT_DATA_DIR: join(world.root, name) } })).stdout;
      const socket = join(world.root, `tmux${index}`);
      const tmux = (...words: string[]) =>
        spawnSync("tmux", ["-S", socket, ...words], { env: world.env({ TMUX_TMPDIR: undefined }), encoding: "utf8" });
      const right = () => tmux("show", "-gv", "status-right").stdout;
      const config = (own: string) => {
        const file = join(world.root, "tmux.conf");
        writeFileSync(file, own + snippet);
        return file;
      };
      try {
        expect(tmux("-f", config(""), "new", "-d", "sleep 600").stderr).toBe("");
        const first = right();
        expect(first.split("line.sh")).toHaveLength(2);
        for (let times = 0; times < 2; times += 1) expect(tmux("source-file", config("")).stderr).toBe("");
        expect(right()).toBe(first);
        // One that sets the status line itself.
        for (let times = 0; times < 2; times += 1) tmux("source-file", config("set -g status-right MINE\n"));
        expect(right()).toBe(`MINE${first.slice(first.lastIndexOf(" #("))}`);
      } finally {
        tmux("kill-server");
      }
    }
  });

  it("in a data directory with an unusual name is found as well", async () => {
    const world = new CliWorld();
    const data = join(world.root, UNUSUAL);
    const env = { TT_DATA_DIR: data };
    await world.done("join", { ...CODEX, env });
    await world.done("try", { ...CODEX, env });
    const { statusLine } = JSON.parse((await world.done("prompt init claude", { env })).stdout) as StatusLine;
    const ran = spawnSync("/bin/sh", ["-c", statusLine.command], { cwd: world.tree, input: "", encoding: "utf8" });
    expect(ran.stdout).toBe("stick:codex\n");
    for (const shell of INSTALLED) {
      const file = join(world.root, `init.${shell}`);
      writeFileSync(file, (await world.done(`prompt init ${shell}`, { env })).stdout);
      const { program, args, script } = SHELLS[shell] as Shell;
      const { stdout } = spawnSync(program, [...args, script(file)], { cwd: world.tree, encoding: "utf8" });
      expect(lineIn(stdout)).toBe("stick:codex");
    }
  });
});

interface StatusLine {
  readonly statusLine: { readonly command: string };
}

/** A PATH with the shell, tmux, and a `node` and a `tt` that tell when they run. */
function ownPath(world: CliWorld): { readonly PATH: string; readonly HOME: string; readonly LANG: string } {
  const directory = join(world.root, "bin");
  if (!existsSync(directory)) {
    mkdirSync(directory);
    for (const [name, target] of [
      ["sh", "/bin/sh"],
      ["tmux", "/usr/bin/tmux"],
    ] as const)
      symlinkSync(target, join(directory, name));
    for (const name of ["node", "tt"]) {
      writeFileSync(join(directory, name), `#!/bin/sh\n: > '${world.root}/node-ran'\n`);
      chmodSync(join(directory, name), 0o755);
    }
  }
  return { PATH: directory, HOME: world.home, LANG: "C.UTF-8" };
}
