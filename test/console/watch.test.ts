/** `tt watch` on a real terminal: the board, its keys, and what happens to its rooms. */
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { asPerson, worldOfTwo } from "../cli/support/cli-world.ts";
import { atTerminal } from "../cli/support/terminal.ts";
import { writerIn } from "../cli/support/writer.ts";
import { makeRepository } from "../support/git-repository.ts";
import { ConsoleWorld } from "./support/console-world.ts";

const DRAWN = /q quit/;
const ALTERNATE_ON = "\u001b[?1049h";
const ALTERNATE_OFF = "\u001b[?1049l";

describe("the board", () => {
  atTerminal("follows the room, chooses with the arrows, and restores the screen", async () => {
    const world = await ConsoleWorld.withTwo();
    await world.done(["try"], { as: "claude:1" });
    const watch = await world.console("watch", { shows: DRAWN });
    await watch.until(/● claude holds the stick, turn 1/);
    await watch.until(/❯ . claude/);
    watch.press("Down");
    await watch.until(/❯ ○ codex/);
    watch.press("Up");
    await watch.until(/❯ . claude/);
    await world.done(["release", "--status", "done", "--next-action", "go on"], { as: "claude:1" });
    await watch.until(/○ the stick is free/);
    expect(watch.raw).toContain(ALTERNATE_ON);
    watch.type("q");
    const screen = await watch.until(/\[0\]/);
    expect(screen).not.toMatch(DRAWN);
    await expect.poll(() => watch.raw).toContain(ALTERNATE_OFF);
  });

  atTerminal("m writes a message, a answers a question, and the bell rings for it", async () => {
    const world = await ConsoleWorld.withTwo();
    await asPerson(world, "join");
    const watch = await world.console("watch", { shows: DRAWN });
    await watch.until(/❯ ○ claude/);
    watch.type("a");
    await watch.until(/claude asks you nothing/);
    watch.type("m");
    await watch.until(/to claude>/);
    watch.type("a draft");
    await watch.until(/to claude> a draft/);
    watch.press("Escape");
    await watch.until(DRAWN);
    watch.type("mlook at the parser");
    watch.press("Enter");
    await watch.until(/Sent to claude/);
    expect((await world.done("msg recv --text", { as: "claude:1" })).stdout).toContain("look at the parser");
    expect(watch.hasRung).toBe(false);
    const asking = world.start(["ask", "human", "may I?"], { as: "codex:1" });
    await watch.until(/■ codex/);
    await expect.poll(() => watch.hasRung).toBe(true);
    // The agent that was chosen stays chosen.
    await watch.until(/■ codex {2}needs you[^]*│ may I\?[^]*❯ ○ claude[^]*codex waits for your answer\. Answer: a/);
    watch.type("a");
    await watch.until(/codex asks:\n│ may I\?\nto codex>/);
    watch.type("you may");
    watch.press("Enter");
    expect((await asking.ended).stdout).toContain("you may");
  });

  atTerminal("what is refused comes back to be mended, and what is too long is told", async () => {
    const world = await ConsoleWorld.withTwo();
    const watch = await world.console("watch", { shows: DRAWN });
    await watch.until(/❯ ○ claude/);
    watch.type("mx");
    await watch.until(/to claude> x/);
    for (let times = 0; times < 8; times += 1) watch.paste("y".repeat(9000));
    await watch.until(/at most 65536 bytes, so that was not added/);
    watch.press("Enter");
    await watch.until(/this room allows 8192[^]*y{40}/);
    watch.press("Escape");
    await watch.until(DRAWN);
  });

  atTerminal("a message that was begun before a question came does not answer it", async () => {
    const world = await ConsoleWorld.withTwo();
    await asPerson(world, "join");
    const watch = await world.console("watch", { shows: DRAWN });
    await watch.until(/❯ . claude/);
    watch.press("Down");
    await watch.until(/❯ ○ codex/);
    watch.type("mthe parser is next");
    await watch.until(/to codex> the parser is next/);
    const asking = world.start(["ask", "human", "may I?"], { as: "codex:1" });
    await watch.until(/■ codex/);
    watch.press("Enter");
    await watch.until(/Sent to codex/);
    expect((await asPerson(world, "why")).stdout).toContain("codex waits for your answer");
    expect((await asPerson(world, ["reply", "you may"])).code).toBe(0);
    expect((await asking.ended).stdout).toContain("you may");
  });

  atTerminal("g, t and p step in, and ask first while the holder is active", async () => {
    const world = await ConsoleWorld.withTwo();
    await world.done(["try"], { as: "claude:1" });
    const watch = await world.console("watch", { shows: DRAWN });
    await watch.until(/❯ . claude/);
    watch.press("Down");
    await watch.until(/❯ ○ codex/);
    watch.type("g");
    await watch.until(/claude holds the stick and is active\. Give it to codex\? \[y\/N\]/);
    watch.press("Enter");
    await watch.until(/Nothing was done/);
    watch.type("g");
    await watch.until(/\[y\/N\]/);
    watch.type("y");
    await watch.until(/the stick is reserved for codex/);
    watch.type("p");
    await watch.until(/paused by you/);
    watch.type("p");
    await expect.poll(() => watch.screen).not.toMatch(/paused by you/);
    await world.done(["try"], { as: "codex:1" });
    await watch.until(/codex holds the stick/);
    watch.type("t");
    await watch.until(/codex holds the stick and is active\. Take it\?/);
    watch.type("y");
    await watch.until(/you hold the stick/);
  });

  atTerminal("the sentence that tells why nobody moves names a key, and the key ends it", async () => {
    const world = await ConsoleWorld.withTwo();
    await asPerson(world, ["pause", "--reason", "lunch"]);
    const watch = await world.console("watch", { shows: DRAWN, columns: 40 });
    await watch.until(/paused by you[^]*Go on: p/);
    watch.type("p");
    await expect.poll(() => watch.screen).not.toMatch(/paused|Go on/);
    await asPerson(world, ["give", "codex"]);
    await watch.until(/reserved for codex/);
    watch.type("t");
    await watch.until(/The stick is reserved for codex\. Take\s+it\? \[y\/N\]/);
    watch.type("y");
    await watch.until(/you hold the stick/);
  });

  atTerminal.for([40, 80, 200])("at %d columns each key does what the page about the board says", async (columns) => {
    const world = await ConsoleWorld.withTwo();
    await asPerson(world, "join");
    const watch = await world.console("watch", { shows: DRAWN, columns });
    const after = async (key: string, shown: RegExp) => {
      watch.press(key);
      return watch.until(shown);
    };
    await watch.until(/❯ ○ claude/);
    await after("Down", /❯ ○ codex/);
    await after("Up", /❯ ○ claude/);
    await after("t", /you\s+hold the stick/);
    await after("g", /reserved for\s+claude/);
    await after("p", /paused by you/);
    await after("p", /○ claude/);
    await expect.poll(() => watch.screen).not.toContain("paused");
    await after("a", /claude asks you nothing/);
    await after("m", /to claude>/);
    watch.paste("line one\nline two");
    await watch.until(/to claude> line one\n {11}line two/);
    await after("Escape", DRAWN);
    await after("l", /Log of/);
    await after("q", DRAWN);
    await after("d", /There is no snapshot of turn 1/);
    await after("?", /Enter {6}read/);
    await after("Escape", DRAWN);
    await after("Enter", /Its session id is not known yet/);
    await after("q", /\[0\]/);
  });

  atTerminal("a flood of messages disturbs neither the board nor what is written", async () => {
    const world = await ConsoleWorld.withTwo();
    const watch = await world.console("watch", { shows: DRAWN });
    await watch.until(/❯ ○ claude/);
    const writer = await writerIn(world, "codex:1");
    const flood = (async () => {
      for (let index = 0; index < 200; index += 1) await writer.message("room", `line ${index} of the flood`);
    })();
    const typed = "written while messages rush by";
    for (const letter of `m${typed}`) watch.type(letter);
    await flood;
    await watch.until(new RegExp(`to claude> ${typed}`));
    expect(await watch.until(/claude {2}200 unread/)).not.toMatch(/❯[^]*❯/);
  });

  atTerminal("Enter reads the agent, d shows the diff, l the log, ? the help", async () => {
    const world = new ConsoleWorld();
    makeRepository(world.tree);
    const pid = world.paneOf("agent", "echo words in the pane; exec sleep 600");
    // A busy machine must not skip a snapshot.
    const env = { TT_SNAPSHOT_MAX_MS: "60000" };
    await world.done("join", { as: "codex:1" });
    await world.done("join", { as: "claude:1", env: { ...env, TT_AGENT_PID: pid } });
    await world.done("try", { as: "claude:1", env: { ...env, TT_AGENT_PID: pid } });
    writeFileSync(join(world.tree, "new.txt"), "a new line\n");
    const watch = await world.console("watch", { shows: DRAWN, env });
    await watch.until(/❯ . claude/);
    watch.press("Enter");
    await watch.until(/words in the pane/);
    watch.press("Escape");
    await watch.until(DRAWN);
    watch.type("d");
    await watch.until(/^\+a new line$/m);
    watch.type("q");
    await watch.until(DRAWN);
    watch.type("l");
    expect(await watch.until(/Log of /)).toMatch(/claude took the stick, turn 1/);
    watch.type("q");
    await watch.until(DRAWN);
    watch.type("?");
    await watch.until(/Nothing that is shown/);
    watch.press("Left");
    await watch.until(DRAWN);
  });

  atTerminal("tells how far the room is protected, as tt alone does", async () => {
    const world = await ConsoleWorld.withTwo();
    await asPerson(world, ["guard", "deny", "--no-git", "--yes"]);
    const [told] = /guard: deny, .*/.exec((await asPerson(world, "")).stdout) ?? ["nothing"];
    const watch = await world.console("watch", { shows: DRAWN });
    await watch.until(/guard: deny, /);
    expect(watch.screen).toContain(told);
  });

  atTerminal("a long log scrolls", async () => {
    const world = await ConsoleWorld.withTwo();
    await world.fillLog(10_000);
    const watch = await world.console("watch", { shows: DRAWN });
    watch.type("l");
    await watch.until(/Log of [^]*step 9999/);
    watch.press("PageUp");
    await watch.until(/step 9965/);
    watch.press("Home");
    await watch.until(/step 9800/);
    watch.press("End", "Up", "Up");
    await expect.poll(() => watch.screen).not.toMatch(/step 9999/);
    watch.press("Down", "Down");
    await watch.until(/step 9999/);
  });

  atTerminal("acknowledges nothing", async () => {
    const world = await ConsoleWorld.withTwo();
    await asPerson(world, "join");
    const sent = await world.done(["msg", "send", "human", "for you", "--json"], { as: "claude:1" });
    const { message_id: id } = sent.json() as { message_id: string };
    const watch = await world.console("watch", { shows: DRAWN });
    await watch.until(/human ← you/);
    watch.type("l");
    await watch.until(/for you/);
    expect((await world.done(`msg trace ${id} --json`)).stdout).toContain('"state":"pending"');
  });

  atTerminal("only shows where no person started it", async () => {
    const world = await ConsoleWorld.withTwo();
    const env = { TT_HARNESS_AGENT_ID: "codex:1" };
    const watch = await world.console("watch", { shows: /read-only/, env });
    watch.type("t");
    await watch.until(/No person started this/);
  });
});

