/** Whether everybody can use the page: the keyboard alone, a focus that is seen, and nothing that moves by itself. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { inBrowser, textOf } from "./support/browser.ts";
import { headerOf, openFirst, openRoom, panelOf, showView, tabOf, VIEWS } from "./support/open-room.ts";
import { PageWorld, sharedWorld } from "./support/page-world.ts";
import { richRoom } from "./support/rich-room.ts";

const CLAUDE = { as: "claude:1" };
const CODEX = { as: "codex:1" };

const rich = sharedWorld(async (world) => {
  await richRoom(world);
  return { world, server: await world.ui() };
});

/** What Tab has reached: its name or text, and whether it is in sight and an outline or a shadow shows that it has the focus. */
interface Focus {
  readonly name: string;
  readonly isShown: boolean;
}

/** Also remembers the element as reached. */
const FOCUS = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  (window.reached ??= new Set()).add(element);
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  const { width, height, top, bottom } = element.getBoundingClientRect();
  const isMarked = (outlineStyle !== "none" && parseFloat(outlineWidth) >= 1) || boxShadow !== "none";
  const isInSight = width > 0 && height > 0 && bottom > 0 && top < innerHeight;
  const name = element.getAttribute("aria-label") ?? element.textContent.trim().slice(0, 60);
  return { name: element.tagName.toLowerCase() + " " + name, isShown: isMarked && isInSight };
})()`;

/** Tabs, and items of a list with what is in them, are reached by arrow keys first. */
const NOT_REACHED = `[...document.querySelectorAll("a[href], button, input, textarea, select, summary, canvas")]
  .filter((one) => !one.disabled && one.checkVisibility({ visibilityProperty: true }) && !window.reached.has(one))
  .filter((one) => one.closest("[role=listitem]") === null && !(one.tabIndex === -1 && one.closest("[role=tablist]")))
  .map((one) => one.outerHTML.slice(0, 160))`;

const MOST_STOPS = 500;

/** A list that measures its items again may need some frames until the one with the focus is in sight. */
const MOST_FRAMES = 60;

async function focusOf(page: Page): Promise<Focus | null> {
  for (let frame = 0; ; frame += 1) {
    const focus = await page.evaluate<Focus | null>(FOCUS);
    if (focus === null || focus.isShown || frame === MOST_FRAMES) return focus;
    await page.evaluate("new Promise(requestAnimationFrame)");
  }
}

/** Everything that Tab reaches, in its order: from where the person is to the end, and once round from the beginning. */
async function tabOrder(page: Page): Promise<readonly Focus[]> {
  const reached: Focus[] = [];
  await page.evaluate("(window.reached = new Set())");
  for (let ends = 0; ends < 2; ) {
    await page.keyboard.press("Tab");
    const focus = await focusOf(page);
    if (focus === null) ends += 1;
    else reached.push(focus);
    if (reached.length > MOST_STOPS) throw new Error("Tab does not come to an end");
  }
  return reached;
}

inBrowser("Tab reaches everything that can be used in every view, and shows where it is", async () => {
  const { server } = await rich();
  const page = await openRoom(server);
  const faults: Record<string, unknown> = {};
  for (const view of VIEWS) {
    await showView(page, view);
    await openFirst(page, view);
    await expect.poll(() => textOf(page)).not.toMatch(/Loading/);
    const order = await tabOrder(page);
    const notShown = order.filter(({ isShown }) => !isShown).map(({ name }) => name);
    const notReached = await page.evaluate<readonly string[]>(NOT_REACHED);
    if (notShown.length + notReached.length > 0 || order.length === 0)
      faults[view] = { notShown, notReached, order: order.length };
  }
  expect(faults).toEqual({});
});

async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let count = 0; count < MOST_STOPS; count += 1) {
    if ((await target.and(page.locator(":focus")).count()) > 0) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${String(target)}`);
}

/** From the tab of the view that is open. */
async function tabToView(page: Page, view: (typeof VIEWS)[number]): Promise<void> {
  await tabTo(page, page.getByRole("tab", { selected: true }));
  await page.keyboard.press("Home");
  for (let at = 0; at < VIEWS.indexOf(view); at += 1) await page.keyboard.press("ArrowRight");
  await expect.poll(() => tabOf(page, view).getAttribute("aria-selected")).toBe("true");
}

/** Moves to an item of the list, by keys that are pressed one after the other. */
async function moveIn(page: Page, list: string | RegExp, ...keys: readonly string[]): Promise<void> {
  await tabTo(page, page.getByRole("list", { name: list }));
  const item = page.locator("[role=listitem]:focus");
  let before: string | null = null;
  for (const key of keys) {
    await page.keyboard.press(key);
    await expect.poll(() => item.getAttribute("aria-posinset")).not.toBe(before);
    before = await item.getAttribute("aria-posinset");
  }
}

async function openByKeys(page: Page, list: string | RegExp, key: string): Promise<void> {
  await moveIn(page, list, key);
  await page.keyboard.press("Enter");
}

