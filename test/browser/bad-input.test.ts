/** What agents, clocks and newer programs may write is shown as text, laid out, and never more than a page can carry. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { visible } from "../../src/core/visible.ts";
import { record } from "../../src/room/rules/change.ts";
import { loadSqliteDriver } from "../../src/store/sqlite/driver.ts";
import { asPerson } from "../cli/support/cli-world.ts";
import { fillRoom } from "../cli/support/fill-room.ts";
import { writeNewerEvent } from "../support/newer-event.ts";
import { inBrowser, openPage, sidewaysScroll, textOf } from "./support/browser.ts";
import { Network } from "./support/network.ts";
import { headerOf, openRoom, panelOf, rowCount, showView, VIEWS } from "./support/open-room.ts";
import { PageWorld } from "./support/page-world.ts";
import { HOSTILE } from "./support/rich-room.ts";

const CLAUDE = { as: "claude:1" };
const CODEX = { as: "codex:1" };
const NARROW = { width: 360 };
const MOST_ROWS = 300;
/** A word that no line can hold, nearly as long as a message may be. */
const LONG_WORD = "w".repeat(8000);
/** What no text may become. */
const INTRUDERS = "#page script, #page img, #page iframe, #page b, #page h1 h1, [onerror]";

/** What is wrong with the views as they stand: too wide, too many rows, or texts that are more than texts. */
async function faultsOf(page: Page): Promise<Record<string, unknown>> {
  const faults: Record<string, unknown> = {};
  for (const view of VIEWS) {
    await showView(page, view);
    const [sideways, rows] = [await sidewaysScroll(page), await rowCount(page)];
    const intruders = await page.locator(INTRUDERS).count();
    // Characters that act on a terminal, or turn the direction of the text around them.
    const shown = (await textOf(page)).replaceAll("\t", " ");
    const isActing = visible(shown) !== shown;
    if (sideways > 0 || rows > MOST_ROWS || intruders > 0 || isActing)
      faults[view] = { sideways, rows, intruders, isActing };
  }
  return faults;
}

inBrowser("markup, scripts and characters that act are shown as text in every view", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  const page = await openRoom(await world.ui(), "Talk", NARROW);
  await world.done(["card", HOSTILE], CLAUDE);
  await world.done(["msg", "send", "codex", HOSTILE], CLAUDE);
  await world.done(["notes", "add", HOSTILE], CLAUDE);
  await world.done("try", CLAUDE);
  await world.tt(["check", "--", "true", HOSTILE], CLAUDE);
  await world.done(["release", "--status", HOSTILE, "--next-action", HOSTILE, "--question", HOSTILE], CLAUDE);
  await world.person(["pause", "--reason", HOSTILE]);
  world.start(["ask", "human", HOSTILE], CODEX);
  await expect.poll(() => page.getByRole("list", { name: "Questions to you" }).innerText()).toContain("<script>");
  await expect.poll(() => panelOf(page).innerText()).toContain("<img src=x onerror=alert(1)>");
  expect(await faultsOf(page)).toEqual({});
  for (const view of ["Notes", "Agents", "Log"] as const) {
    await showView(page, view);
    await expect.poll(() => panelOf(page).innerText()).toContain("<script>alert(2)</script>");
  }
  expect(await page.title()).not.toBe("owned");
});

inBrowser("a word of 8 kB is broken, and the page stays as wide as its window", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  const page = await openRoom(await world.ui(), "Talk", NARROW);
  await world.done(["msg", "send", "codex", LONG_WORD], CLAUDE);
  await world.done(["notes", "add", LONG_WORD], CLAUDE);
  await world.person("join");
  await world.done(["card", "w".repeat(200)], CLAUDE);
  await world.done("try", CLAUDE);
  await world.done(["release", "--status", LONG_WORD.slice(0, 4000), "--next-action", "w".repeat(2000)], CLAUDE);
  world.start(["ask", "human", LONG_WORD], CODEX);
  await page.getByRole("list", { name: "Questions to you" }).waitFor();
  expect(await faultsOf(page)).toEqual({});
});

/** As if they had joined one by one, which would take minutes. */
function crowd(world: PageWorld, count: number): void {
  const handle = loadSqliteDriver()(world.database);
  handle.exec(`
    BEGIN IMMEDIATE;
    CREATE TEMP TABLE many AS
      WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
      SELECT 'many-' || n AS name FROM numbers;
    INSERT INTO handles (project, handle, agent_id)
      SELECT project, name, name || ':s' FROM many, handles WHERE handle = 'claude';
    INSERT INTO members (room_id, agent_id, harness, joined_seq, last_seen_epoch, last_seen_ms, last_seen_at)
      SELECT room_id, name || ':s', name, joined_seq, last_seen_epoch, last_seen_ms, last_seen_at
      FROM many, members WHERE agent_id = 'claude:1';
    COMMIT;`);
  handle.close();
}

inBrowser(
  "10,000 agents are shown with at most 300 rows in the document",
  async () => {
    const world = await PageWorld.with("claude:1", "codex:1");
    crowd(world, 10_000);
    const page = await openRoom(await world.ui(), "Agents", NARROW);
    await expect.poll(() => panelOf(page).innerText()).toMatch(/many-\d+/);
    expect(await faultsOf(page)).toEqual({});
  },
  300_000,
);

