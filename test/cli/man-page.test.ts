import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, inject, it } from "vitest";
import { skipUnless } from "../support/privileges.ts";
import { CliWorld } from "./support/cli-world.ts";

const hasMan = spawnSync("man", ["--version"]).status === 0 && spawnSync("groff", ["--version"]).status === 0;

it.skipIf(skipUnless(hasMan, "man and groff"))(
  "man renders the page without a warning, with every command",
  async () => {
    const page = join(dirname(inject("tt")), "tt.1");
    const env = { PATH: process.env["PATH"], LANG: "C.UTF-8", MANWIDTH: "100", MAN_KEEP_FORMATTING: "" };
    const shown = spawnSync("man", ["--warnings", "-l", page], { env, encoding: "utf8" });
    expect([shown.status, shown.stderr]).toEqual([0, ""]);
    const text = shown.stdout.replaceAll(/\s+/g, " ");
    const { stdout: help } = await new CliWorld().done("help");
    const commands = [...help.matchAll(/^ {2}([a-z]+(?: [a-z]+)?)(?= {2}|$)/gm)].map(([, name]) => name);
    expect(commands.length).toBeGreaterThan(40);
    for (const name of commands) expect(text).toContain(`tt ${name}`);
    expect(text).toContain("--timeout TIME");
    expect(readFileSync(page, "utf8")).not.toMatch(/[^\0-\x7f]/);
  },
);

it("help shows the commands of every day first, each command once, and the global flags once", async () => {
  const { stdout } = await new CliWorld().done("help");
  const first = stdout.split(/^Every day:\n/m)[1]?.split("\n\n")[0] ?? "";
  expect(first.split("\n").map((line) => line.trim().split(/ {2,}/)[0])).toEqual(
    expect.arrayContaining(["wait", "release", "msg send", "ask", "reply", "give", "pause"]),
  );
  expect(stdout.indexOf("Every day:")).toBeLessThan(stdout.indexOf("The stick:"));
  for (const once of [/^ {2}wait /gm, /^Global flags:/gm, /^ {2}--json /gm]) expect(stdout.match(once)).toHaveLength(1);
});
