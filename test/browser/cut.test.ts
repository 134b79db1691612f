/** What a page says and shows when its server, its network or the store is away, and when they are back. */
import { renameSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { inBrowser, textOf } from "./support/browser.ts";
import { Network } from "./support/network.ts";
import { headerOf, openRoom } from "./support/open-room.ts";
import { PageWorld } from "./support/page-world.ts";

const CLAUDE = { as: "claude:1" };
/** What Chromium itself writes when no answer comes. */
const NO_ANSWER = /net::ERR_/;

/** And what it writes when the server does not know the secret. */
const NO_ANSWER_OR_REFUSED = /net::ERR_|status of 403/;

async function isSaid(page: Page, words: RegExp): Promise<void> {
  await expect.poll(() => page.getByRole("status").allInnerTexts()).toContainEqual(expect.stringMatching(words));
}

async function isNotSaid(page: Page, words: RegExp): Promise<void> {
  await expect
    .poll(async () => (await page.getByRole("status").allInnerTexts()).some((text) => words.test(text)))
    .toBe(false);
}

async function send(world: PageWorld, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await world.done(["msg", "send", "codex", text], CLAUDE);
}

/** The numbered texts that the view shows, in their order. */
async function numbers(page: Page): Promise<readonly number[]> {
  const [text = ""] = await page.getByRole("list", { name: "Talk" }).allInnerTexts();
  return [...text.matchAll(/number (\d+)/g)].map(([, digits]) => Number(digits));
}

inBrowser("after the network was cut in the middle of a line, each line is there once", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  const network = await Network.open();
  const page = await openRoom(await world.ui(), "Talk", { expected: NO_ANSWER, through: network.address });
  await send(world, "number 1", "number 2");
  await expect.poll(() => numbers(page)).toEqual([1, 2]);
  network.cutInNextPart();
  await send(world, "number 3");
  await isSaid(page, /Behind since \d\d:\d\d/);
  await send(world, "number 4");
  expect(await numbers(page)).toEqual([1, 2]);
  network.mend();
  await expect.poll(() => numbers(page)).toEqual([1, 2, 3, 4]);
  await isNotSaid(page, /Behind/);
  await send(world, "number 5");
  await expect.poll(() => numbers(page)).toEqual([1, 2, 3, 4, 5]);
});

inBrowser("what the person sends while the network is cut is not lost, and not sent twice", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  const network = await Network.open();
  const page = await openRoom(await world.ui(), "Talk", { expected: NO_ANSWER, through: network.address });
  const box = page.getByRole("textbox", { name: "Message" });
  await box.fill("number 1");
  network.cut();
  await box.press("Control+Enter");
  await page.getByText("What you typed is still here.").waitFor();
  network.mend();
  await isNotSaid(page, /Behind/);
  expect(await box.inputValue()).toBe("number 1");
  await box.press("Control+Enter");
  await expect.poll(() => numbers(page)).toEqual([1]);
  // Also not when only the answer is lost.
  await box.fill("number 2");
  network.cutInNextPart();
  await box.press("Control+Enter");
  await page.getByText("What you typed is still here.").waitFor();
  network.mend();
  await expect.poll(() => numbers(page)).toEqual([1, 2]);
  await box.press("Control+Enter");
  await expect.poll(() => box.inputValue()).toBe("");
  await send(world, "number 3");
  await expect.poll(() => numbers(page)).toEqual([1, 2, 3]);
});

inBrowser("a page that the browser froze has each line once when it wakes", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  const page = await openRoom(await world.ui(), "Talk", { expected: NO_ANSWER });
  await send(world, "number 1");
  await expect.poll(() => numbers(page)).toEqual([1]);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
  await send(world, "number 2", "number 3");
  await devtools.send("Page.setWebLifecycleState", { state: "active" });
  await expect.poll(() => numbers(page)).toEqual([1, 2, 3]);
  await send(world, "number 4");
  await expect.poll(() => numbers(page)).toEqual([1, 2, 3, 4]);
});

inBrowser(
  "a server that is stopped leaves the page behind, and nothing is lost or doubled when it goes on",
  async () => {
    const world = await PageWorld.with("claude:1", "codex:1");
    const server = await world.ui();
    const page = await openRoom(server, "Talk", { expected: NO_ANSWER });
    await send(world, "number 1");
    await expect.poll(() => numbers(page)).toEqual([1]);
    server.signal("SIGSTOP");
    await send(world, "number 2", "number 3");
    await isSaid(page, /Behind since \d\d:\d\d/);
    expect(await numbers(page)).toEqual([1]);
    server.signal("SIGCONT");
    await expect.poll(() => numbers(page)).toEqual([1, 2, 3]);
    await isNotSaid(page, /Behind/);
    await send(world, "number 4");
    await expect.poll(() => numbers(page)).toEqual([1, 2, 3, 4]);
  },
);

inBrowser("a page whose server has ended says so, keeps what it shows, and a new server opens a new page", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  const server = await world.ui();
  const page = await openRoom(server, "Talk", { expected: NO_ANSWER_OR_REFUSED });
  await send(world, "number 1");
  await expect.poll(() => numbers(page)).toEqual([1]);
  await server.end();
  await isSaid(page, /Behind since .*tt ui does not answer/);
  expect(await numbers(page)).toEqual([1]);
  const port = new URL(server.address).port;
  const next = await world.ui({ words: `--port ${port}` });
  // The same port with another secret.
  await isSaid(page, /belongs to a tt ui that has ended/);
  expect(await numbers(page)).toEqual([1]);
  const other = await openRoom(next);
  await expect.poll(() => numbers(other)).toEqual([1]);
});

inBrowser("while the store is away the page says so, and afterwards it has each line once", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  const page = await openRoom(await world.ui());
  await send(world, "number 1");
  await expect.poll(() => numbers(page)).toEqual([1]);
  renameSync(world.data, `${world.data}-away`);
  await isSaid(page, /Behind: the store cannot be read/);
  renameSync(`${world.data}-away`, world.data);
  await send(world, "number 2");
  await expect.poll(() => numbers(page)).toEqual([1, 2]);
  await isNotSaid(page, /Behind/);
  await send(world, "number 3");
  await expect.poll(() => numbers(page)).toEqual([1, 2, 3]);
});

inBrowser("a page that is opened without the secret, or with an old one, shows nothing of the rooms", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  const server = await world.ui();
  const page = await openRoom(server);
  await expect.poll(() => headerOf(page).innerText()).toContain("free");
  const other = await openPageWithoutSecret(page, server.origin);
  await expect.poll(() => textOf(other)).toMatch(/opens nothing/);
  expect(await textOf(other)).not.toContain(world.tree);
});

async function openPageWithoutSecret(page: Page, origin: string): Promise<Page> {
  const other = await page.context().newPage();
  await other.goto(`${origin}/`);
  return other;
}