describe("all rooms", () => {
  atTerminal("are listed with their holders and what needs the person, and open", async () => {
    const world = await ConsoleWorld.withTwo();
    const elsewhere = world.directory("elsewhere");
    await asPerson(world, "join");
    await world.done("join", { as: "gemini:1", cwd: elsewhere });
    await world.done("try", { as: "gemini:1", cwd: elsewhere });
    const watch = await world.console("watch --all", { shows: /elsewhere/ });
    const screen = await watch.until(/gemini holds the stick/);
    expect(screen).toContain(world.tree);
    await watch.until(/❯ .*elsewhere/);
    watch.press("Down");
    await watch.until(/❯ .*tree/);
    const asking = world.start(["ask", "human", "may I?"], { as: "claude:1" });
    await watch.until(/■ claude: needs you/);
    watch.type("a");
    await watch.until(/claude asks:\n│ may I\?\nto claude>/);
    watch.type("yes");
    watch.press("Enter");
    expect((await asking.ended).stdout).toContain("yes");
    await watch.until(/❯ .*tree/);
    watch.press("Enter");
    await watch.until(/❯ ○ claude/);
    watch.press("Escape");
    await watch.until(/gemini holds the stick/);
    const third = world.directory("third");
    await world.done("join", { as: "late:1", cwd: third });
    await watch.until(/third/);
  });
});

