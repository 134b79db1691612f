/** Tab in the real shells: commands, flags, agents of the room, and names that a shell would run. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ensureDebianPackage } from "../support/ensure-debian-package.ts";
import { CliWorld } from "./support/cli-world.ts";
import { atTerminal, Terminals } from "./support/terminal.ts";

const INSTALLED = ["bash", "zsh", "fish"].filter(ensureDebianPackage);
const has = (shell: string) => INSTALLED.includes(shell);
const COMMAND = "$(touch${IFS}ran)";

/** A room with an agent of a plain name and one whose name is a command for a shell. */
async function roomOfTwo(): Promise<CliWorld> {
  const world = new CliWorld();
  await world.done("join", { as: "codex:1" });
  await world.done("join", { as: `${COMMAND}:1` });
  const tt = join(world.directory("bin"), "tt");
  writeFileSync(tt, `#!/bin/sh\nexec '${process.execPath}' '${world.program}' "$@"\n`);
  chmodSync(tt, 0o755);
  return world;
}

function inShell(world: CliWorld, shell: string, script: string): string {
  const env = { ...world.env(), PATH: `${join(world.root, "bin")}:/usr/bin:/bin` };
  const { stdout, stderr } = spawnSync(shell, ["-c", script], { cwd: world.tree, env, encoding: "utf8" });
  return `${stdout}${stderr}`;
}

const inBash = (world: CliWorld, line: string) =>
  inShell(
    world,
    "bash",
    `eval "$(tt completion bash)"; COMP_LINE='${line}' COMP_POINT=${line.length} COMP_WORDBREAKS=$' :=' _tt_completion; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ).split("\n");

describe.skipIf(!has("bash"))("bash", () => {
  it("completes commands, second words, flags, harnesses and agents", async () => {
    const world = await roomOfTwo();
    expect(inBash(world, "tt rel")).toEqual(["release", ""]);
    expect(inBash(world, "tt msg ")).toEqual(["send", "recv", "trace", ""]);
    expect(inBash(world, "tt wait --ti")).toEqual(["--timeout", ""]);
    expect(inBash(world, "tt start c")).toEqual(["claude", "codex", ""]);
    expect(inBash(world, "tt msg send co")).toEqual(["codex", ""]);
    expect(inBash(world, "tt events --from co")).toEqual(["codex", ""]);
    expect(inBash(world, "tt no-such-command ")).toEqual(["", ""]);
  });

  it("completes the choices that a word has, and the agents of the room that the line names", async () => {
    const world = await roomOfTwo();
    expect(inBash(world, "tt prompt ")).toEqual(["init", ""]);
    expect(inBash(world, "tt prompt init ")).toEqual(["bash", "zsh", "fish", "tmux", "claude", ""]);
    expect(inBash(world, "tt prompt init z")).toEqual(["zsh", ""]);
    const other = world.directory("other");
    const { room_id: room } = (await world.done("join --json", { as: "gemini:1", cwd: other })).json();
    expect(inBash(world, `tt give --path ${other} `)).toEqual(["gemini", ""]);
    expect(inBash(world, `tt --path=${other} give `)).toEqual(["gemini", ""]);
    expect(inBash(world, `tt give --room ${String(room)} `)).toEqual(["gemini", ""]);
    expect(inBash(world, `tt give --path ${world.tree}/none `)).toEqual(["", ""]);
  });

  it("quotes a word that is a command for a shell", async () => {
    const world = await roomOfTwo();
    const tt = readFileSync(join(world.root, "bin/tt"), "utf8");
    const stub = `case $1 in complete-line) printf '%s\\t\\n' 'x:${COMMAND}'; exit;; esac`;
    writeFileSync(join(world.root, "bin/tt"), tt.replace("\n", `\n${stub}\n`));
    const [rest] = inBash(world, "tt x:");
    expect(inShell(world, "bash", `printf %s ${rest}; ls`)).toBe(COMMAND);
  });
});

/** A program of a checkout by our name, which no Tab may run. */
function hostile(world: CliWorld): string {
  const path = join(world.tree, "tt");
  writeFileSync(path, `#!/bin/sh\ntouch ran-hostile\nprintf 'wait\\t\\n'\n`);
  chmodSync(path, 0o755);
  return path;
}

