/** What a person sees in a browser: how soon, and how smoothly in a long room. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { chromiumPath, launchChromium } from "../../test/browser/support/chromium.ts";
import { buildProgram } from "../built-program.ts";
import { type Figure, median, milliseconds } from "../figure.ts";
import { bounded, type Finding, skipped } from "../finding.ts";
import { latencies, nowUs } from "../marks.ts";
import { clockOffsetUs, longestTaskUs, seenAt, servePage, watchTexts } from "../page-site.ts";
import type { Row } from "../row.ts";
import type { Agent } from "../workers/agent.ts";
import type { Growth } from "../workers/growth.ts";
import { pause } from "../workers/pause.ts";
import type { Workshop } from "../workshop.ts";

const RECEIVER = "bench:receiver";
/** What the sender's texts look like. */
const NUMBERED = /number \d+/;
/** As fast as a busy room, and slow enough that each message is drawn for itself. */
const PACE_MS = 40;
/** The list of the log. */
const LOG = "Events";
const SCROLLS = 60;
const SCROLL_PX = 700;

interface Site {
  readonly shop: Workshop;
  readonly program: string;
  readonly browser: Browser;
}

export const page: Row = {
  name: "page",
  async measure(shop) {
    const built = buildProgram("page");
    try {
      const size = sizeOf(built.directory);
      const path = chromiumPath();
      if (path === null) {
        process.stderr.write("SKIPPED: the page in a browser: there is no Chromium\n");
        return [size, skipped("the page in a browser", "there is no Chromium here")];
      }
      const { browser, end } = await launchChromium(path);
      const site = { shop, program: built.program, browser };
      try {
        return [size, await commitToDocument(site), ...(await longRoom(site)), ...(await recording(site))];
      } finally {
        await end();
      }
    } finally {
      built.remove();
    }
  },
};

function sizeOf(directory: string): Finding {
  const files = ["index.html", "page.js", "page.css"].map((name) => readFileSync(join(directory, "page", name)));
  const bytes = files.reduce((sum, file) => sum + gzipSync(file).length, 0);
  return bounded("the page's files, compressed", kilobytes(bytes), kilobytes(250_000));
}

function kilobytes(bytes: number): Figure {
  return { value: bytes, shown: `${(bytes / 1000).toFixed(0)} kB` };
}

/** Opens the view of the room, and resolves when its list is drawn once. */
async function openRoom({ browser }: Site, address: string, hash: string, list: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const opened = await context.newPage();
  await opened.goto(address);
  // The page has taken the secret out of its address when it shows its heading.
  await opened.getByRole("heading").first().waitFor();
  await opened.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await opened.getByRole("list", { name: list }).waitFor();
  return opened;
}

async function commitToDocument(site: Site): Promise<Finding> {
  const { shop } = site;
  const { env, tree } = shop.ground();
  const [sender, receiver] = [await shop.start<Agent>("agent", { env }), await shop.start<Agent>("agent", { env })];
  const roomId = await sender.ask("join", { agentId: "bench:sender", tree });
  await receiver.ask("join", { agentId: RECEIVER, tree });
  await sender.ask("sendNumbered", { to: RECEIVER, count: 1, everyMs: 0 });
  const server = await servePage(site.program, tree, env);
  const opened = await openRoom(site, server.address, `#/room/${roomId}/talk`, "Talk");
  await watchTexts(opened, NUMBERED);
  const starts = await sender.ask("sendNumbered", { to: RECEIVER, count: shop.scale(200, 20), everyMs: PACE_MS });
  await seenAt(opened, starts.at(-1)?.[0] ?? "");
  const offsetUs = await clockOffsetUs(opened);
  const seen = await opened.evaluate<Record<string, number>>("window.seenTexts");
  const arrivals = Object.entries(seen).map(([text, ms]) => [text, ms * 1000 + offsetUs] as const);
  await opened.context().close();
  await server.end();
  const times = latencies(starts, arrivals);
  return bounded(
    "commit in another process → in the document, p50",
    milliseconds(median(times)),
    milliseconds(100_000),
  );
}

async function longRoom(site: Site): Promise<readonly Finding[]> {
  const { shop, browser } = site;
  const events = shop.scale(100_000, 5000);
  const named = `${events.toLocaleString("en")} events`;
  const ground = shop.ground();
  const growth = await shop.start<Growth>("growth");
  await growth.ask("build", { ground, events });
  const sender = await shop.start<Agent>("agent", { env: ground.env });
  const roomId = await sender.ask("join", { agentId: "bench:sender", tree: ground.tree });
  const [newest] = await sender.ask("sendNumbered", { to: "bench:holder", count: 1, everyMs: 0 });
  if (!newest) throw new Error("nothing was sent");
  const server = await servePage(site.program, ground.tree, ground.env);
  const opened = await openRoom(site, server.address, `#/room/${roomId}/log`, LOG);
  await watchTexts(opened, NUMBERED);
  const times: number[] = [];
  for (let round = 0; round < shop.scale(11, 2); round += 1) {
    await opened.reload();
    times.push((await seenAt(opened, newest[0])) * 1000);
  }
  const longest = await longestTaskUs(browser, opened, () => scrollUp(opened));
  await opened.context().close();
  await server.end();
  return [
    bounded(`a room of ${named} is opened, p50`, milliseconds(median(times)), milliseconds(1_000_000)),
    bounded(`longest task while its log is scrolled`, milliseconds(longest), milliseconds(50_000)),
  ];
}

async function scrollUp(opened: Page): Promise<void> {
  const log = opened.getByRole("list", { name: LOG });
  const box = await log.boundingBox();
  if (!box) throw new Error("the log is not in sight");
  await opened.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let done = 0; done < SCROLLS; done += 1) {
    await opened.mouse.wheel(0, -SCROLL_PX);
    await pause(20);
  }
  if (NUMBERED.test(await log.innerText())) throw new Error("the log was not scrolled away from its newest message");
}

/** Of a room that is exported, and opened from its file. */
async function recording({ shop, program, browser }: Site): Promise<readonly Finding[]> {
  const events = shop.scale(20_000, 2000);
  const named = `${events.toLocaleString("en")} events`;
  const ground = shop.ground();
  const growth = await shop.start<Growth>("growth");
  await growth.ask("build", { ground, events });
  const file = join(shop.directory(), "room.html");
  const exporting = [program, "export", "--html", file, "--yes", "--force"];
  const opened = await browser.newPage();
  const made: number[] = [];
  const shown: number[] = [];
  for (let round = 0; round < shop.scale(11, 2); round += 1) {
    const beginUs = nowUs();
    execFileSync(process.execPath, exporting, { cwd: ground.tree, env: ground.env, stdio: "ignore" });
    const madeUs = nowUs();
    await opened.goto(pathToFileURL(file).href);
    await opened.getByRole("list").first().waitFor();
    made.push(madeUs - beginUs);
    shown.push(nowUs() - madeUs);
  }
  await opened.close();
  return [
    bounded(`a room of ${named} is exported as a page, p50`, milliseconds(median(made)), milliseconds(2_000_000)),
    bounded("its file is opened, p50", milliseconds(median(shown)), milliseconds(500_000)),
  ];
}
