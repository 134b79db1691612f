// Draws docs/images/page-*.png: agents and a person work in a room by the built tt, and a Chromium shows the page of
// `tt ui`. Needs git, script (of util-linux) and a Chromium: that of Debian, or the one that TT_TEST_CHROMIUM names.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { images, ThrowawayRoom } from "./throwaway-room.mjs";

const CHROMIUM = process.env.TT_TEST_CHROMIUM ?? "/usr/bin/chromium";
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\S*(?=\s)/;
/** So long does a step of the story take, so that the timeline has something to show. */
const STEP_MS = 1500;

const PICTURES = [
  { file: "page-light.png", view: "talk", width: 1280, height: 800, colorScheme: "light" },
  { file: "page-dark.png", view: "turns/1", width: 1280, height: 900, colorScheme: "dark" },
  { file: "page-timeline.png", view: "timeline", width: 768, height: 640, colorScheme: "light" },
  { file: "page-narrow.png", view: "talk", width: 360, height: 720, colorScheme: "dark" },
];

const room = new ThrowawayRoom("page");
const source = (name) => join(room.tree, "src", name);

function startProject() {
  mkdirSync(join(room.tree, "src"));
  writeFileSync(source("cart.ts"), "export function total(prices: number[]) {\n  return prices.length;\n}\n");
  room.run("git", "init", "--quiet", "--initial-branch=main");
  room.run("git", "config", "user.name", "Ada");
  room.run("git", "config", "user.email", "ada@example.org");
  room.run("git", "add", ".");
  room.run("git", "commit", "--quiet", "--message=Begin the shop");
}

const HANDOFF = [
  "release",
  "--status",
  "total() adds up the prices.",
  "--next-action",
  "Write tests for an empty cart.",
  "--artifact",
  "src/cart.ts",
  "--question",
  "Do prices have cents?",
];

async function story() {
  for (const agent of ["claude:1", "codex:1", "gemini:1"]) room.as(agent, "join");
  room.as("claude:1", "card", "sums up the cart", "--file", "src/cart.ts");
  room.as("claude:1", "try");
  writeFileSync(
    source("cart.ts"),
    "export function total(prices: readonly number[]): number {\n  return prices.reduce((sum, price) => sum + price, 0);\n}\n",
  );
  room.as("claude:1", "check", "--", "true");
  await sleep(STEP_MS);
  room.as("claude:1", "msg", "send", "codex", "The sum is right now. You can write the tests for it.");
  room.as("claude:1", ...HANDOFF);
  room.as("codex:1", "msg", "recv");
  room.as("codex:1", "card", "tests of the cart", "--file", "src/cart.test.ts");
  room.as("codex:1", "try");
  writeFileSync(source("cart.test.ts"), 'test("an empty cart costs nothing", () => expect(total([])).toBe(0));\n');
  await sleep(STEP_MS);
  room.as("codex:1", "msg", "send", "room", "The tests of the cart pass. Prices are in cents.");
  room.as("codex:1", "release", "--status", "The empty cart is tested.", "--next-action", "Add discounts.");
  await sleep(STEP_MS);
  appendFileSync(source("cart.ts"), "// TODO discounts\n");
  room.person("give", "gemini:1", "--yes", "--reason", "you know the discounts");
  room.as("gemini:1", "try");
  room.as("gemini:1", "card", "discounts", "--file", "src/discount.ts");
  writeFileSync(source("discount.ts"), "export const DISCOUNT = 0.1;\n");
  room.as("gemini:1", "notes", "add", "Discounts come before taxes.");
  await sleep(STEP_MS);
  room.as("claude:1", "msg", "send", "human", "I go on with the checkout when gemini is done.");
  room.start("codex:1", "wait", "--no-wake-on-message");
  room.start("claude:1", "ask", "human", "May I delete src/tokenizer.ts? Nothing imports it any more.");
}

async function addressOf(server) {
  for await (const text of server.stdout.setEncoding("utf8")) {
    const [address] = ADDRESS.exec(text) ?? [];
    if (address) return address;
  }
  throw new Error("tt ui named no address");
}

async function draw(browser, address, roomId, { file, view, width, height, colorScheme }) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
  await page.goto(address);
  await page.getByText("May I delete src/tokenizer.ts?").first().waitFor();
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#/room/${roomId}/${view}`);
  await page.getByRole("tabpanel").waitFor();
  // Fonts and the first drawing of a canvas.
  await sleep(STEP_MS);
  await page.screenshot({ path: join(images, file) });
  await page.close();
}

try {
  startProject();
  await story();
  const { room: state } = JSON.parse(room.as("claude:1", "state", "--json"));
  const address = await addressOf(room.startPerson("ui", "--no-open"));
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args });
  for (const picture of PICTURES) await draw(browser, address, state.room_id, picture);
  await browser.close();
} finally {
  room.end();
}