const inFish = (world: CliWorld, line: string) =>
  inShell(world, "fish", `tt completion fish | source; complete -C '${line}'`)
    .split("\n")
    .map((one) => one.split("\t")[0]);

describe.skipIf(!has("fish"))("fish", () => {
  it("completes commands, second words, flags, harnesses and agents", async () => {
    const world = await roomOfTwo();
    expect(inFish(world, "tt rel")).toEqual(["release", ""]);
    expect(new Set(inFish(world, "tt msg "))).toEqual(new Set(["", "recv", "send", "trace"]));
    expect(inFish(world, "tt wait --ti")).toEqual(["--timeout", ""]);
    expect(inFish(world, "tt start c")).toEqual(["claude", "codex", ""]);
    expect(inFish(world, "tt msg send co")).toEqual(["codex", ""]);
    expect(inFish(world, "tt pass t")).toEqual(["touch-ifs-ran", ""]);
  });
});

/** At a terminal: the line as it stands after Tab. */
const SHELLS = [
  { shell: "bash", start: "bash --norc --noprofile -i", load: 'eval "$(tt completion bash)"' },
  { shell: "zsh", start: "zsh -f -i", load: 'autoload -U compinit; compinit -u -D; eval "$(tt completion zsh)"' },
  { shell: "fish", start: "fish --no-config -i", load: "tt completion fish | source" },
];

for (const { shell, start, load } of SHELLS.filter((one) => has(one.shell))) {
  atTerminal(`${shell} at a terminal completes a command and an agent, and runs nothing`, async () => {
    const world = await roomOfTwo();
    const terminals = new Terminals(world);
    const terminal = terminals.open("person");
    terminal.type(`export PATH='${join(world.root, "bin")}':"$PATH"; unset -f tt; exec ${start}`);
    terminal.type(`${load}; echo loa''ded`);
    await terminal.until(/^loaded$/m);
    terminals.tmux("send-keys", "-t", "person", "-l", "tt rel");
    terminal.press("Tab");
    await terminal.until(/tt release/);
    terminal.press("C-u");
    terminals.tmux("send-keys", "-t", "person", "-l", "echo done; tt msg send cod");
    terminal.press("Tab");
    await terminal.until(/tt msg send codex/);
    terminal.press("C-u");
    terminals.tmux("send-keys", "-t", "person", "-l", "tt pass t");
    terminal.press("Tab");
    await terminal.until(/tt pass touch-ifs-ran/);
    terminal.press("C-u");
    terminal.type("ls; echo li''sted");
    expect(await terminal.until(/^listed$/m)).not.toMatch(/^ran$/m);
  });
}

for (const { shell, start, load } of SHELLS.filter((one) => has(one.shell))) {
  atTerminal(`${shell} at a terminal runs no program of a checkout at Tab`, async () => {
    const world = await roomOfTwo();
    const path = hostile(world);
    const terminals = new Terminals(world);
    const terminal = terminals.open("person");
    terminal.type(`export PATH='${join(world.root, "bin")}':"$PATH"; unset -f tt; exec ${start}`);
    terminal.type(`${load}; echo loa''ded`);
    await terminal.until(/^loaded$/m);
    for (const typed of ["./tt", "$PWD/tt", path, "../*/tt"]) {
      terminals.tmux("send-keys", "-t", "person", "-l", `${typed} wa`);
      terminal.press("Tab");
      terminal.press("C-u");
    }
    // What comes after it is completed only when the Tabs before it are done.
    terminals.tmux("send-keys", "-t", "person", "-l", "tt rel");
    terminal.press("Tab");
    await terminal.until(/tt release/);
    expect(existsSync(join(world.tree, "ran-hostile"))).toBe(false);
  });
}
