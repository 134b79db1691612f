import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openGitGuard } from "../../src/app/git-layer.ts";
import { isRefusal } from "../../src/core/refusal.ts";
import { GIT_HOLES } from "../../src/guard/rules/git-holes.ts";
import { HARNESSES } from "../../src/harness/harnesses.ts";
import { makeRepository } from "../support/git-repository.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

it("git's hooks call a script in the user's state directory, which only the user may change", async () => {
  const root = temporaryDirectory();
  const [home, tree] = [join(root, "home"), makeRepository(join(root, "tree"))];
  mkdirSync(home);
  const env = { HOME: home, PATH: process.env["PATH"] };
  const layer = openGitGuard({ env, version: "1.2.3", dataDir: join(root, "data"), sharedStore: false, toUndo: false });
  if (isRefusal(layer)) throw new Error(layer.message);
  await layer.install(tree);
  const script = join(home, ".local/state/tt/hooks/tt-git-guard");
  expect(readFileSync(script, "utf8")).toMatch(/^#!\/bin\/sh\n# talking-stick 1\.2\.3\n/);
  expect(readFileSync(script, "utf8")).not.toMatch(/@[A-Z_]+@/);
  expect(statSync(script).mode & 0o777).toBe(0o700);
});

it("the script is never put into the data directory, where agents may write", () => {
  const home = temporaryDirectory();
  const env = { HOME: home, PATH: process.env["PATH"] };
  const options = { env, version: "1.2.3", sharedStore: false, toUndo: false };
  expect(openGitGuard({ ...options, dataDir: join(home, ".local/state") })).toMatchObject({ error: "invalid_input" });
});

it.each(HARNESSES.map((harness) => [harness.name, harness] as const))(
  "%s marks its commands by each of the variables that the script looks at, and by nothing else",
  (_, harness) => {
    const { markedBy, sessionNamedBy } = harness;
    const markIn = (env: Readonly<Record<string, string>>) => harness.markIn(env);
    expect(markedBy.map((name) => markIn({ [name]: "1" })?.sessionId ?? null)).toEqual(
      markedBy.map((name) => (sessionNamedBy.includes(name) ? "1" : null)),
    );
    expect(markedBy.every((name) => markIn({ [name]: "1" }) !== null)).toBe(true);
    const marks = Object.fromEntries(sessionNamedBy.map((name, index) => [name, `id-${index}`]));
    expect(markIn({ ...marks, [markedBy[0] ?? ""]: "id-0" })?.sessionId).toBe("id-0");
    expect(markIn({})).toBeNull();
  },
);

it("each hole says what is not stopped, and why", () => {
  for (const { what, why } of GIT_HOLES)
    expect([what, why]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\.$/)]);
});
