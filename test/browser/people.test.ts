/** Agents, notes and the log on the page: what each shows of a real room, and what a person does there. */
import { appendFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { placeTranscript, SESSION_IDS } from "../support/harness-home.ts";
import { inBrowser } from "./support/browser.ts";
import { openRoom, panelOf } from "./support/open-room.ts";
import { PageWorld } from "./support/page-world.ts";

const CLAUDE = { as: "claude:1" };
const CODEX = { as: "codex:1" };
const REAL_CODEX = { who: "codex", env: { CODEX_SESSION_ID: SESSION_IDS.codex, CODEX_VERSION: "0.166.0" } } as const;

async function panelSays(page: Page, words: RegExp): Promise<void> {
  await expect.poll(() => panelOf(page).innerText()).toMatch(words);
}

function agentLine(page: Page, name: string) {
  return page.getByRole("list", { name: "Agents of this room" }).getByRole("button", { name });
}

inBrowser("an agent's card tells its state, its turns and its writes, and gives it the stick", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  await world.done(["card", "moves <i>all</i> rules", "--file", "src/a.ts", "--blocked-on", "a review"], CLAUDE);
  await world.done("try", CLAUDE);
  await world.done(["release", "--status", "Half is moved.", "--next-action", "Move the rest."], CLAUDE);
  const page = await openRoom(await world.ui(), "Agents");
  await agentLine(page, "claude").click();
  await panelSays(page, /moves <i>all<\/i> rules[^]*a review[^]*src\/a\.ts[^]*Turn 1[^]*released[^]*Half is moved\./);
  await page.getByRole("textbox", { name: "Reason, if you want to give one" }).fill("you know the rules");
  await page.getByRole("button", { name: "Give claude the stick" }).click();
  await panelSays(page, /is next/);
  expect((await world.done("try --json", CLAUDE)).json()).toMatchObject({ given: { reason: "you know the rules" } });
  await page.goBack();
  await panelSays(page, /Choose an agent/);
});

inBrowser("the stick is taken from an active holder only after a yes", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  await world.done("try", CLAUDE);
  const page = await openRoom(await world.ui(), "Agents");
  await agentLine(page, "claude").click();
  await page.getByRole("button", { name: "Take the stick from claude" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Yes, do it" }).click();
  await page.getByRole("button", { name: "Give claude the stick" }).waitFor();
  expect((await world.tt("heartbeat", CLAUDE)).code).not.toBe(0);
});

inBrowser("a transcript is read when the person asks for it, and again only by another press", async () => {
  const world = await PageWorld.with("claude:1");
  const path = placeTranscript(world.home, "codex", world.tree);
  await world.done("join", REAL_CODEX);
  const page = await openRoom(await world.ui(), "Agents");
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api/read_session")) asked.push(request.url());
  });
  await agentLine(page, "codex").click();
  await page.getByRole("button", { name: "Look into it" }).waitFor();
  expect(asked).toHaveLength(0);
  await page.getByRole("button", { name: "Look into it" }).click();
  await panelSays(page, /Assistant[^]*Only the changelog is left\./);
  const more = { type: "response_item", payload: { type: "message", role: "user", content: [] } };
  const content = [{ type: "input_text", text: "And <script>now</script>?" }];
  const said = { timestamp: "2026-11-15T09:00:00.000Z", ...more, payload: { ...more.payload, content } };
  appendFileSync(path, `${JSON.stringify(said)}\n`);
  await page.getByRole("button", { name: "Look again" }).click();
  await panelSays(page, /And <script>now<\/script>\?/);
  expect(asked).toHaveLength(2);
  await agentLine(page, "claude").click();
  await page.getByRole("button", { name: "Look into it" }).click();
  await page.getByRole("region", { name: "Its transcript" }).getByRole("alert").waitFor();
});

inBrowser("a note is added, refused without being lost, and resolved", async () => {
  const world = await PageWorld.with("claude:1");
  await world.done(["notes", "add", "fixture 7 is <b>wrong</b> on purpose"], CLAUDE);
  const page = await openRoom(await world.ui(), "Notes");
  await panelSays(page, /fixture 7 is <b>wrong<\/b> on purpose/);
  const field = page.getByRole("textbox", { name: "New note" });
  const tooLong = "long ".repeat(20_000);
  await field.fill(tooLong);
  await page.getByRole("button", { name: "Add the note" }).click();
  await expect.poll(() => panelOf(page).getByRole("alert").innerText()).toMatch(/bytes; this room allows/);
  expect(await field.inputValue()).toBe(tooLong);
  await field.fill("the old tokenizer\nis still imported");
  await field.press("Control+Enter");
  await panelSays(page, /the old tokenizer\nis still imported/);
  expect(await field.inputValue()).toBe("");
  const { notes } = (await world.done("notes list --json")).json() as { notes: { body: string }[] };
  expect(notes.map(({ body }) => body)).toContain("the old tokenizer\nis still imported");
  await page.getByRole("article", { name: "Note of claude" }).getByRole("button", { name: "Resolve" }).click();
  await page.getByRole("article", { name: "Note of claude" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Resolved" }).click();
  await panelSays(page, /fixture 7[^]*resolved by\s+you/);
});

inBrowser("the log is filtered by type, agent and words, opens an event, and its address says so", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  await world.done(["msg", "send", "codex", "The parser is yours."], CLAUDE);
  await world.done(["msg", "send", "claude", "Which rules may I delete?"], CODEX);
  await world.done("try", CODEX);
  const page = await openRoom(await world.ui(), "Log");
  const events = page.getByRole("list", { name: "Events" });
  const lines = () => events.getByRole("listitem").allInnerTexts();
  await expect.poll(lines).toHaveLength(5);
  await page.getByRole("combobox", { name: "Show" }).selectOption({ label: "Messages" });
  await expect.poll(lines).toHaveLength(2);
  await page.getByRole("searchbox", { name: "Words" }).fill("PARSER");
  await expect.poll(lines).toEqual([expect.stringMatching(/claude → codex\s+The parser is yours\./)]);
  await page.getByRole("status").getByText("1 of 5 loaded events").waitFor();
  await page.getByRole("searchbox", { name: "Words" }).press("Enter");
  await events.focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await panelSays(page, /message_sent[^]*claude:1[^]*"deliveryHint": "normal"/);
  const address = page.url();
  await page.getByRole("button", { name: "Clear" }).click();
  await expect.poll(lines).toHaveLength(5);
  await page.goBack();
  expect(page.url()).toBe(address);
  await expect.poll(lines).toHaveLength(1);
  await page.getByRole("button", { name: "The message in the talk" }).click();
  await panelSays(page, /The parser is yours\./);
});