inBrowser("the main act of each view is done by keys alone", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  await world.person("join");
  await world.done("try", CLAUDE);
  await world.done(["release", "--status", "Half is moved.", "--next-action", "Move the rest."], CLAUDE);
  await world.done(["msg", "send", "human", "May I go on?"], CLAUDE);
  const page = await openRoom(await world.ui());
  const { keyboard } = page;
  const panelSays = (words: RegExp) => expect.poll(() => panelOf(page).innerText()).toMatch(words);

  await tabTo(page, panelOf(page).getByRole("combobox", { name: "To" }));
  await keyboard.type("codex");
  await tabTo(page, page.getByRole("textbox", { name: "Message" }));
  await keyboard.type("review the tests");
  await keyboard.press("Control+Enter");
  await expect.poll(() => page.getByRole("list", { name: "Talk" }).innerText()).toContain("review the tests");
  const received = (await world.done("msg recv --json", CODEX)).json();
  expect(received).toMatchObject({ messages: [{ body: "review the tests" }] });

  await tabToView(page, "Talk");
  await moveIn(page, "Talk", "End", "ArrowUp");
  await tabTo(
    page,
    page.locator("[role=listitem]").filter({ hasText: "May I go on?" }).getByRole("button", { name: "Answer" }),
  );
  await keyboard.press("Enter");
  await page.locator("textarea:focus").waitFor();
  await keyboard.type("yes, go on");
  await keyboard.press("Control+Enter");
  await expect.poll(() => page.getByRole("list", { name: "Talk" }).innerText()).toContain("yes, go on");
  expect((await world.done("msg recv --json", CLAUDE)).json()).toMatchObject({ messages: [{ body: "yes, go on" }] });

  await tabToView(page, "Timeline");
  await openByKeys(page, /^Turns and events/, "ArrowDown");
  await expect.poll(() => page.url()).not.toMatch(/timeline$/);

  await tabToView(page, "Turns");
  await openByKeys(page, /^Turns/, "ArrowDown");
  await panelSays(/Half is moved\.[^]*Move the rest\./);

  await tabToView(page, "Notes");
  await tabTo(page, page.getByRole("textbox", { name: "New note" }));
  await keyboard.type("fixture 7 is wrong");
  await keyboard.press("Control+Enter");
  await tabTo(page, page.getByRole("article").getByRole("button", { name: /^Resolve/ }));
  await keyboard.press("Enter");
  await page.getByRole("article").waitFor({ state: "detached" });

  await tabToView(page, "Log");
  await openByKeys(page, "Events", "ArrowUp");
  await panelSays(/note_resolved/);

  await tabToView(page, "Agents");
  await openByKeys(page, "Agents of this room", "ArrowDown");
  await tabTo(page, page.getByRole("button", { name: /^Give \w+ the stick/ }));
  await keyboard.press("Enter");
  await expect.poll(() => headerOf(page).innerText()).toMatch(/reserved for c/);
});

inBrowser("arrows move between the views, and in a list; Escape closes the question and changes nothing", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  await world.done("try", CLAUDE);
  for (const text of ["first", "second", "third"]) await world.done(["msg", "send", "codex", text], CLAUDE);
  const page = await openRoom(await world.ui());
  await tabOf(page, "Talk").focus();
  await page.keyboard.press("End");
  await expect.poll(() => tabOf(page, "Log").getAttribute("aria-selected")).toBe("true");
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => tabOf(page, "Talk").getAttribute("aria-selected")).toBe("true");
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => tabOf(page, "Log").getAttribute("aria-selected")).toBe("true");
  const focused = () => page.locator("[role=listitem]:focus").innerText();
  await page.getByRole("list", { name: "Events" }).focus();
  await page.keyboard.press("End");
  await expect.poll(focused).toContain("third");
  await page.keyboard.press("ArrowUp");
  await expect.poll(focused).toContain("second");
  const take = page.getByRole("button", { name: "Take the stick" });
  await take.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect((await world.done("state --json")).json()).toMatchObject({ room: { owner: "claude:1" } });
  await expect.poll(() => take.and(page.locator(":focus")).count()).toBe(1);
});

inBrowser("with reduced motion nothing on the page moves by itself", async () => {
  const { world, server } = await rich();
  const page = await openRoom(server, "Talk", { reducedMotion: true });
  const moving: Record<string, unknown> = {};
  for (const view of VIEWS) {
    await showView(page, view);
    await world.done(["card", `looks at ${view}`], CLAUDE);
    const styles = await page.evaluate<readonly string[]>(`[...document.querySelectorAll("*")].filter((element) => {
      const { animationName, animationDuration, transitionDuration, scrollBehavior } = getComputedStyle(element);
      const longest = Math.max(...transitionDuration.split(",").map(parseFloat));
      return (animationName !== "none" && parseFloat(animationDuration) > 0.01) || longest > 0.01 || scrollBehavior === "smooth";
    }).map((element) => element.outerHTML.slice(0, 100))`);
    if (styles.length > 0) moving[view] = styles;
  }
  expect(moving).toEqual({});
});
