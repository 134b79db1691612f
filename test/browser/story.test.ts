/** A day on the page: agents work as real processes, the person watches, and steps in from the page. */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { inBrowser } from "./support/browser.ts";
import { headerOf, openRoom, panelOf, showView } from "./support/open-room.ts";
import { PageWorld } from "./support/page-world.ts";

const CLAUDE = { as: "claude:1" };
const CODEX = { as: "codex:1" };
const HANDOFF = ["--status", "The parser is done.", "--next-action", "Write the tests."];

async function headerSays(page: Page, words: RegExp): Promise<void> {
  await expect.poll(() => headerOf(page).innerText()).toMatch(words);
}

async function panelSays(page: Page, words: RegExp): Promise<void> {
  await expect.poll(() => panelOf(page).innerText()).toMatch(words);
}

async function owner(world: PageWorld): Promise<unknown> {
  const { room } = (await world.done("state --json")).json() as { room: { owner: string | null } };
  return room.owner;
}

/** Before, `ask human` knows nobody of this name. */
async function personJoins(world: PageWorld): Promise<void> {
  await world.person("join");
}

/** The second before, a grant counts the tree as it was when the stick was handed over. */
async function aWhileAfter(startMs: number): Promise<void> {
  await expect.poll(() => performance.now() - startMs, { interval: 100 }).toBeGreaterThan(1500);
}

inBrowser("what agents do is on the page as soon as it is done", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  const page = await openRoom(await world.ui());
  await headerSays(page, /free/);
  await world.done("try", CLAUDE);
  await headerSays(page, /claude holds the stick/);
  const waiting = world.start("wait --timeout 5m --no-wake-on-message --json", CODEX);
  await headerSays(page, /Queue:\s*codex/);
  await world.done(["msg", "send", "codex", "The parser is nearly done."], CLAUDE);
  await panelSays(page, /The parser is nearly done\./);
  writeFileSync(join(world.tree, "parser.ts"), "export const rule = 1;\n");
  await world.done(["release", ...HANDOFF], CLAUDE);
  expect((await waiting.ended).stdout).toContain("your_turn");
  await headerSays(page, /codex holds the stick/);
  await panelSays(page, /Write the tests\./);
  await world.done(["release", ...HANDOFF], CODEX);
  await aWhileAfter(performance.now());
  appendFileSync(join(world.tree, "first.txt"), "nobody's turn\n");
  await world.done("try", CODEX);
  await showView(page, "Log");
  await panelSays(page, /first\.txt/);
  await world.person("take --yes --reason wrong-way");
  await headerSays(page, /you hold the stick/i);
  await world.person("give claude --yes --reason tests");
  await headerSays(page, /reserved for claude/);
  await world.person("pause --reason lunch");
  await headerSays(page, /paused/);
  await showView(page, "Turns");
  await panelSays(page, /1[^]*claude/);
});

inBrowser("a question to the person is answered on the page, and its asker goes on", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  await personJoins(world);
  const page = await openRoom(await world.ui());
  const asking = world.start(["ask", "human", "May I delete the <b>old</b> file?"], CLAUDE);
  const question = page.getByRole("list", { name: "Questions to you" });
  await expect.poll(() => question.innerText()).toContain("May I delete the <b>old</b> file?");
  await expect.poll(() => page.title()).toMatch(/^\(\d+\)/);
  await question.getByRole("textbox", { name: "Your answer to claude" }).fill("Yes, delete it.");
  await question.getByRole("button", { name: "Answer" }).click();
  expect((await asking.ended).stdout).toContain("Yes, delete it.");
  await question.waitFor({ state: "detached" });
  await panelSays(page, /Yes, delete it\./);
});

inBrowser("the stick of an active holder is given on only after a yes", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  await world.done("try", CLAUDE);
  const page = await openRoom(await world.ui());
  const give = async (answer: string) => {
    await page.getByRole("button", { name: /^Give the stick/ }).click();
    await page.locator(".give-form").getByRole("combobox", { name: "To" }).selectOption({ label: "codex" });
    await page.getByRole("textbox", { name: /^Why/ }).fill("you know the tests");
    await page.getByRole("button", { name: "Give it" }).click();
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.innerText()).toContain("claude holds the stick and is active");
    await dialog.getByRole("button", { name: answer }).click();
    await dialog.waitFor({ state: "detached" });
  };
  await give("No, do nothing");
  expect(await owner(world)).toBe("claude:1");
  await page.getByRole("button", { name: "Cancel" }).click();
  await give("Yes, do it");
  await headerSays(page, /reserved for codex/);
  expect((await world.done("try --json", CODEX)).json()).toMatchObject({
    status: "your_turn",
    given: { reason: "you know the tests" },
  });
  expect((await world.tt("heartbeat", CLAUDE)).code).not.toBe(0);
});

