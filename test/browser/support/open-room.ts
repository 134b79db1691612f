/** The page as a person has it open: in the room of the world's tree, with one of its views. */
import type { Locator, Page } from "playwright-core";
import { openPage } from "./browser.ts";
import type { PageServer } from "./page-world.ts";

export type View = "Talk" | "Timeline" | "Turns" | "Agents" | "Notes" | "Mail" | "Log";

export const VIEWS: readonly View[] = ["Talk", "Timeline", "Turns", "Agents", "Notes", "Mail", "Log"];

/** A page begins in the room of the directory where its server was started. */
export async function openRoom(
  server: PageServer,
  view: View = "Talk",
  options: Parameters<typeof openPage>[1] = {},
): Promise<Page> {
  const page = await openPage(server, options);
  await showView(page, view);
  return page;
}

export async function showView(page: Page, view: View): Promise<void> {
  const tab = tabOf(page, view);
  await tab.click();
  await page.locator(`[role=tabpanel][aria-labelledby="${await tab.getAttribute("id")}"]`).waitFor();
}

/** Its name may go on with a number of things in it. */
export function tabOf(page: Page, view: View): Locator {
  return page.getByRole("tab", { name: new RegExp(`^${view}`) });
}

/** What the view itself shows. */
export function panelOf(page: Page): Locator {
  return page.getByRole("tabpanel");
}

/** The stick, the queue and the reason, above the views. */
export function headerOf(page: Page): Locator {
  return page.locator(".room-header");
}

/** How many elements are rows of lists: those of a long list come and go. */
export function rowCount(page: Page): Promise<number> {
  return page.locator("[role=listitem], [role=row], [role=option], li, tr").count();
}

/** Opens an item of the view, where items open in the view itself. False: they do not. */
export async function openFirst(page: Page, view: View): Promise<boolean> {
  if (!["Turns", "Agents", "Log"].includes(view)) return false;
  await panelOf(page).getByRole("listitem").getByRole("button").first().click();
  return true;
}
