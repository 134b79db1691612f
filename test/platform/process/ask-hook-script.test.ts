import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { askHookScript } from "../../../src/platform/process/ask-hook-script.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const LONG_MS = 8000;

/** Asks a script that finds its directory in `$D` and this program in `$NODE`. */
function ask(lines: string, timeoutMs: number) {
  const directory = temporaryDirectory();
  const script = join(directory, "script");
  writeFileSync(script, `#!/bin/sh\n${lines}\n`, { mode: 0o700 });
  const env = { ...process.env, D: directory, NODE: process.execPath };
  const file = (name: string) => join(directory, name);
  const has = (name: string) => existsSync(file(name));
  return { said: askHookScript(script, { words: ["stop"], payload: "words", env, timeoutMs }), file, has };
}

function isRunning(pid: number): boolean {
  try {
    return /^State:\s+[^ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("a script gets its words and its payload, and what it prints is returned", async () => {
  expect(await ask('echo "$1 $(cat)"', LONG_MS).said).toBe("stop words\n");
});

test("a script that is not there says nothing", async () => {
  const call = { words: [], payload: "", env: {}, timeoutMs: LONG_MS };
  expect(await askHookScript("/nowhere/tt-hook", call)).toBe("");
});

test("when the time is over, the script's child processes end, too", async () => {
  const { said, file, has } = ask('(echo $$ >"$D/shell"; sh -c \'echo $$ >"$D/worker"; exec sleep 600\'; :); :', 1000);
  await said;
  expect(has("worker")).toBe(true);
  for (const who of ["shell", "worker"]) {
    await expect.poll(() => isRunning(Number(readFileSync(file(who), "utf8")))).toBe(false);
  }
});

test("a child process that lives on can print nothing, and so acknowledges nothing", async () => {
  const worker = `
    const { spawn } = require("node:child_process");
    const { existsSync, writeFileSync, writeSync } = require("node:fs");
    const at = (name) => process.env.D + "/" + name;
    if (process.argv[1] !== "late") {
      spawn(process.execPath, ["-e", process.env.WORKER, "late"], { stdio: "inherit", detached: true }).unref();
    } else {
      const look = setInterval(() => {
        if (!existsSync(at("now"))) return;
        clearInterval(look);
        let end = "printed";
        try { writeSync(1, "late"); } catch (error) { end = error.code; }
        writeFileSync(at("end"), end);
      }, 5);
      writeFileSync(at("ready"), "");
    }`;
  const lines = `WORKER='${worker}'; export WORKER; "$NODE" -e "$WORKER"; until [ -e "$D/ready" ]; do sleep 0.01; done; sleep 600`;
  const { said, file, has } = ask(lines, 3000);
  expect(await said).toBe("");
  expect(has("ready")).toBe(true);
  writeFileSync(file("now"), "");
  await expect.poll(() => has("end") && readFileSync(file("end"), "utf8")).toBe("EPIPE");
});

test("what was printed in time counts, although this process was too busy to read it", async () => {
  const { said, has } = ask('echo in time; : >"$D/printed"; sleep 600', 50);
  const until = Date.now() + 100;
  while (!has("printed") || Date.now() < until);
  expect(await said).toBe("in time\n");
});
