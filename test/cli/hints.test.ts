/** A hint is a command that works when it is typed as shown. */
import { expect, it } from "vitest";
import { asPerson, CliWorld, type RunOptions } from "./support/cli-world.ts";

const HANDOFF = ["--status", "x", "--next-action", "y"];

/** Every command that is named, up to the first word that says what to do. */
function commandsIn(text: string): readonly string[] {
  return [...text.replace(/\n */g, " ").matchAll(/\btt (?:--\w+ \S+ )*[a-z]+/g)].map(([command]) => command);
}

function mine(...commands: string[]): readonly string[] {
  return commands.map((command) => `tt --agent me:b ${command}`);
}

it("an agent that was named with --agent is named again in every hint", async () => {
  const world = new CliWorld();
  const hintsOf = async (words: readonly string[], options: RunOptions = {}) => {
    const { stdout, stderr } = await world.tt(["--agent", "me:b", ...words], { who: "me:b", ...options });
    return commandsIn(`${stdout}${stderr}`);
  };
  expect(await hintsOf([])).toEqual(mine("join"));
  expect(await hintsOf(["join"])).toEqual(mine("wait"));
  expect(await hintsOf(["try"])).toEqual(mine("release"));
  expect(await hintsOf([])).toEqual(mine("release"));
  expect(await hintsOf(["notes"])).toEqual(mine("notes"));
  await world.done("join", { as: "me:a" });
  await world.done("msg send me:b hello", { as: "me:a" });
  expect(await hintsOf([])).toEqual(mine("msg", "msg"));
  expect(await hintsOf(["msg", "recv"])).toEqual(mine("reply"));
  expect(await hintsOf(["msg", "send", "me:a", "hi"])).toEqual(mine("msg"));
  expect(await hintsOf(["ask", "me:a", "why?", "--timeout", "1ms"])).toEqual(mine("msg", "msg"));
  expect((await hintsOf(["release", ...HANDOFF])).length).toBe(0);
  expect(await hintsOf(["dlq", "show", "x"])).toEqual(mine("dlq"));
  expect(await hintsOf(["state", "--path", "/tmp"])).toEqual(["tt --agent me:b --path /tmp join"]);
  expect(await hintsOf(["state", "--room", "nope"])).toEqual(mine("list", "join"));
});

it("what would be deleted is what the hint deletes, and nothing else", async () => {
  const world = new CliWorld();
  await world.done("join", { as: "me:b" });
  await asPerson(world, "close");
  expect((await world.done("prune")).stdout).toContain("No room has been idle for long enough.");
  for (const [idle, told] of Object.entries({ "0": "0", "1ms": "1ms", "0.001s": "1ms" })) {
    const { stdout } = await world.done(`prune --idle ${idle}`);
    expect(stdout).toContain(`to delete  ${world.tree}`);
    expect(stdout).toContain(`Do it with: tt prune --idle ${told} --yes`);
  }
  expect((await world.done("prune --idle 1ms --yes")).stdout).toContain(`deleted    ${world.tree}`);
});

it("a stream says how it goes on, with all that it was asked for", async () => {
  const world = new CliWorld();
  await world.done("join", { as: "me:b" });
  const line = "--agent me:b events --follow --event claim,release --target any --from me:b --timeout 1ms";
  const { stdout } = await world.done(line);
  expect(stdout.replace(/\n +/g, " ")).toBe(
    "Go on with: tt --agent me:b log --follow --after 1 --event claim,release --target any --from me:b\n",
  );
});
