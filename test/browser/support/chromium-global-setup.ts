import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { chromiumPath } from "./chromium.ts";

/** The browser of the tests: Debian's, installed if it is not here. */
declare module "vitest" {
  interface ProvidedContext {
    /** The path of a Chromium; null if there is none, and then the tests in a browser are skipped. */
    chromium: string | null;
  }
}

const INSTALL = join(import.meta.dirname, "../../support/install-packages.mjs");
/** The fonts are those of the pictures, and of texts in many scripts. */
const PACKAGES = ["chromium", "fonts-dejavu-core", "fonts-noto-color-emoji"];
/** They are 120 MB. */
const LIMIT_S = 300;

export default function setup(project: TestProject): void {
  project.provide("chromium", findChromium());
}

function findChromium(): string | null {
  if (process.env["TT_TEST_CHROMIUM"] === undefined && process.platform === "linux") {
    const words = [INSTALL, `--limit=${LIMIT_S}`, ...PACKAGES];
    spawnSync(process.execPath, words, { stdio: ["ignore", "inherit", "inherit"] });
  }
  const path = chromiumPath();
  if (path === null)
    process.stderr.write("\nSKIPPED: the tests in a browser: there is no Chromium. TT_TEST_CHROMIUM can name one\n\n");
  return path;
}
