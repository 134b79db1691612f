import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleFixture, startFixture } from "../../support/fixture.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** As the build wraps a program. */
const programText = (answer: string) => `(function(exports,require,module){module.exports=${JSON.stringify(answer)};})`;

const allOf = (kept: boolean) =>
  ["one", "two", "one", "two"].map((n) => ({ answer: `build ${n}`, keptFor: kept ? "join" : null, keeps: !kept }));

test("two builds under two sets of flags each read what they kept, in one home and by turns", async () => {
  const home = temporaryDirectory();
  const builds = ["one", "two"].map((digest) => ({ digest, directory: join(home, digest) }));
  for (const { digest, directory } of builds) {
    mkdirSync(directory);
    writeFileSync(join(directory, "program.cjs"), programText(`build ${digest}`));
  }
  const bundle = await bundleFixture("test/platform/code/fixtures/kept-program.ts");
  const start = async (digest: string, directory: string, options: string | undefined) => {
    const env = { HOME: home, XDG_CACHE_HOME: undefined, NODE_OPTIONS: options };
    return (await startFixture(bundle, [directory, digest], { env }).lines().next()).value;
  };
  const byTurns = async () => {
    const answers = [];
    for (const options of [undefined, "--stack-trace-limit=50"])
      for (const { digest, directory } of builds) answers.push(await start(digest, directory, options));
    return answers;
  };
  try {
    expect(await byTurns()).toEqual(allOf(false));
    expect(await byTurns()).toEqual(allOf(true));
    expect(readdirSync(join(home, ".cache/tt"))).toHaveLength(4);
  } finally {
    bundle.remove();
  }
});
