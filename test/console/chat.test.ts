/** `tt chat` on a real terminal: what a person types, and what the room answers. */
import { describe, expect } from "vitest";
import { asPerson } from "../cli/support/cli-world.ts";
import { atTerminal } from "../cli/support/terminal.ts";
import { ConsoleWorld } from "./support/console-world.ts";

describe("talk", () => {
  atTerminal("plain text goes to the room, and the marks follow what becomes of it", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    chat.send("hello everybody");
    await chat.until(/you → room {2}… claude, codex/);
    await world.done("msg recv", { as: "codex:1" });
    await chat.until(/you → room {2}… claude {2}✓ codex/);
    expect(await chat.until(/✓ codex/)).toContain("│ hello everybody");
    await world.done("msg recv", { as: "claude:1" });
    await chat.until(/you → room {2}✓ claude, codex/);
  });

  atTerminal("a mark that changes after its message has left the region is told in one line", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    chat.send("@codex look at the parser");
    await chat.until(/you → codex {2}…/);
    chat.send("/help");
    await chat.until(/Marks:/);
    await world.done("msg recv", { as: "codex:1" });
    await chat.until(/✓ “look at the parser” was read by codex/);
    expect(chat.scrollback.match(/was read by codex/g)).toHaveLength(1);
  });

  atTerminal("@name goes to one agent, !@name interrupts it, and a blank makes plain text", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    chat.send("@codex one for you");
    await chat.until(/you → codex {2}…\n│ one for you/);
    chat.send("!@codex stop now");
    await chat.until(/you → codex \(interrupts\) {2}…\n│ stop now/);
    chat.send(" /not a command");
    await chat.until(/you → room .*\n│ \/not a command/);
    const { stdout } = await world.done("msg recv --json", { as: "codex:1" });
    expect(stdout).toContain('"delivery_hint":"interrupt"');
    expect(stdout).toContain('"origin":"human"');
  });

  atTerminal("a name alone makes that agent the addressee", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    chat.type("@co");
    chat.press("Tab");
    await chat.until(/@codex/);
    chat.press("Enter");
    await chat.until(/^codex>/m);
    chat.send("only you");
    await chat.until(/you → codex/);
    chat.send("@room");
    await chat.until(/^room>/m);
  });

  atTerminal("?name asks without blocking, and the answer appears when it comes", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    chat.send("?codex which file");
    await chat.until(/you → codex \(asks and waits\)/);
    chat.type("meanwhile");
    await chat.until(/room> meanwhile/);
    const { messages } = (await world.done("msg recv --json", { as: "codex:1" })).json() as {
      messages: { message_id: string }[];
    };
    await world.done(["reply", messages[0]?.message_id ?? "", "src/parser.ts"], { as: "codex:1" });
    const screen = await chat.until(/codex → you \(answers\) {2}✓/);
    expect(screen).toContain("│ src/parser.ts");
    expect(screen).toContain("room> meanwhile");
  });

  atTerminal("a question to the person rings, and a message to its asker answers it", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    expect(chat.hasRung).toBe(false);
    const asking = world.start(["ask", "human", "delete the tests?"], { as: "claude:1" });
    const screen = await chat.until(/claude asks you\. Answer: @claude text/);
    expect(screen).toMatch(/■ claude/);
    await expect.poll(() => chat.hasRung).toBe(true);
    expect(chat.raw).toContain("\u001b]9;claude asks you\u0007");
    chat.send("@claude yes");
    const { code, stdout } = await asking.ended;
    expect([code, stdout]).toEqual([0, expect.stringContaining("yes")]);
    await chat.until(/you → claude \(answers\)/);
  });

  atTerminal("a text that was begun before a question is not sent as its answer without a second Enter", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    chat.type("@claude the parser is next");
    await chat.until(/room> @claude the parser is next/);
    const asking = world.start(["ask", "human", "delete the tests?"], { as: "claude:1" });
    await chat.until(/claude asks you\. Answer: @claude text/);
    chat.press("Enter");
    await chat.until(
      /room> @claude the parser is next[^]*claude asked while you wrote\. Enter sends this as your answer\./,
    );
    expect((await world.done("msg recv --peek --json", { as: "claude:1" })).json()).toMatchObject({ count: 0 });
    chat.press("Enter");
    expect((await asking.ended).stdout).toContain("the parser is next");
  });

  atTerminal("a question that the person answers elsewhere is no longer shown as open", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    const asking = world.start(["ask", "human", "delete the tests?"], { as: "claude:1" });
    await chat.until(/claude asks you\. Answer/);
    expect((await asPerson(world, ["reply", "no"])).code).toBe(0);
    expect((await asking.ended).code).toBe(0);
    expect(await chat.until(/you → claude \(answers\)[^]*○ claude/)).not.toContain("asks you.");
  });

  atTerminal("what is refused is said, and what is wrong stays to be mended", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    chat.send("@nobody-here hello");
    await chat.until(/! .*nobody-here[^]*Candidates: .*codex/);
    await chat.until(/room> @nobody-here hello/);
    chat.press("C-u");
    chat.send("@nobody-here");
    await chat.until(/There is no member "nobody-here" here\. Candidates: claude, codex/);
    await chat.until(/room> @nobody-here$/m);
    chat.press("C-u");
    chat.send("/giv codex");
    expect(await chat.until(/Did you mean \/give\?/)).toContain("room> /giv codex");
    chat.press("C-u");
    chat.send("/kick nobody");
    const screen = await chat.until(
      /room> \/kick nobody\nThere is no member "nobody" here\. Candidates: claude, codex/,
    );
    expect(screen).not.toContain("[y/N]");
  });
});

