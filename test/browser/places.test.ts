/** What stays in its place while the person goes elsewhere: to another room, another size of the window, another run. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { makeRepository } from "../support/git-repository.ts";
import { inBrowser } from "./support/browser.ts";
import { openRoom } from "./support/open-room.ts";
import { PageWorld } from "./support/page-world.ts";

const CLAUDE = { as: "claude:1" };

async function show(page: Page, fragment: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
}

function fragmentOf(page: Page): string {
  return new URL(page.url()).hash;
}

function recipient(page: Page) {
  return page.getByRole("combobox", { name: "To" });
}

inBrowser("the address of another room does not change the recipient that is chosen in this one", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  const other = makeRepository(world.directory("other"));
  await world.done("join", { ...CLAUDE, cwd: other });
  const page = await openRoom(await world.ui(), "Talk");
  const here = fragmentOf(page);
  await page.getByRole("link", { name: /other/ }).click();
  await expect.poll(() => fragmentOf(page)).not.toBe(here);
  const there = fragmentOf(page);
  await show(page, here);
  await page.getByRole("heading", { level: 1, name: /tree/ }).waitFor();
  await show(page, `${there}/to:claude%3A1`);
  await expect.poll(() => recipient(page).inputValue()).toBe("claude:1");
  await show(page, here);
  await expect.poll(() => recipient(page).inputValue()).toBe("room");
});

inBrowser("the talk keeps its end in sight while the window gets another size", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  for (const number of [1, 2, 3]) await world.done(["msg", "send", "codex", `${number}\n`.repeat(40)], CLAUDE);
  const page = await openRoom(await world.ui(), "Talk");
  const belowPx = () =>
    page.evaluate<number>(
      "(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector('[role=list][aria-label=Talk]'))",
    );
  await expect.poll(belowPx).toBeLessThan(3);
  for (const [width, height] of [
    [640, 400],
    [1280, 800],
    [500, 800],
    [1280, 500],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect.poll(belowPx).toBeLessThan(3);
  }
});

inBrowser("the secret of another run that is put into the address of this tab does not stay there", async () => {
  const world = await PageWorld.with("claude:1");
  const server = await world.ui();
  const page = await openRoom(server, "Log");
  await show(page, new URL(server.address).hash);
  await expect.poll(() => fragmentOf(page)).toMatch(/^#\/room\//);
  await page.getByRole("tab", { name: "Talk" }).waitFor();
});
