/** Whether everybody can use the page: what axe finds, the keyboard alone, narrow and wide, light and dark. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { inBrowser, openPage, sidewaysScroll } from "./support/browser.ts";
import { openRoom, panelOf, showView, tabOf, VIEWS } from "./support/open-room.ts";
import { PageWorld } from "./support/page-world.ts";
import { richRoom } from "./support/rich-room.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDTHS = [360, 768, 1440] as const;
const SCHEMES = ["light", "dark"] as const;

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** Each as one line that says what and where. */
async function axeFindings(page: Page): Promise<readonly string[]> {
  // Not as an element, which the policy of the page would refuse.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResult>("axe.run(document, { resultTypes: ['violations'] })");
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary.replaceAll(/\s+/g, " ")}`),
  );
}

async function settled(page: Page): Promise<void> {
  await page.waitForFunction("document.getAnimations().every(({ playState }) => playState !== 'running')");
}

inBrowser(
  "axe finds nothing in any view, light and dark, narrow and wide, and no view is wider than the page",
  async () => {
    const world = await PageWorld.with("claude:1", "codex:1", "gemini:1");
    await richRoom(world);
    const server = await world.ui();
    const found: Record<string, unknown> = {};
    for (const scheme of SCHEMES) {
      const page = await openPage(server, { scheme });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        for (const view of VIEWS) {
          await showView(page, view);
          await settled(page);
          const findings = await axeFindings(page);
          const sideways = await sidewaysScroll(page);
          if (findings.length > 0 || sideways > 0) found[`${view} ${scheme} ${width}`] = { findings, sideways };
        }
      }
    }
    expect(found).toEqual({});
  },
  300_000,
);

inBrowser("axe finds nothing in the list of rooms, nor in a question", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  await world.done("try", { as: "claude:1" });
  const page = await openRoom(await world.ui(), "Talk", { width: 360 });
  await page.getByRole("button", { name: "Take the stick" }).click();
  await page.getByRole("dialog").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "All rooms" }).click();
  await page.getByRole("navigation", { name: "Rooms" }).waitFor();
  expect([await axeFindings(page), await sidewaysScroll(page)]).toEqual([[], 0]);
});

/** What has the focus: its name or text, and whether an outline or a shadow shows it. */
interface Focus {
  readonly name: string;
  readonly isVisible: boolean;
}

const FOCUS = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const marks = ({ outlineStyle, outlineWidth, boxShadow, backgroundColor, borderColor }) =>
    [outlineStyle === "none" ? "" : outlineWidth, boxShadow, backgroundColor, borderColor].join(" ");
  const focused = marks(getComputedStyle(element));
  const box = element.getBoundingClientRect();
  element.blur();
  const blurred = marks(getComputedStyle(element));
  element.focus({ preventScroll: true });
  const name = element.getAttribute("aria-label") ?? element.textContent.trim().slice(0, 60);
  return { name: element.tagName.toLowerCase() + " " + name, isVisible: focused !== blurred && box.width > 0 && box.height > 0 };
})()`;

/** Everything that Tab reaches, in its order, once round. */
async function tabOrder(page: Page): Promise<readonly Focus[]> {
  const reached: Focus[] = [];
  for (let count = 0; count < 200; count += 1) {
    await page.keyboard.press("Tab");
    const focus = await page.evaluate<Focus | null>(FOCUS);
    if (focus === null) break;
    reached.push(focus);
  }
  return reached;
}

inBrowser("Tab reaches everything that can be used in every view, and shows where it is", async () => {
  const world = await PageWorld.with("claude:1", "codex:1", "gemini:1");
  await richRoom(world);
  const page = await openRoom(await world.ui());
  const missed: Record<string, unknown> = {};
  for (const view of VIEWS) {
    await showView(page, view);
    await page.evaluate("document.activeElement.blur()");
    const order = await tabOrder(page);
    const unseen = order.filter(({ isVisible }) => !isVisible).map(({ name }) => name);
    const usable = await panelOf(page)
      .locator(
        "button:enabled:visible, a[href]:visible, input:enabled:visible, textarea:enabled:visible, select:enabled:visible",
      )
      .count();
    const inPanel = usable > 0 && !order.some(({ name }) => name !== "");
    if (unseen.length > 0 || inPanel || order.length === 0) missed[view] = { unseen, usable, order: order.length };
  }
  expect(missed).toEqual({});
});

inBrowser("arrows move between the views, and in a list; Escape closes the question and changes nothing", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  await world.done("try", { as: "claude:1" });
  for (const text of ["first", "second", "third"]) await world.done(["msg", "send", "codex", text], { as: "claude:1" });
  const page = await openRoom(await world.ui());
  await tabOf(page, "Talk").focus();
  await page.keyboard.press("End");
  await expect.poll(() => tabOf(page, "Log").getAttribute("aria-selected")).toBe("true");
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => tabOf(page, "Talk").getAttribute("aria-selected")).toBe("true");
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => tabOf(page, "Log").getAttribute("aria-selected")).toBe("true");
  const log = panelOf(page).getByRole("list").first();
  await log.focus();
  await page.keyboard.press("End");
  await expect.poll(() => page.locator(":focus").textContent()).toContain("third");
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => page.locator(":focus").textContent()).toContain("second");
  const take = page.getByRole("button", { name: "Take the stick" });
  await take.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect((await world.done("state --json")).json()).toMatchObject({ room: { owner: "claude:1" } });
  await expect.poll(() => page.locator(":focus").textContent()).toBe("Take the stick");
});

inBrowser("with reduced motion nothing on the page moves by itself", async () => {
  const world = await PageWorld.with("claude:1", "codex:1", "gemini:1");
  await richRoom(world);
  const page = await openRoom(await world.ui(), "Talk", { reducedMotion: true });
  const moving: Record<string, unknown> = {};
  for (const view of VIEWS) {
    await showView(page, view);
    await world.done(["card", `looks at ${view}`], { as: "claude:1" });
    const styles = await page.evaluate<readonly string[]>(`[...document.querySelectorAll("*")].filter((element) => {
      const { animationName, animationDuration, transitionDuration, scrollBehavior } = getComputedStyle(element);
      const longest = Math.max(...transitionDuration.split(",").map(parseFloat));
      return (animationName !== "none" && parseFloat(animationDuration) > 0.01) || longest > 0.01 || scrollBehavior === "smooth";
    }).map((element) => element.outerHTML.slice(0, 100))`);
    if (styles.length > 0) moving[view] = styles;
  }
  expect(moving).toEqual({});
});