inBrowser("a question that is no longer true is dropped, and nothing is done", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  await world.done("try", CLAUDE);
  const page = await openRoom(await world.ui());
  await page.getByRole("button", { name: "Take the stick" }).click();
  await page.getByRole("dialog").waitFor();
  await world.done(["release", ...HANDOFF], CLAUDE);
  await world.done("try", CODEX);
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect
    .poll(() => page.getByRole("alert").allInnerTexts())
    .toContainEqual(expect.stringContaining("Nothing was done"));
  expect(await owner(world)).toBe("codex:1");
});

inBrowser("a turn that the person takes on the page is ended in a terminal", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  const page = await openRoom(await world.ui());
  await page.getByRole("button", { name: "Take the stick" }).click();
  await headerSays(page, /you hold the stick/i);
  // The others see a turn a moment before its taker has it.
  await page.getByRole("status").getByText("The stick is yours").waitFor();
  await world.person(["release", ...HANDOFF]);
  await headerSays(page, /free/);
});

inBrowser("the person pauses the room and lets it go on", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  const page = await openRoom(await world.ui());
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  expect((await world.tt("try --json", CLAUDE)).json()).toMatchObject({ status: "not_yet", paused: {} });
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  expect((await world.done("try --json", CLAUDE)).json()).toMatchObject({ status: "your_turn" });
});

inBrowser("an agent is removed only after a yes", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  const page = await openRoom(await world.ui(), "Agents");
  await panelOf(page).getByRole("list").getByRole("button", { name: "codex" }).click();
  const members = async () => {
    const state = (await world.done("state --json")).json() as { members: { agent_id: string }[] };
    return state.members.map(({ agent_id: agent }) => agent);
  };
  const remove = async (answer: string) => {
    await panelOf(page)
      .getByRole("button", { name: /^(Remove|Kick) codex|codex.*(remove|kick)/i })
      .click();
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.innerText()).toContain("Remove codex from the room?");
    await dialog.getByRole("button", { name: answer }).click();
    await dialog.waitFor({ state: "detached" });
  };
  await remove("No, do nothing");
  expect(await members()).toContain("codex:1");
  await remove("Yes, do it");
  await expect.poll(members).not.toContain("codex:1");
});

inBrowser("a message from the page is the person's word to the agent that receives it", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  const page = await openRoom(await world.ui());
  const composer = page.getByRole("form", { name: "Say something" });
  const box = composer.getByRole("textbox", { name: "Message" });
  await composer.getByRole("combobox", { name: "To" }).selectOption({ label: "codex" });
  await box.fill("please review the tests\nwhen claude is done");
  await box.press("Control+Enter");
  await panelSays(page, /please review the tests/);
  await expect.poll(() => box.inputValue()).toBe("");
  const received = (await world.done("msg recv --json", CODEX)).json() as { messages: Record<string, unknown>[] };
  expect(received.messages).toMatchObject([{ body: "please review the tests\nwhen claude is done", origin: "human" }]);
  await panelSays(page, /✓/);
});

inBrowser(
  "the person asks an agent on the page, goes on meanwhile, and has the answer where the question was",
  async () => {
    const world = await PageWorld.with("claude:1", "codex:1");
    const page = await openRoom(await world.ui());
    const composer = page.getByRole("form", { name: "Say something" });
    await composer.getByRole("combobox", { name: "To" }).selectOption({ label: "codex" });
    await composer.getByRole("combobox", { name: "as" }).selectOption({ label: "Ask and wait" });
    await composer.getByRole("textbox", { name: "Message" }).fill("Is rule 12 still used?");
    await composer.getByRole("button", { name: "Ask" }).click();
    await expect.poll(() => composer.innerText()).toContain("You asked codex");
    const { stdout } = await world.until("msg recv --json", ({ stdout: said }) => said.includes("rule 12"), CODEX);
    const { messages } = JSON.parse(stdout) as { messages: { message_id: string }[] };
    await world.done(["reply", messages[0]?.message_id ?? "", "Nobody uses it."], CODEX);
    await expect.poll(() => composer.innerText()).toMatch(/codex answered:[^]*Nobody uses it\./);
  },
);
