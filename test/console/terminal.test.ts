/** What a terminal does to the chat: sizes, pastes, signals, floods, hostile text. */
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { widthOf } from "../../src/surfaces/words/width.ts";
import { asPerson } from "../cli/support/cli-world.ts";
import { atTerminal } from "../cli/support/terminal.ts";
import { writerIn } from "../cli/support/writer.ts";
import { ConsoleWorld } from "./support/console-world.ts";

const SWITCHED_OFF = "\u001b[?2004l\u001b[?25h";
const DRAFT = "a draft that is long enough to be broken when the terminal becomes narrow, and longer than that";

describe("keys", () => {
  atTerminal("edit the text as a person expects", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    chat.type("one two three");
    chat.press("C-w", "Home", "Right", "DC", "End");
    await chat.until(/room> oe two/);
    chat.press("C-u");
    chat.type("first");
    chat.press("C-j");
    chat.type("second");
    chat.press("M-Enter");
    chat.type("third");
    await chat.until(/room> first\n {6}second\n {6}third/);
    chat.press("Up", "Up", "C-k", "M-b", "C-Right", "Left", "BSpace", "Down", "C-a", "C-e");
    chat.press("C-u", "Enter");
    await chat.until(/you → room/);
    chat.press("Up");
    await chat.until(/room> fir/);
    chat.press("C-c");
    await chat.until(/Ctrl-C again ends the chat/);
    chat.press("C-d");
    await chat.until(/\[0\]/);
  });

  atTerminal.for([40, 80, 200])("at %d columns each key does what the page about the chat says", async (columns) => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat", { columns });
    const after = async (keys: readonly string[], text: string, shown: RegExp) => {
      chat.press(...keys);
      chat.type(text);
      await chat.until(shown);
    };
    await after([], "one two", /^room> one two ?$/m);
    await after(["C-Left"], "1", /^room> one 1two ?$/m);
    await after(["Home"], "2", /^room> 2one 1two ?$/m);
    await after(["C-Right"], "3", /^room> 2one3 1two ?$/m);
    await after(["Right", "Right", "Left"], "4", /^room> 2one3 41two ?$/m);
    await after(["End"], "5", /^room> 2one3 41two5 ?$/m);
    await after(["C-w"], "six", /^room> 2one3 six ?$/m);
    await after(["C-Left", "C-k"], "7", /^room> 2one3 7 ?$/m);
    await after(["C-u"], "first", /^room> first ?$/m);
    await after(["C-j"], "second", /^room> first\n {6}second ?$/m);
    await after(["M-Enter"], "third", /^room> first\n {6}second\n {6}third ?$/m);
    await after(["Up", "Up"], "8", /^room> first8\n {6}second\n {6}third ?$/m);
    await after(["Down", "BSpace", "Left", "DC"], "9", /^room> first8\n {6}seco9\n {6}third ?$/m);
    await after(["Enter"], "/he", /│ first8\n│ seco9\n│ third\n[^]*^room> \/he ?$/m);
    await after(["Tab"], "", /^room> \/help ?$/m);
    await after(["C-c"], "", /Ctrl-C again ends the chat/);
    await after(["Up"], "", /^room> first8\n {6}seco9\n {6}third ?$/m);
    chat.press("C-u", "BSpace", "C-u", "BSpace", "C-u");
    await chat.until(/^room> ?$/m);
    chat.press("C-d");
    await chat.until(/\[0\]/);
  });

  atTerminal("wide and combining characters keep their places", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    chat.type("漢字 e\u0301 한글 👍");
    chat.press("Left", "Left", "BSpace");
    chat.type("X");
    await chat.until(/room> 漢字 e\u0301 한X 👍/);
    chat.press("Enter");
    await chat.until(/│ 漢字 e\u0301 한X 👍/);
  });
});

