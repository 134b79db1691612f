/** A page that may only look has nothing that changes something, whatever its person presses. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { onlyLooks, PAGE_OPERATIONS } from "../../src/surfaces/ui/page-calls.ts";
import { inBrowser, textOf } from "./support/browser.ts";
import { openFirst, openRoom, showView, VIEWS } from "./support/open-room.ts";
import { sharedWorld } from "./support/page-world.ts";
import { richRoom } from "./support/rich-room.ts";

const LOOKS = new Set([...PAGE_OPERATIONS.values()].filter(onlyLooks).map(({ name }) => name as string));

const rich = sharedWorld(async (world) => {
  await richRoom(world);
  return world;
});

/** Visits each view, with an item open where it can be. */
async function inEachView(page: Page, visit: () => Promise<void>): Promise<void> {
  for (const view of VIEWS) {
    await showView(page, view);
    await openFirst(page, view);
    await expect.poll(() => textOf(page)).not.toMatch(/Loading|Searching/);
    await visit();
  }
}

/** What a person can use, by its name. */
async function controlsOf(page: Page): Promise<readonly string[]> {
  const found = new Set<string>();
  await inEachView(page, async () => {
    const names = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll("main :is(button, input, textarea, select):not([role=tab])")]
        .map((one) => one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.textContent)`,
    );
    for (const name of names) found.add(name.trim());
  });
  return [...found];
}

/** What changes something on the page of a person who may act. */
const ACTS = [
  "Take the stick",
  "Give the stick",
  "Pause",
  "Message",
  "Your answer to claude",
  "New note",
  "Add the note",
];

inBrowser("with --read-only nothing on the page changes anything, and it says why", async () => {
  const world = await rich();
  const acting = await openRoom(await world.ui());
  await expect.poll(() => controlsOf(acting)).toEqual(expect.arrayContaining(ACTS));
  const page = await openRoom(await world.ui({ words: "--read-only" }));
  await expect.poll(() => textOf(page)).toMatch(/read-only|only look/i);
  const controls = await controlsOf(page);
  expect(ACTS.filter((name) => controls.includes(name))).toEqual([]);
  const asked = new Set<string>();
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/")) asked.add(pathname.slice("/api/".length));
  });
  const log = () => world.done("log --json").then(({ stdout }) => stdout);
  const before = await log();
  await inEachView(page, async () => {
    expect(await page.locator("textarea").count()).toBe(0);
    await page.evaluate(
      `for (const button of document.querySelectorAll("main button:not([role=tab])")) button.click()`,
    );
    expect(await page.getByRole("dialog").count()).toBe(0);
  });
  expect([...asked].filter((name) => name !== "stream" && !LOOKS.has(name))).toEqual([]);
  expect(asked.size).toBeGreaterThan(1);
  expect(await log()).toBe(before);
});
