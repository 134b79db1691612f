/** The page of a room in a real browser: its server, what it shows and when, and how long its tasks took. */
import { spawn } from "node:child_process";
import type { Browser, Page } from "playwright-core";
import { nowUs } from "./marks.ts";
import { pause } from "./workers/pause.ts";

interface PageServer {
  /** With the secret of this run. */
  readonly address: string;
  readonly end: () => Promise<void>;
}

/** Without a terminal it only shows, and says its address. */
export async function servePage(program: string, tree: string, env: NodeJS.ProcessEnv): Promise<PageServer> {
  const child = spawn(process.execPath, [program, "ui", "--no-open"], {
    cwd: tree,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
  });
  const address = await new Promise<string>((resolve, reject) => {
    let said = "";
    const hear = (text: string) => {
      said += text;
      const [found] = /http:\/\/127\.0\.0\.1:\d+\S*(?=\s)/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", hear);
    child.once("close", () => reject(new Error(`tt ui ended and named no address:\n${said}`)));
  });
  const end = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { address, end };
}

/** Notes when a text of this form first stands in the document, in milliseconds of the page's own clock. */
function watcherOf(form: RegExp): string {
  return `(() => {
    window.seenTexts = {};
    const note = (text) => {
      for (const [found] of text.matchAll(new RegExp(${JSON.stringify(form.source)}, "g"))) window.seenTexts[found] ??= performance.now();
    };
    const changed = (changes) => {
      for (const change of changes) {
        if (change.type === "characterData") note(change.target.data);
        for (const added of change.addedNodes) note(added.textContent ?? "");
      }
    };
    new MutationObserver(changed).observe(document, { childList: true, characterData: true, subtree: true });
  })()`;
}

/** From now on, and also after the page is loaded again. */
export async function watchTexts(page: Page, form: RegExp): Promise<void> {
  await page.addInitScript(watcherOf(form));
  await page.evaluate(watcherOf(form));
}

/** When the page had the text in its document, since it was loaded. */
export async function seenAt(page: Page, text: string): Promise<number> {
  // The policy of the page refuses what the browser's own wait would evaluate there.
  for (;;) {
    const ms = await page.evaluate<number | null>(`window.seenTexts?.[${JSON.stringify(text)}] ?? null`);
    if (ms !== null) return ms;
    await pause(50);
  }
}

/** What the page's clock and ours differ by, in microseconds: the sample with the quickest answer is the best. */
export async function clockOffsetUs(page: Page): Promise<number> {
  let [quickest, offset] = [Infinity, 0];
  for (let tries = 0; tries < 50; tries += 1) {
    const before = nowUs();
    const ms = await page.evaluate<number>("performance.now()");
    const tookUs = nowUs() - before;
    if (tookUs < quickest) [quickest, offset] = [tookUs, before + tookUs / 2 - ms * 1000];
  }
  return offset;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly args: { readonly name?: string };
}

/** The longest task on the page's main thread meanwhile, in microseconds. */
export async function longestTaskUs(browser: Browser, page: Page, meanwhile: () => Promise<void>): Promise<number> {
  const categories = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"];
  await browser.startTracing(page, { categories });
  await meanwhile();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: readonly TraceEvent[] };
  const mains = new Set(
    trace.traceEvents
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = trace.traceEvents.filter(
    ({ name, pid, tid }) =>
      (name === "RunTask" || name === "ThreadControllerImpl::RunTask") && mains.has(`${pid} ${tid}`),
  );
  if (tasks.length === 0) throw new Error("the trace has no tasks");
  return Math.max(...tasks.map(({ dur = 0 }) => dur));
}