inBrowser(
  "a log of 6,000 events is shown with at most 300 rows in the document, up to its beginning",
  async () => {
    const world = await PageWorld.with("claude:1", "codex:1");
    await fillRoom(world, 6000, (change, given, index) => {
      const card = { purpose: `step ${index}` };
      return record(change, given, "state_changed", { card }, { from: asAgentId("claude:1") });
    });
    const page = await openRoom(await world.ui(), "Log", NARROW);
    const list = panelOf(page).getByRole("list").first();
    await expect.poll(() => list.innerText()).toContain("step 5999");
    expect(await faultsOf(page)).toEqual({});
    await showView(page, "Log");
    const older = page.getByRole("button", { name: "Load older" });
    const status = page.getByRole("status").filter({ hasText: "events" });
    const pressed = async () => {
      if (await older.isVisible()) await older.click();
      return status.innerText();
    };
    await expect.poll(pressed).toBe("6,002 events.");
    await list.focus();
    await page.keyboard.press("Home");
    await expect.poll(() => list.innerText()).toContain("claude joined");
    expect(await rowCount(page)).toBeLessThanOrEqual(MOST_ROWS);
  },
  300_000,
);

inBrowser("an event of a type that the page does not know is shown plainly, and the rest goes on", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  // As from the server of a newer program, to a page that was opened before the update.
  const newer = await Network.open((text) => text.replaceAll('"note_added"', '"stick_juggled"'));
  const page = await openRoom(await world.ui(), "Log", { through: newer.address });
  await world.done(["notes", "add", "three balls"], CLAUDE);
  await world.done(["msg", "send", "codex", "after it"], CLAUDE);
  await expect.poll(() => panelOf(page).innerText()).toMatch(/stick.juggled[^]*after it/);
  for (const view of VIEWS) {
    await showView(page, view);
    expect(await panelOf(page).innerText(), view).not.toContain("has failed");
  }
});

inBrowser("a row of the store that cannot be read is said, and what is shown stays", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  const page = await openRoom(await world.ui(), "Log");
  await expect.poll(() => panelOf(page).innerText()).toContain("codex joined");
  writeNewerEvent(world.database);
  await world.done(["msg", "send", "codex", "after it"], CLAUDE);
  await expect
    .poll(() => page.getByRole("status").allInnerTexts())
    .toContainEqual(expect.stringMatching(/Behind: the store cannot be read\.[^]*events\.event_type/));
  expect(await panelOf(page).innerText()).toContain("codex joined");
});

inBrowser("clocks that jump leave the order as it is and are shown as they were", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  for (const text of ["first", "second", "third"]) await world.done(["msg", "send", "codex", text], CLAUDE);
  const handle = loadSqliteDriver()(world.database);
  // Events are only ever added.
  handle.exec(`
    DROP TRIGGER events_are_never_changed;
    UPDATE events SET created_at = '1999-12-31T23:59:59.000Z' WHERE payload LIKE '%second%';
    UPDATE events SET created_at = '2126-01-01T00:00:00.000Z' WHERE payload LIKE '%third%';`);
  handle.close();
  const page = await openRoom(await world.ui(), "Talk", NARROW);
  await expect.poll(() => panelOf(page).innerText()).toMatch(/first[^]*1999[^]*second[^]*2126[^]*third/);
  expect(await faultsOf(page)).toEqual({});
});

inBrowser("a room that is removed while it is open stays readable, says so, and offers nothing to do", async () => {
  const world = new PageWorld();
  await world.done("join", CLAUDE);
  await world.done(["notes", "add", "kept in sight"], CLAUDE);
  const { notes } = (await world.done("notes list --json", CLAUDE)).json() as { notes: { note_id: string }[] };
  const page = await openRoom(await world.ui(), "Log");
  await expect.poll(() => panelOf(page).innerText()).toContain("kept in sight");
  // A room with an open note is kept.
  await world.done(["notes", "resolve", notes[0]?.note_id ?? ""], CLAUDE);
  await world.done("leave", CLAUDE);
  const prune = async () => (await asPerson(world, ["prune", "--idle", "1s", "--yes"])).stdout;
  await expect.poll(prune, { timeout: 60_000 }).toMatch(/deleted/);
  await expect.poll(() => page.getByRole("status").first().innerText()).toContain("This room was removed");
  expect(await panelOf(page).innerText()).toContain("kept in sight");
  expect(await headerOf(page).getByRole("button").count()).toBe(0);
});

inBrowser("an address that names no room, no view or no item says what is there instead", async () => {
  const world = await PageWorld.with("claude:1", "codex:1");
  const page = await openPage(await world.ui());
  const roomId = await world.roomId();
  await page.getByRole("tab").first().waitFor();
  for (const hash of [
    "#/room/nowhere/talk",
    "#/room/%E0%A4%A",
    `#/room/${roomId}/nothing/x`,
    `#/room/${roomId}/turns/999999`,
    `#/room/${roomId}/turns/-1`,
    `#/room/${roomId}/talk/${LONG_WORD}`,
    `#/room/${roomId}/agents/<script>`,
    "#//",
    "#x",
  ]) {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await expect.poll(() => textOf(page), { message: hash }).not.toBe("");
    expect(await textOf(page), hash).not.toContain("has failed");
    expect(await sidewaysScroll(page), hash).toBe(0);
  }
  await page.evaluate(`location.hash = "#/room/nowhere/talk"`);
  await expect.poll(() => textOf(page)).toContain("There is no such room");
});