describe("what may happen to it", () => {
  atTerminal("a room that is removed stays readable, and is told", async () => {
    const world = new ConsoleWorld();
    await world.done("join", { as: "claude:1" });
    const watch = await world.console("watch", { shows: DRAWN });
    await watch.until(/❯ ○ claude/);
    await world.done("leave", { as: "claude:1" });
    const prune = async () => (await asPerson(world, ["prune", "--idle", "1s", "--yes"])).stdout;
    await expect.poll(prune, { timeout: 60_000 }).toMatch(/deleted/);
    expect(await watch.until(/! This room was removed\./)).toMatch(/nobody is here/);
  });

  atTerminal("a room that is closed stays readable, and is told", async () => {
    const world = await ConsoleWorld.withTwo();
    const watch = await world.console("watch", { shows: DRAWN });
    await watch.until(/❯ ○ claude/);
    await asPerson(world, "close");
    await watch.until(/the room is closed[^]*Reopen it: tt join/);
    watch.type("t");
    await watch.until(/closed\. /);
    watch.type("q");
    await watch.until(/\[0\]/);
  });

  atTerminal("a store that goes away and comes back is told, and the board goes on", async () => {
    const world = await ConsoleWorld.withTwo();
    const watch = await world.console("watch", { shows: DRAWN });
    await watch.until(/❯ ○ claude/);
    renameSync(world.data, `${world.data}-away`);
    const screen = await watch.until(/The store is gone/);
    expect(screen).toMatch(/claude/);
    expect(existsSync(join(world.data, "tt.db"))).toBe(false);
    renameSync(`${world.data}-away`, world.data);
    await world.done("try", { as: "claude:1" });
    await watch.until(/claude holds the stick/);
    await expect.poll(() => watch.screen).not.toMatch(/! /);
  });

  atTerminal.for([20, 40, 200])("%d columns are readable, and resizing redraws", async (columns) => {
    const world = await ConsoleWorld.withTwo();
    const watch = await world.console("watch", { shows: /quit/, columns });
    await watch.until(/❯ ○ claude/);
    watch.resize(80, 30);
    await watch.until(/\? help {2}q quit/);
    watch.resize(40, 10);
    await expect.poll(() => watch.screen.split("\n").length).toBeLessThanOrEqual(9);
    expect(await watch.until(/❯ ○ claude/)).not.toMatch(/❯[^]*❯/);
  });

  atTerminal("Ctrl-Z gives the shell back, and fg the board", async () => {
    const world = await ConsoleWorld.withTwo();
    const watch = await world.console("watch", { shows: DRAWN });
    await watch.until(/❯ ○ claude/);
    watch.press("C-z");
    const stopped = await watch.until(/Stopped[^]*\$ ?$/);
    expect(stopped).not.toMatch(DRAWN);
    watch.terminal.type("fg");
    await watch.until(/❯ ○ claude/);
    watch.press("Down");
    await watch.until(/❯ ○ codex/);
  });

  atTerminal.for(["SIGTERM", "SIGHUP", "SIGINT"] as const)("%s restores the screen", async (signal) => {
    const world = await ConsoleWorld.withTwo();
    const watch = await world.console("watch", { shows: DRAWN });
    process.kill(watch.pid, signal);
    const screen = await watch.until(/\[\d+\]\n\$ ?$/);
    expect(screen).not.toMatch(DRAWN);
    await expect.poll(() => watch.raw).toContain(ALTERNATE_OFF);
    watch.terminal.type("stty -a | grep -o ' icanon'");
    await watch.until(/^ icanon$/m);
  });

  atTerminal("hostile text does nothing", async () => {
    const world = await ConsoleWorld.withTwo();
    const evil = "\u001b[2J\u001b]0;owned\u0007\u202egnp.exe漢\u0301";
    await world.tt(["card", evil], { as: "codex:1" });
    await asPerson(world, ["pause", "--reason", evil]);
    const watch = await world.console("watch", { shows: /paused by/ });
    await watch.until(/\\u\{1b\}\[2J/);
    expect(watch.raw).not.toContain("\u001b]0;owned");
    expect(watch.raw).not.toContain("\u202e");
  });

  atTerminal("it says what it needs where it cannot run", async () => {
    const world = await worldOfTwo();
    const piped = await world.tt("watch --text");
    expect([piped.code, piped.stderr]).toEqual([2, expect.stringContaining("tt watch needs a terminal")]);
    const wrong = await asPerson(world, ["watch", "--all", "."]);
    expect([wrong.code, wrong.stdout]).toEqual([2, expect.stringContaining("has no effect")]);
  });
});
