/**
 * A browser for each test file and a context for each test. A page fails its test by an error on its console, an exception,
 * a request to another origin or a breach of its policy, even where the test itself sees nothing of it.
 */
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, expect, inject, it, onTestFinished } from "vitest";
import { skipUnless } from "../../support/privileges.ts";
import { type Launched, launchChromium } from "./chromium.ts";
import type { PageServer } from "./page-world.ts";

/** An operation that says no is no fault of the page, but Chromium writes an error of its own about it. */
const REFUSAL = /status of 422/;

/** Shorter than a test may take, so that a test whose wait does not end says for what. */
const PATIENCE_MS = Number(process.env["TT_TEST_PATIENCE_MS"] ?? 100_000);

const path = inject("chromium");

/** A test in a browser. */
export const inBrowser = it.skipIf(skipUnless(path !== null, "Chromium"));

let launched: Promise<Launched> | null = null;

afterAll(async () => {
  await (await launched)?.end();
});

interface OpenOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: "light" | "dark";
  readonly reducedMotion?: boolean;
  /** The address of a proxy that all requests go through. */
  readonly through?: string;
  /** Faults that the test itself brings about, such as a server that ends. */
  readonly expected?: RegExp;
  /** Is filled with the faults. What is in it at the end of the test fails it. */
  readonly faults?: string[];
}

/** Opens the address of a server, or of a file. */
export async function openPage(at: PageServer | string, options: OpenOptions = {}): Promise<Page> {
  const { width = 1280, height = 800, scheme = "light", reducedMotion = false, through } = options;
  const page = await blankPage({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: reducedMotion ? "reduce" : "no-preference",
    ...(through !== undefined && { proxy: { server: through } }),
  });
  const address = typeof at === "string" ? at : at.address;
  watchFaults(page, new URL(address), options);
  await page.goto(address);
  return page;
}

async function blankPage(options: BrowserContextOptions): Promise<Page> {
  launched ??= launchChromium(path ?? "");
  const { browser } = await launched;
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  context.setDefaultTimeout(PATIENCE_MS);
  return context.newPage();
}

function watchFaults(
  page: Page,
  { origin, protocol, pathname }: URL,
  { expected = REFUSAL, faults = [] }: OpenOptions,
): void {
  const add = (kind: string, text: string) => {
    if (!expected.test(text) && !REFUSAL.test(text)) faults.push(`${kind}: ${text}`);
  };
  // A breach of the policy is an error on the console, too.
  page.on("console", (message) => {
    if (message.type() === "error") add("console", `${message.text()} at ${message.location().url}`);
  });
  page.on("pageerror", (error) => add("exception", error.stack ?? String(error)));
  page.on("request", (request) => {
    const to = new URL(request.url());
    const isOwn = protocol === "file:" ? to.protocol === protocol && to.pathname === pathname : to.origin === origin;
    if (!isOwn && to.protocol !== "about:") add("request", to.href);
  });
  page.on("crash", () => add("crash", page.url()));
  onTestFinished(() => expect(faults, "faults of the page").toEqual([]));
}

/** How far the page as a whole can be scrolled to the side: it never should. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}

/** What the page shows in all, as text. */
export function textOf(page: Page): Promise<string> {
  return page.locator("body").innerText();
}
