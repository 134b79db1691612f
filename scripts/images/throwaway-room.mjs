// A room in a throwaway directory, for pictures: agents work in it by the built tt, as processes of their own.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const program = join(root, "dist/tt.cjs");
export const images = join(root, "docs/images");

export class ThrowawayRoom {
  place;
  tree;
  env;
  #started = [];

  constructor(name) {
    this.place = join(tmpdir(), `talking-stick-${name}`);
    this.tree = join(this.place, "shop");
    this.env = {
      PATH: process.env.PATH,
      HOME: join(this.place, "home"),
      TT_DATA_DIR: join(this.place, "data"),
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      TZ: "UTC",
    };
    rmSync(this.place, { recursive: true, force: true });
    for (const directory of [this.tree, this.env.HOME, images]) mkdirSync(directory, { recursive: true });
  }

  run(command, ...words) {
    return execFileSync(command, words, { cwd: this.tree, env: this.env, encoding: "utf8" });
  }

  /** An agent runs a command of tt. */
  as(agent, ...words) {
    const env = { ...this.env, TT_AGENT_ID: agent };
    return execFileSync(process.execPath, [program, ...words], { cwd: this.tree, env, encoding: "utf8" });
  }

  /** For commands that wait. */
  start(agent, ...words) {
    // A question is only asked where its answer can be written.
    this.#spawn([process.execPath, program, ...words], { TT_AGENT_ID: agent }, ["ignore", "pipe", "ignore"]);
  }

  /** A person runs a command of tt at a terminal. */
  person(...words) {
    return this.#atTerminal(words, (line) => this.run("script", "-qec", line, "/dev/null"));
  }

  /** For commands of a person that go on. Standard input stays open. */
  startPerson(...words) {
    return this.#atTerminal(words, (line) =>
      this.#spawn(["script", "-qfec", line, "/dev/null"], {}, ["pipe", "pipe", "ignore"]),
    );
  }

  #atTerminal(words, run) {
    const quoted = [process.execPath, program, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
    return run(`exec ${quoted.join(" ")}`);
  }

  #spawn([command, ...words], more, stdio) {
    const child = spawn(command, words, { cwd: this.tree, env: { ...this.env, ...more }, stdio, detached: true });
    this.#started.push(child);
    return child;
  }

  end() {
    for (const child of this.#started) child.kill("SIGKILL");
    rmSync(this.place, { recursive: true, force: true });
  }
}
