/** Every shell line of docs/coming-from.md does what its row says: the old word works, or names the new one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CliWorld } from "./support/cli-world.ts";
import { pathWithTt } from "./support/shell-agent.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/coming-from.md"), "utf8");
const rows = [...page.matchAll(/^\| `(tt [^`]+)` \| `(tt [^`]+)` \| (.*) \|$/gm)].map(
  ([, there = "", here = "", old = ""]) => ({
    there,
    here,
    old,
  }),
);

/** The line, typed by the holder in a room of two with a note. */
async function typed(line: string) {
  const world = new CliWorld();
  await world.done("join", { as: "codex:1" });
  await world.done("try", { as: "claude:1" });
  const note = (await world.done("notes add a note --json", { as: "claude:1" })).json()["note_id"] as string;
  const running = world.startProgram("sh", ["-c", line.replace("ID", note)], {
    as: "claude:1",
    env: { PATH: pathWithTt(world) },
  });
  const { code, stdout, stderr } = await running.ended;
  return { code, said: `${stdout}${stderr}`.replace(/\s+/g, " ").replaceAll(note, "ID") };
}

/** What differs from run to run. */
const plain = (said: string) => said.replace(/\/\S+|\d\d:\d\d:\d\d|\b[0-9a-f]{10}\b|\b[0-9a-z]{8}\b/g, "#");

it("has rows of both kinds", () => {
  expect(rows.filter(({ old }) => old === "still works").length).toBeGreaterThan(5);
  expect(rows.filter(({ old }) => old === "names the new one").length).toBeGreaterThan(5);
});

it.each(rows)("$there: $old", async ({ there, here, old }) => {
  const [theirs, ours] = [await typed(there), await typed(here)];
  // Only a line that is wrong in itself ends with 2; a command that lacks its words is one.
  if (!/^tt mailbox \w+$/.test(here)) expect(ours.code).not.toBe(2);
  if (old === "still works") {
    expect([theirs.code, plain(theirs.said)]).toEqual([ours.code, plain(ours.said)]);
  } else {
    expect(theirs.code).toBe(2);
    expect(theirs.said).toContain(here.replace(/ ".*| ID$/, ""));
  }
});