describe("stepping in", () => {
  atTerminal("/take and /kick ask before they weaken an agent that is alive", async () => {
    const world = await ConsoleWorld.withTwo();
    await world.done("try", { as: "claude:1" });
    const chat = await world.console("chat");
    await chat.until(/● claude holds the stick, turn 1/);
    chat.send("/take");
    await chat.until(/claude holds the stick and is active\. Take it\? \[y\/N\]/);
    chat.type("n");
    await chat.until(/Nothing was done/);
    chat.send("/take it was stuck");
    await chat.until(/Take it\? \[y\/N\]/);
    chat.type("y");
    await chat.until(/you took the stick over from claude: it was stuck/);
    await chat.until(/● you hold the stick, turn 2/);
    chat.send("/kick codex");
    await chat.until(/Remove codex from the room\? \[y\/N\]/);
    chat.type("y");
    await chat.until(/you removed codex/);
    // The turn is known to the command line as well.
    await world.done(["state", "--json"]);
    chat.send("/quit");
    await chat.until(/\[0\]/);
  });

  atTerminal("what /why names can be typed: a stick that is free or reserved for another is taken", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    chat.send("/why");
    await chat.until(/the stick is free\.\nTake it: \/take/);
    chat.send("/give codex");
    await chat.until(/the stick is reserved for codex/);
    chat.send("/take");
    await chat.until(/The stick is reserved for codex\. Take it\? \[y\/N\]/);
    chat.type("y");
    await chat.until(/● you hold the stick, turn 1/);
    // A wait ends with mail.
    await world.done("msg recv", { as: "codex:1" });
    const waiting = world.start("wait", { as: "codex:1" });
    await chat.until(/; 1 waits/);
    chat.send("/why");
    await chat.until(/Hand the stick over: \/give codex/);
    chat.send("/give codex");
    expect((await waiting.ended).code).toBe(0);
    await chat.until(/● codex holds the stick, turn 2/);
  });

  atTerminal("on a narrow screen a question is there to its end", async () => {
    const world = await ConsoleWorld.withTwo();
    await world.done("try", { as: "claude:1" });
    const chat = await world.console("chat", { columns: 20, shows: /room> ?$/m });
    await chat.until(/claude holds/);
    chat.send("/give codex");
    await chat.until(/claude holds the\nstick and is\nactive\. Give it to\ncodex\? \[y\/N\]/);
    chat.type("y");
    await chat.until(/you gave/);
  });

  atTerminal("a question is dropped when the stick moves", async () => {
    const world = await ConsoleWorld.withTwo();
    await world.done("try", { as: "claude:1" });
    const chat = await world.console("chat");
    await chat.until(/claude holds the stick/);
    chat.send("/take");
    await chat.until(/Take it\? \[y\/N\]/);
    await world.done(["release", "--status", "done", "--next-action", "go on"], { as: "claude:1" });
    expect(await chat.until(/The stick has moved meanwhile/)).not.toContain("Take it?");
  });

  atTerminal("/give, /pause, /resume and /why", async () => {
    const world = await ConsoleWorld.withTwo();
    await world.done("try", { as: "claude:1" });
    const chat = await world.console("chat");
    await chat.until(/claude holds the stick/);
    chat.send("/give codex it is its turn");
    await chat.until(/claude holds the stick and is active\. Give it to codex\? \[y\/N\]/);
    chat.type("y");
    await chat.until(/you gave the stick to codex; the turn of claude has ended: it is\s+its turn/);
    await chat.until(/the stick is reserved for codex/);
    chat.send("/take");
    await chat.until(/The stick is reserved for codex\. Take it\? \[y\/N\]/);
    chat.type("n");
    await chat.until(/Nothing was done/);
    chat.send("/resume");
    await chat.until(/The room is not paused/);
    chat.send("/pause lunch");
    await chat.until(/you paused the room: lunch/);
    await chat.until(/‖ paused; /);
    chat.send("/why");
    await chat.until(/You paused the room [^]*Go on: \/resume/);
    chat.send("/resume");
    await chat.until(/you resumed the room/);
    chat.send("/give");
    await chat.until(/Name the agent: \/give codex/);
    chat.press("C-u");
    await world.done("try", { as: "codex:1" });
    await chat.until(/codex holds the stick/);
    chat.send("/take");
    await chat.until(/Take it\? \[y\/N\]/);
    chat.press("Escape");
    await chat.until(/Nothing was done/);
    expect(chat.scrollback).not.toContain("not yours yet");
  });

  atTerminal("/who, /help and /quit", async () => {
    const world = await ConsoleWorld.withTwo();
    const chat = await world.console("chat");
    chat.send("/who");
    await chat.until(/○ idle {7}codex {3}codex/);
    chat.send("/help");
    await chat.until(/^Ctrl-J or Alt-Enter begins a line/m);
    chat.send("/quit");
    const screen = await chat.until(/^\[0\]$/m);
    expect(screen).not.toContain("room>");
  });
});

