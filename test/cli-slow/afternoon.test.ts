/**
 * A user's afternoon in two terminals: a person and an agent share one checkout. The screens are kept word for word
 * in golden/afternoon.txt, because what a person sees is more than what a command prints.
 */
import { join } from "node:path";
import { expect } from "vitest";
import { CliWorld, PERSON } from "../cli/support/cli-world.ts";
import { atTerminal, type Terminal, Terminals } from "../cli/support/terminal.ts";
import { withoutAccidents } from "../cli/support/transcript.ts";

const HANDOFF =
  "--status 'the parser reads every fixture' --next-action 'write the tests for it' " +
  "--artifact src/parser.ts:1-40:review --do-not 'rename parse()'";

class Album {
  readonly #world: CliWorld;
  #text = "";

  constructor(world: CliWorld) {
    this.#world = world;
  }

  get text(): string {
    return withoutAccidents(this.#text, this.#world.root);
  }

  async run(terminal: Terminal, line: string): Promise<void> {
    this.add(terminal, line, await terminal.run(line));
  }

  add(terminal: Terminal, title: string, screen: string): void {
    this.#text += `--- ${terminal.name}: ${title}\n${screen}\n\n`;
  }
}

atTerminal("an afternoon: wait, release, pass, a holder that dies, a takeover, notes and the log", async () => {
  const world = new CliWorld();
  const terminals = new Terminals(world);
  const album = new Album(world);
  const harness = world.startProgram("sleep", ["1000"]);
  const you = terminals.open("you", { TT_GONE_GRACE_MS: "500" });
  const codex = terminals.open("codex", { TT_AGENT_ID: "codex:1", TT_AGENT_PID: String(harness.pid) });

  for (const line of ["tt", "tt join", "tt try"]) await album.run(you, line);
  const waiting = codex.run("tt wait");
  await codex.until(/^Waiting, number 1 in line: human/m);
  await album.run(you, "tt; tt state");
  for (const line of ["tt release", "tt pass gemini --status x --next-action y"]) await album.run(you, line);
  await album.run(you, `tt release ${HANDOFF}`);
  album.add(codex, "tt wait", await waiting);
  await album.run(you, "tt");

  const pass = "tt pass human --status 'tests written' --next-action 'read them'";
  expect((await codex.run(pass)).replaceAll(/\s+/g, " ")).toContain("neither waits nor receives");
  const listening = you.run("tt listen");
  await you.until(/^Listening/m);
  await world.until("state --json", ({ stdout }) => new RegExp(`"${PERSON}".*?"reachable":true`).test(stdout));
  await album.run(codex, pass);
  album.add(you, "tt listen", await listening);
  await album.run(you, "tt release --status 'tests read' --next-action 'go on'");

  await album.run(codex, "tt try; tt notes add 'fixture 7 is wrong on purpose'");
  const looking = you.run("tt wait");
  await you.until(/^Waiting, number 1/m);
  harness.kill("SIGKILL");
  album.add(you, "tt wait", await looking);
  for (const line of ["tt", "tt doctor", "tt take --reason 'codex was killed'", "tt notes", "tt events --after 6"]) {
    await album.run(you, line);
  }
  for (const line of ["tt list", "tt kick codex:1 --reason 'its terminal was closed'", "tt leave; tt"]) {
    await album.run(you, line);
  }
  await expect(album.text).toMatchFileSnapshot(join(import.meta.dirname, "golden/afternoon.txt"));
});

atTerminal("the line of a wait changes in its place, and Ctrl-C leaves a clean screen", async () => {
  const world = new CliWorld();
  const you = new Terminals(world).open("you");
  await world.done("try", { as: "codex:1" });
  const waiting = you.run("tt wait");
  await you.until(/^Waiting, number 1 in line: codex holds turn 1, its lease ends in \d+m$/m);
  await world.done("release --status x --next-action y", { as: "codex:1" });
  expect(await waiting).toMatch(/^Your turn: turn 2 \(you were next in the queue\)\.\n/);

  await you.run("tt release --status x --next-action y");
  await world.done("try", { as: "a-rather-long-name-of-an-agent:0123456789abcdef0123456789" });
  const interrupted = you.run("tt wait");
  await you.until(/^Waiting, number 1/m);
  you.press("C-c");
  expect(await interrupted).toBe("You stopped waiting. This call keeps no place in the queue.\n[130]\n$");
});

atTerminal("a wait whose output is watched elsewhere shows no line", async () => {
  const world = new CliWorld();
  const you = new Terminals(world).open("you");
  await world.done("try", { as: "codex:1" });
  expect(await you.run("tt wait --timeout 100ms | cat")).toMatch(/^Not yet: codex holds turn 1/);
  expect(await you.run("tt wait --timeout 100ms 2> errors; cat errors")).toMatch(/^Not yet: codex holds turn 1/);
  expect(await you.run("tt wait --timeout 100ms --json")).toMatch(/^\{"status":"not_yet"/);
});

atTerminal("a question can be answered with yes, no, Ctrl-C and Ctrl-D", async () => {
  const world = new CliWorld();
  const you = new Terminals(world).open("you");
  const answers = [];
  for (const key of ["n", "C-c", "C-d", "y"]) {
    const asked = you.run("tt init");
    await you.until(/Write this\? \[y\/N\]$/);
    you.press(key);
    if (key.length === 1) you.press("Enter");
    answers.push((await asked).split("\n").at(-3));
  }
  expect(answers).toEqual(["Nothing was written.", "Nothing was written.", "Nothing was written.", "Written."]);
  expect(await you.run("tt init")).toContain("is marked already.");
});

atTerminal("a question shows that it waits, Ctrl-C leaves a clean screen, and letting go is asked about", async () => {
  const world = new CliWorld();
  const you = new Terminals(world).open("you");
  await world.done("join", { as: "codex:1" });
  const asking = you.run("tt ask codex 'which port?'");
  await you.until(/^Asked codex\. Waiting for the answer; Ctrl-C stops waiting\.$/m);
  you.press("C-c");
  expect(await asking).toMatch(/^You stopped waiting\. The question stays open[^]*\n\[130\]\n\$$/);

  const again = you.run("tt ask codex 'which port?'");
  await you.until(/^Asked codex/m);
  const { messages } = (await world.done("msg recv --json", { as: "codex:1" })).json() as {
    messages: { message_id: string }[];
  };
  await world.done(["reply", messages[1]?.message_id as string, "8080"], { as: "codex:1" });
  expect(await again).toMatch(/^┌ codex answers\n│ 8080\n└ /);

  const purging = you.run("tt dlq purge");
  await you.until(/permanently\? \[y\/N\]$/);
  you.press("n");
  you.press("Enter");
  expect(await purging).toContain("Nothing was purged.");
});
