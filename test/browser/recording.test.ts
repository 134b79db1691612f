/** The flight recorder: a room of real processes, exported into one file that a browser opens without a server. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { axeFindings } from "./support/axe.ts";
import { inBrowser, openPage, sidewaysScroll, textOf } from "./support/browser.ts";
import { headerOf, panelOf, showView, tabOf, VIEWS } from "./support/open-room.ts";
import { type PageWorld, sharedWorld } from "./support/page-world.ts";
import { HOSTILE, richRoom } from "./support/rich-room.ts";

const GEMINI = { as: "gemini:1" };
const AGENTS = ["claude:1", "codex:1", "gemini:1"] as const;
/** What the buttons say by which a person acts, or asks a server for more. */
const ACTS = /^(Take|Give|Pause|Resume|Remove|Send|Write|Answer|Reply|Resolve\b|Add|Look|Load|Show older)/;
const DATA = /(id="recording">)([^<]*)/;
/** What would turn the text around it, or belongs to a terminal. */
const ACTIVE = /[\u202A-\u202E\u2066-\u2069]|\p{Cc}(?<![\n\t])/u;
/** One word, wider than any screen. */
const LONG = "W".repeat(8000);
const BROKEN = "half a pair \uD800, </script><!-- <script> \u2028 \u2066 end";

const recorded = sharedWorld(async (world) => {
  for (const as of AGENTS) await world.done("join", { as });
  for (const body of [LONG, BROKEN]) await world.done(["msg", "send", "codex", body], GEMINI);
  await richRoom(world);
  await world.done(["export", "--html", fileIn(world), "--diffs", "--yes"]);
  return world;
});

function fileIn({ root }: PageWorld): string {
  return join(root, "room.html");
}

interface FileEvent {
  readonly seq: number;
  readonly type: string;
}

/** What the file carries, and the file with something else in its place. */
function dataIn(html: string): { readonly events: readonly FileEvent[]; readonly end: unknown } {
  return JSON.parse(gunzipSync(Buffer.from(DATA.exec(html)?.[2] ?? "", "base64")).toString("utf8"));
}

function withData(html: string, data: object): string {
  const text = gzipSync(JSON.stringify(data)).toString("base64");
  return html.replace(DATA, (_, begin: string) => `${begin}${text}`);
}

async function openFile(path: string, options: Parameters<typeof openPage>[1] = {}): Promise<Page> {
  const page = await openPage(pathToFileURL(path).href, options);
  await sliderOf(page).waitFor();
  return page;
}

function sliderOf(page: Page): Locator {
  return page.getByRole("slider", { name: "Moment" });
}

/** What a screen reader says of the slider. */
async function said(page: Page): Promise<string> {
  return (await sliderOf(page).getAttribute("aria-valuetext")) ?? "";
}

async function pressUntil(page: Page, key: string, words: RegExp): Promise<void> {
  const most = Number(await sliderOf(page).getAttribute("max"));
  for (let pressed = 0; pressed < most && !words.test(await said(page)); pressed += 1) await page.keyboard.press(key);
  expect(await said(page)).toMatch(words);
}

inBrowser(
  "the slider is moved by the keyboard, and shows who held the stick and what was said at that moment",
  async () => {
    const page = await openFile(fileIn(await recorded()));
    await sliderOf(page).focus();
    expect(await said(page)).toMatch(
      /^\w{3} \d+ \w{3} \d{4} \d\d:\d\d:\d\d, event (\d+) of \1: the recording was made/,
    );
    await expect.poll(() => headerOf(page).innerText()).toMatch(/codex holds the stick/);
    await expect.poll(() => panelOf(page).innerText()).toContain("I take the lexer next.");

    await page.keyboard.press("Home");
    expect(await said(page)).toMatch(/event 0 of \d+: the recording begins/);
    await expect.poll(() => headerOf(page).innerText()).toMatch(/the stick is free/);
    expect(await panelOf(page).innerText()).not.toContain("The parser is yours.");

    await pressUntil(page, "ArrowRight", /claude took the stick, turn 1/);
    await expect.poll(() => headerOf(page).innerText()).toMatch(/claude holds the stick/);
    await pressUntil(page, "ArrowRight", /human took the stick over from codex/);
    await expect.poll(() => headerOf(page).innerText()).toMatch(/human holds the stick/);
    expect(await panelOf(page).innerText()).not.toContain("The parser is yours.");
    await pressUntil(page, "ArrowRight", /claude wrote to codex/);
    await expect.poll(() => panelOf(page).innerText()).toContain("The parser is yours.");
    await pressUntil(page, "ArrowLeft", /human paused the room/);
    await expect.poll(() => headerOf(page).innerText()).toMatch(/paused by human/);
    await expect.poll(() => panelOf(page).innerText()).not.toContain("The parser is yours.");

    await page.keyboard.press("End");
    await expect.poll(() => panelOf(page).innerText()).toContain("I take the lexer next.");
    await page.getByRole("button", { name: "Earlier turn" }).click();
    expect(await said(page)).toMatch(/codex took the stick, turn 5/);
    await page.getByRole("button", { name: "Later turn" }).click();
    expect(await said(page)).toMatch(/the recording was made/);
  },
);