describe("mail", () => {
  atTerminal("is read once it is on the terminal, also mail of another room and from before", async () => {
    const world = await ConsoleWorld.withTwo();
    const elsewhere = world.directory("elsewhere");
    await world.done("join", { as: "codex:1", cwd: elsewhere });
    const chat = await world.console("chat");
    await chat.until(/you joined/);
    chat.send("/quit");
    await chat.until(/\[0\]/);
    const sent = await world.done(["msg", "send", "human", "while you were away", "--json"], { as: "claude:1" });
    const { message_id: id } = sent.json() as { message_id: string };
    for (let index = 0; index < 40; index += 1) await world.done(["notes", "add", `note ${index}`], { as: "claude:1" });
    const trace = async () => (await world.done(`msg trace ${id} --json`)).stdout;
    expect(await trace()).toContain('"state":"pending"');
    chat.terminal.type(`'${process.execPath}' '${world.program}' chat; echo "[$?]"`);
    await chat.until(/claude → you, in .*tree\n│ while you were away/);
    await expect.poll(trace).toContain('"state":"acked"');
  });

  atTerminal.for([
    { how: "a harness", words: "chat", env: { TT_HARNESS_AGENT_ID: "codex:1" } },
    { how: "a person who names an agent", words: "--agent codex:1 chat", env: {} },
    { how: "a person in an agent's environment", words: "chat", env: { TT_AGENT_ID: "codex:1" } },
  ])("a chat that $how started only shows, and leaves the mail unread", async ({ words, env }) => {
    const world = await ConsoleWorld.withTwo();
    const sent = await world.done(["msg", "send", "codex", "for codex", "--json"], { as: "claude:1" });
    const { message_id: id } = sent.json() as { message_id: string };
    const chat = await world.console(words, { env, shows: /read-only|> ?$/m });
    await chat.until(/under\s+their\s+own\s+name/);
    await chat.until(/claude → codex {2}…\n│ for codex/);
    chat.send("hello");
    await world.done(["msg", "send", "codex", "second", "--json"], { as: "claude:1" });
    const screen = await chat.until(/│ second/);
    expect(screen).not.toMatch(/hello|room>/);
    expect((await world.done(`msg trace ${id} --json`)).stdout).toContain('"state":"pending"');
    chat.press("C-c");
    await chat.until(/\[0\]/);
  });
});
