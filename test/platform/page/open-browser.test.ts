import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openBrowser } from "../../../src/platform/page/open-browser.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** A program that says that it runs, and then does this. */
function starter(then: string) {
  const place = temporaryDirectory();
  const [program, started] = [join(place, "browser"), join(place, "started")];
  writeFileSync(program, `#!/bin/sh\necho "$@" > '${started}'\n${then}\n`);
  chmodSync(program, 0o755);
  return { program, started };
}

const never = new AbortController().signal;

test("a starter that still runs is not waited for once it is time to quit", async () => {
  const browser = starter('while [ -e "$0" ]; do sleep 0.1; done');
  const quit = new AbortController();
  // The time in which a starter fails does not pass.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  try {
    const opened = openBrowser({ BROWSER: browser.program, PATH: process.env["PATH"] }, "/file", quit.signal);
    while (!existsSync(browser.started)) await new Promise(setImmediate);
    quit.abort();
    expect(await opened).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test("the next starter is tried when one fails, and none is left in the end", async () => {
  const [bad, good] = [starter("exit 3"), starter("exit 0")];
  const env = { PATH: process.env["PATH"] };
  expect(await openBrowser({ ...env, BROWSER: `${bad.program}:/none:${good.program}` }, "/a file", never)).toBe(true);
  expect([existsSync(bad.started), existsSync(good.started)]).toEqual([true, true]);
  expect(await openBrowser({ ...env, BROWSER: bad.program }, "/a file", never)).toBe(false);
});