describe("sizes", () => {
  atTerminal("resizing leaves no fragments and loses nothing", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    const said = ["one message of the talk, long enough to be broken into rows", "another one", "the last of them"];
    for (const text of said) {
      chat.send(text);
      await chat.until(new RegExp(`│ ${text.slice(0, 20)}`));
    }
    chat.type(DRAFT);
    await chat.until(/and longer than that/);
    const widths = [40, 200, 80];
    for (const columns of widths) {
      chat.resize(columns);
      await chat.until(
        columns === 40 ? /room> a draft that is long enough to be\b.*\n {6}/ : /room> a draft .*[a-z]$/m,
      );
      await expect.poll(() => wordsOf(chat.scrollback)).toContain(wordsOf(DRAFT));
    }
    for (const columns of [60, 30, 110, 41, 120, 80]) chat.resize(columns);
    await chat.until(/and longer than that/);
    await expect.poll(() => count(chat.scrollback, "room>")).toBe(1);
    // Above the region nothing is drawn twice, and nothing is missing.
    const once = [...said, "claude joined", "codex joined", "you joined"];
    await expect
      .poll(() => once.map((text) => count(wordsOf(chat.scrollback), wordsOf(text))))
      .toEqual(once.map(() => 1));
  });

  atTerminal.for([20, 40, 200])("%d columns are readable", async (columns) => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat", { columns, shows: /room> ?$/m });
    chat.send("some words that need several rows on a narrow screen");
    await chat.until(/│ some words/);
    await chat.until(/room> ?$/m);
    expect(wordsOf(chat.scrollback)).toContain(wordsOf("some words that need several rows on a narrow screen"));
    for (const line of chat.screen.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(columns);
  });

  atTerminal("a screen of few rows keeps the composer", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat", { rows: 4 });
    chat.send("hello");
    await chat.until(/room> ?$/m);
    await expect.poll(() => chat.scrollback).toContain("│ hello");
  });
});

describe("what comes in one go", () => {
  atTerminal("a paste of 50 lines is text, with its control characters shown", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    const lines = Array.from({ length: 50 }, (_, index) => `pasted line ${index + 1}`);
    chat.paste(`${lines.join("\n")}\nand \u001b[31mred\u0007`);
    await chat.until(/and \\u\{1b\}\[31mred\\u\{7\}/);
    expect(chat.screen).not.toContain("you → room");
    chat.press("Enter");
    await chat.until(/│ and \\u/);
    await expect.poll(() => lines.every((line) => chat.scrollback.includes(`│ ${line}\n`))).toBe(true);
  });

  atTerminal("a paste that is too long for a message is refused, and the draft stays", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    chat.type("draft ");
    chat.paste("漢字 ".repeat(1200));
    await chat.until(/at most 8192 bytes, so that was not added/);
    chat.type("goes on");
    await chat.until(/room> draft goes on/);
    chat.paste("x".repeat(8000));
    await chat.until(/x{40}/);
    process.kill(chat.pid, "SIGTERM");
    await chat.until(/\[\d+\]\n\$ ?$/);
  });

  atTerminal("a log of 10 000 events opens with the newest, and a flood does not disturb the draft", async () => {
    const world = await ConsoleWorld.withTwo();
    await world.fillLog(10_000);
    const chat = await world.console("chat");
    await chat.until(/step 9999/);
    expect(chat.scrollback).not.toContain("step 9000");
    const writer = await writerIn(world, "codex:1");
    const flood = (async () => {
      for (let index = 0; index < 200; index += 1) await writer.message("room", `line ${index} of the flood`);
    })();
    const typed = "typed while lines rush by";
    for (const letter of typed) chat.type(letter);
    await flood;
    await chat.until(/│ line 199 of the flood/);
    await chat.until(new RegExp(`room> ${typed}`));
    const seen = [...chat.scrollback.matchAll(/│ line (\d+) of the flood/g)].map(([, number]) => Number(number));
    expect(seen).toEqual(Array.from({ length: 200 }, (_, index) => index));
  });
});