inBrowser("at its end it has all: turns with their code, notes, agents, and each event of the log", async () => {
  const world = await recorded();
  const { events } = dataIn(readFileSync(fileIn(world), "utf8"));
  const page = await openFile(fileIn(world));
  await showView(page, "Log");
  await expect.poll(() => panelOf(page).innerText()).toContain(`${events.length} events`);
  await showView(page, "Notes");
  await expect.poll(() => panelOf(page).innerText()).toContain("fixture 7 is wrong on purpose");
  await showView(page, "Turns");
  await panelOf(page).getByText("released").last().click();
  await expect.poll(() => panelOf(page).innerText()).toContain("export const rule = 1;");
  await showView(page, "Agents");
  await panelOf(page).getByText("claude", { exact: true }).first().click();
  await expect.poll(() => panelOf(page).innerText()).toContain("A recording has no transcripts.");
});

inBrowser("nothing can be done in it, and what it does not have it says", async () => {
  const page = await openFile(fileIn(await recorded()));
  const seen: string[] = [];
  for (const view of VIEWS) {
    await showView(page, view);
    seen.push(...(await page.getByRole("button").allInnerTexts()));
    expect(await panelOf(page).locator("textarea").count(), view).toBe(0);
  }
  expect(seen).toContain("Resolved");
  expect(seen.filter((name) => ACTS.test(name))).toEqual([]);
  expect(await page.getByRole("contentinfo").innerText()).toContain("A recording.");
  await showView(page, "Mail");
  await expect.poll(() => panelOf(page).innerText()).toContain("A recording does not have it.");
  await sliderOf(page).focus();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => panelOf(page).innerText()).toContain("The log does not tell which messages were read.");
});

inBrowser("hostile bodies stay text", async () => {
  const page = await openFile(fileIn(await recorded()), { width: 360 });
  for (const view of ["Talk", "Log", "Notes"] as const) {
    await showView(page, view);
    await expect.poll(() => textOf(page)).toContain("<script>");
    expect(await page.locator("img, iframe, object, b").count()).toBe(0);
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await textOf(page)).not.toMatch(ACTIVE);
  }
  await showView(page, "Talk");
  await sliderOf(page).focus();
  await page.keyboard.press("Home");
  await pressUntil(page, "ArrowRight", /gemini wrote to codex/);
  await expect.poll(() => panelOf(page).innerText()).toContain("WWWW");
  expect(await sidewaysScroll(page)).toBe(0);
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => panelOf(page).innerText()).toContain("</script><!-- <script>");
  await pressUntil(page, "ArrowRight", /gemini wrote to claude/);
  await expect.poll(() => panelOf(page).innerText()).toContain("<img src=x onerror=alert(1)><script>alert(2)</script>");
  expect(await textOf(page)).not.toMatch(ACTIVE);
});

inBrowser("the file has no lease, loads nothing, and says so in its policy", async () => {
  const world = await recorded();
  const html = readFileSync(fileIn(world), "utf8");
  const told = JSON.stringify(dataIn(html));
  expect(world.leases.length).toBeGreaterThan(3);
  for (const lease of world.leases) expect(html + told).not.toContain(lease);
  expect(told).toContain(JSON.stringify(HOSTILE).slice(1, 30));
  expect(html).toContain("default-src 'none'; script-src 'sha256-");
  expect(html.replace(DATA, "").replaceAll(/<(script|style)>[^]*?<\/\1>/g, "")).not.toMatch(/\ssrc=|\shref=|unsafe/);
});

