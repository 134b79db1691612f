/** Debian's Chromium, and how to start it: used by the tests and by the benchmarks. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const DEBIAN_PATH = "/usr/bin/chromium";

/** Chromium asks hosts of its own for news, and has no use for a graphics card. */
const FLAGS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // As root it has no sandbox.
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
];

/** Null: there is none. On systems other than Debian, TT_TEST_CHROMIUM names one. */
export function chromiumPath(): string | null {
  return process.env["TT_TEST_CHROMIUM"] ?? (existsSync(DEBIAN_PATH) ? DEBIAN_PATH : null);
}

export interface Launched {
  readonly browser: Browser;
  readonly end: () => Promise<void>;
}

/** With a home of its own, in which it keeps what it learns. */
export async function launchChromium(path: string, flags: readonly string[] = []): Promise<Launched> {
  const home = mkdtempSync(join(tmpdir(), "tt-browser-"));
  const env = { ...process.env, HOME: home } as Record<string, string>;
  const browser = await chromium.launch({ executablePath: path, args: [...FLAGS, ...flags], env });
  const end = async () => {
    await browser.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  };
  return { browser, end };
}