describe("ends", () => {
  atTerminal("Ctrl-Z gives the shell back, and fg goes on with the draft", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    chat.type("kept");
    await chat.until(/room> kept/);
    chat.press("C-z");
    const stopped = await chat.until(/Stopped[^]*\$ ?$/);
    expect(stopped).not.toContain("room> kept");
    await world.done(["notes", "add", "while stopped"], { as: "claude:1" });
    chat.terminal.type("echo shell $((40 + 2)); fg");
    const screen = await chat.until(/room> kept/);
    expect(screen).toContain("shell 42");
    await chat.until(/claude noted: while stopped/);
    chat.type(" and more");
    await chat.until(/room> kept and more/);
  });

  atTerminal("a chat that is ended while Ctrl-Z stops it leaves everything on the terminal", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    const sent = await world.done(["msg", "send", "human", "read and kept", "--json"], { as: "claude:1" });
    const { message_id: id } = sent.json() as { message_id: string };
    await expect.poll(async () => (await world.done(`msg trace ${id} --json`)).stdout).toContain('"state":"acked"');
    chat.press("C-z");
    await chat.until(/Stopped[^]*\$ ?$/);
    chat.terminal.type("kill %1; wait %1; echo ended");
    await chat.until(/^ended$/m);
    expect(chat.scrollback).toContain("│ read and kept");
  });

  atTerminal("Ctrl-Z does nothing where no shell could continue the chat", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat", { alone: true });
    chat.press("C-z");
    chat.type("still here");
    await chat.until(/room> still here/);
  });

  atTerminal.for(["SIGTERM", "SIGHUP", "SIGINT"] as const)("%s restores the terminal", async (signal) => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    chat.type("draft");
    await chat.until(/room> draft/);
    process.kill(chat.pid, signal);
    const screen = await chat.until(/\[\d+\]\n\$ ?$/);
    expect(screen).not.toContain("room>");
    await expect.poll(() => chat.raw).toContain(SWITCHED_OFF);
    chat.terminal.type("stty -a | grep -o ' icanon'");
    await chat.until(/^ icanon$/m);
  });

  atTerminal.for(["chat", "watch"])("a terminal that is closed ends tt %s", async (words) => {
    const world = await ConsoleWorld.withTwo();
    const { pid } = await world.console(words, { shows: /room> ?$|q quit/m });
    world.terminals.tmux("new-session", "-d", "-s", "keeps-the-server");
    world.terminals.tmux("kill-session", "-t", "console");
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  atTerminal("a store that goes away and comes back is told, and the chat goes on", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    renameSync(world.data, `${world.data}-away`);
    await chat.until(/The store is gone/);
    chat.send("hello");
    await chat.until(/cannot be reached at the moment/);
    // Neither the message nor the chat itself has made another one.
    expect(existsSync(join(world.data, "tt.db"))).toBe(false);
    await world.done("join", { as: "other:1" });
    await expect.poll(() => existsSync(join(world.data, "tt.db"))).toBe(true);
    renameSync(world.data, `${world.data}-other`);
    renameSync(`${world.data}-away`, world.data);
    await world.done(["notes", "add", "back again"], { as: "claude:1" });
    await chat.until(/claude noted: back again/);
    expect(chat.scrollback).not.toContain("was removed");
    await expect.poll(() => chat.screen).not.toMatch(/The store is gone/);
  });
});

describe("hostile text", () => {
  atTerminal("in every field is shown and does nothing", async () => {
    const world = await ConsoleWorld.withTwo();
    const evil = "\u001b[2J\u001b]0;owned\u0007\u202egnp.exe\u202c\u0000\u009b31m漢\u0301\u0301";
    await world.done("try", { as: "claude:1" });
    const chat = await world.console("chat");
    const text = evil.replaceAll("\u0000", "");
    await world.tt(["msg", "send", "room", `body ${text}`], { as: "codex:1" });
    await world.tt(["notes", "add", `note ${text}`], { as: "codex:1" });
    await world.tt(["card", `card ${text}`], { as: "codex:1" });
    await world.tt(["release", "--status", `status ${text}`, "--next-action", `next ${text}`], { as: "claude:1" });
    await world.tt(["kick", "codex:1", "--force", "--reason", `why ${text}`], { as: "claude:1" });
    await chat.until(/status\s+\\u\{1b\}\[2J/);
    expect(chat.scrollback).toMatch(/body\s+\\u\{1b\}\[2J\\u\{1b\}\]0;owned/);
    expect(chat.scrollback).toContain("\\u{202e}");
    expect(chat.raw).not.toContain("\u001b]0;owned");
    expect(chat.raw).not.toContain("\u001b[2J\u001b]");
    expect(chat.raw).not.toContain("\u202e");
  });
});

describe("where it cannot run", () => {
  atTerminal("it says what it needs and ends with 2", async () => {
    const world = await ConsoleWorld.withTwo();
    const piped = await world.tt("chat --text");
    expect([piped.code, piped.stderr]).toEqual([2, expect.stringContaining("tt chat needs a terminal")]);
    const dumb = await asPerson(world, "chat", { env: { TERM: "dumb" } });
    expect([dumb.code, dumb.stdout]).toEqual([2, expect.stringContaining("TERM=dumb does not allow")]);
    const shell = world.terminals.open("shell", { CI: "true" });
    await shell.until(/\$/);
    expect(await shell.run("echo hi | tt chat")).toMatch(/standard input is none[^]*\[2\]/);
    shell.type("tt chat");
    await shell.until(/room> ?$/m);
  });
});

function wordsOf(text: string): string {
  return text.replaceAll(/[\s│]+/g, "");
}

function count(text: string, words: string): number {
  return text.split(words).length - 1;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