inBrowser(
  "axe finds nothing at the start, in the middle and at the end, and no view is wider than the page",
  async () => {
    const world = await recorded();
    const found: Record<string, unknown> = {};
    for (const [scheme, width] of [
      ["light", 360],
      ["dark", 1440],
    ] as const) {
      const page = await openFile(fileIn(world), { scheme, width });
      for (const view of VIEWS) {
        await showView(page, view);
        await sliderOf(page).focus();
        for (const key of ["Home", "PageUp", "End"]) {
          await page.keyboard.press(key);
          const findings = await axeFindings(page);
          const sideways = await sidewaysScroll(page);
          if (findings.length > 0 || sideways > 0) found[`${view} ${scheme} ${width} ${key}`] = { findings, sideways };
        }
      }
    }
    expect(found).toEqual({});
  },
  300_000,
);

inBrowser("a span of time begins with the room as it was, and offers no older events", async () => {
  const world = await recorded();
  const { events } = dataIn(readFileSync(fileIn(world), "utf8")) as unknown as {
    readonly events: readonly { readonly type: string; readonly seq: number; readonly createdAt: string }[];
  };
  const second = events.filter(({ type }) => type === "claim")[1];
  const path = join(world.root, "part.html");
  await world.done(["export", "--html", path, "--since", second?.createdAt ?? "", "--yes", "--force"]);
  const page = await openFile(path);
  for (const view of ["Talk", "Timeline", "Turns", "Log"] as const) {
    await showView(page, view);
    expect(await page.getByRole("button", { name: /older/i }).count(), view).toBe(0);
  }
  await expect.poll(() => panelOf(page).innerText()).toContain("are not in the recording");
  await sliderOf(page).focus();
  await page.keyboard.press("Home");
  await expect.poll(() => headerOf(page).innerText()).toMatch(/the stick is free after turn 1/);
});

inBrowser("an event of a newer program is shown as text, and the room goes on around it", async () => {
  const world = await recorded();
  const html = readFileSync(fileIn(world), "utf8");
  const data = dataIn(html);
  const at = 5;
  const newer = { ...data.events[at], type: "teleported", eventId: "newer-1", payload: { to: "<b>the moon</b>" } };
  const later = data.events.slice(at).map((event) => ({ ...event, seq: event.seq + 1 }));
  const path = join(world.root, "newer.html");
  writeFileSync(path, withData(html, { ...data, events: [...data.events.slice(0, at), newer, ...later], end: null }));
  const page = await openFile(path);
  for (const view of VIEWS) {
    await showView(page, view);
    await sliderOf(page).focus();
    for (const key of ["Home", "PageUp", "PageUp", "End"]) await page.keyboard.press(key);
    expect(await textOf(page), view).not.toMatch(/has failed/);
  }
  await expect.poll(() => headerOf(page).innerText()).toMatch(/codex holds the stick/);
  await page.keyboard.press("Home");
  await pressUntil(page, "ArrowRight", /does not know: teleported/);
  await showView(page, "Log");
  await expect.poll(() => panelOf(page).innerText()).toContain("<b>the moon</b>");
});

inBrowser("a damaged file says so, and an address of another room leads to its own", async () => {
  const world = await recorded();
  const html = readFileSync(fileIn(world), "utf8");
  const path = join(world.root, "damaged.html");
  writeFileSync(
    path,
    html.replace(DATA, (_, begin: string, data: string) => `${begin}${data.slice(0, data.length / 2)}`),
  );
  const damaged = await openPage(pathToFileURL(path).href);
  await damaged.getByText("This file is damaged").waitFor();
  const page = await openPage(`${pathToFileURL(fileIn(world)).href}#/room/other/turns`);
  await expect.poll(() => headerOf(page).innerText()).toMatch(/codex holds the stick/);
  expect(await tabOf(page, "Turns").getAttribute("aria-selected")).toBe("true");
  await page.evaluate("location.hash = ''");
  await expect.poll(() => headerOf(page).innerText()).toMatch(/codex holds the stick/);
});
