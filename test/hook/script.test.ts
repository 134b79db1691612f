/** The script in the configurations of harnesses, with a program behind it that shows what reached it. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hookScript } from "../../src/harness/hook-script.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const COMPANY = { NODE_EXTRA_CA_CERTS: "/company/ca.pem", NODE_OPTIONS: "--require=/company/agent.js" };

interface Settings {
  readonly env?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly sharedStore?: boolean;
}

/** The variables of a hook's program whose names begin like this. */
function reached(names: RegExp, { env = {}, ...settings }: Settings): readonly string[] {
  const directory = temporaryDirectory();
  const [program, script] = [join(directory, "program"), join(directory, "tt-hook")];
  writeFileSync(program, "#!/bin/sh\nenv\n");
  chmodSync(program, 0o700);
  const places = { version: "0.0.0", node: program, hookProgram: program, dataDir: directory };
  writeFileSync(script, hookScript({ ...places, ...settings }));
  const path = process.env["PATH"] ?? "";
  const shown = execFileSync("sh", [script, "claude", "prompt"], { env: { PATH: path, ...COMPANY, ...env } });
  return String(shown)
    .split("\n")
    .filter((line) => names.test(line))
    .toSorted();
}

/** Whether the hook of a tool starts the program, if a session has left a sign. */
const started = (sessionId: string, sign: string | null): boolean => {
  const directory = temporaryDirectory();
  const [program, script] = [join(directory, "program"), join(directory, "tt-hook")];
  writeFileSync(program, "#!/bin/sh\necho started\n");
  chmodSync(program, 0o700);
  mkdirSync(join(directory, "activity"));
  if (sign !== null) writeFileSync(join(directory, "activity", sign), "");
  writeFileSync(script, hookScript({ version: "0.0.0", node: program, hookProgram: program, dataDir: directory }));
  const env = { PATH: process.env["PATH"] ?? "", GEMINI_SESSION_ID: sessionId };
  return String(execFileSync("sh", [script, "gemini", "post-tool"], { env })) !== "";
};

describe("the hook of a tool of Gemini CLI", () => {
  test.each<[what: string, sessionId: string, sign: string | null, expected: boolean]>([
    ["starts no program for a session that was seen before", "first", "first", false],
    ["starts it for an id that was never seen: it may be that of a session that is known", "second", "first", true],
    ["starts it for the first id of all", "first", null, true],
    ["starts it for no id", "", null, true],
    ["starts it for an id that is none", "../activity/first", "first", true],
  ])("%s", (_, sessionId, sign, expected) => {
    expect(started(sessionId, sign)).toBe(expected);
  });
});

describe("certificates", () => {
  const certificates = (settings: Settings) => reached(/^NODE_/, settings);

  test("are left behind where the store is on this machine: Node 20 reads them at every start", () => {
    expect(certificates({})).toEqual([]);
    expect(certificates({ env: { TT_STORE: "" } })).toEqual([]);
  });

  test.each<[where: string, settings: Settings]>([
    ["in the environment", { env: { TT_STORE: "postgres://team/tt?sslmode=verify-full" } }],
    ["when it was set up", { variables: { TT_STORE: "postgres://team/tt" } }],
    ["in the settings file", { sharedStore: true }],
  ])("reach the program where a shared store is named %s; options never do", (_, settings) => {
    expect(certificates(settings)).toEqual(["NODE_EXTRA_CA_CERTS=/company/ca.pem"]);
  });
});

test("what the environment says counts more than what was pinned", () => {
  const variables = { TT_STORE: "postgres://old/tt", TT_CONFIG: "/pinned.json" };
  const env = { TT_STORE: "postgres://new/tt" };
  expect(reached(/^TT_(STORE|CONFIG)=/, { variables, env })).toEqual([
    "TT_CONFIG=/pinned.json",
    "TT_STORE=postgres://new/tt",
  ]);
});
