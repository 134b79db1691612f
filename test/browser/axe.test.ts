/** Whether everybody can read the page: what axe finds, narrow and wide, light and dark. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { axeFindings } from "./support/axe.ts";
import { inBrowser, openPage, sidewaysScroll } from "./support/browser.ts";
import { openFirst, openRoom, showView, VIEWS, type View } from "./support/open-room.ts";
import { PageWorld, sharedWorld } from "./support/page-world.ts";
import { richRoom } from "./support/rich-room.ts";

const NARROW = 360;
const WIDE = 1440;

const rich = sharedWorld(async (world) => {
  await richRoom(world);
  return world.ui();
});

/** Where there is room for both, an item that is open stands beside the others. */
async function faultsOf(page: Page, view: View, width: number): Promise<Record<string, unknown>> {
  const faults: Record<string, unknown> = {};
  const look = async (what: string) => {
    const [findings, sideways] = [await axeFindings(page), await sidewaysScroll(page)];
    if (findings.length > 0 || sideways > 0) faults[`${view} ${width} ${what}`] = { findings, sideways };
  };
  await page.setViewportSize({ width, height: 800 });
  await showView(page, view);
  if (width === NARROW) await look("closed");
  if ((await openFirst(page, view)) || width !== NARROW) await look("open");
  return faults;
}

inBrowser.each(["light", "dark"] as const)(
  "axe finds nothing in any view, and no view is wider than the page: %s",
  async (scheme) => {
    const page = await openPage(await rich(), { scheme });
    let found: Record<string, unknown> = {};
    for (const width of [WIDE, NARROW]) {
      for (const view of VIEWS) found = { ...found, ...(await faultsOf(page, view, width)) };
    }
    expect(found).toEqual({});
  },
);

inBrowser("axe finds nothing in the list of rooms, nor in a question", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  await world.done("try", { as: "claude:1" });
  const page = await openRoom(await world.ui(), "Talk", { width: NARROW });
  await page.getByRole("button", { name: "Take the stick" }).click();
  await page.getByRole("dialog").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "All rooms" }).click();
  await page.getByRole("navigation", { name: "Rooms" }).waitFor();
  expect([await axeFindings(page), await sidewaysScroll(page)]).toEqual([[], 0]);
});
