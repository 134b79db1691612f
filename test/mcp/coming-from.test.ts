/** Every tool call of docs/coming-from.md does what its row says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { McpWorld } from "./support/mcp-world.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/coming-from.md"), "utf8");
const rows = [...page.matchAll(/^\| `(\w+) (\{.*?\})` \| `(\w+)(?: (\{.*?\}))?`(.*?) \| (.*) \|$/gm)].map(
  ([, name = "", there = "{}", , here, , old = ""]) => ({ name, there, here, old }),
);

it("has rows of both kinds", () => {
  expect(rows.map(({ old }) => old)).toEqual(expect.arrayContaining(["still works", "names the new one"]));
  expect(rows.length).toBeGreaterThanOrEqual(6);
});

/** Which notes a reader who knows the refused word wants: all of them, or the next page, which has older ones here. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  include_resolved: ["resolved", "open"],
  after_note_id: ["resolved"],
};

/** What differs from call to call. */
const plain = (answer: object) => JSON.stringify(answer).replace(/[0-9a-z]{25}(-\d+)?|"(\w+_seq|\w+_at)":[^,}]+/g, "#");

it.each(rows)("$name $there: $old", async ({ name, there, here, old }) => {
  const world = new McpWorld();
  const [a, codex] = [await world.connect("a:1", { tools: "all" }), await world.connect("codex:1", { tools: "all" })];
  for (const agent of [a, codex]) await agent.call("join_path");
  const noted = async (body: string) => (await a.call("add_note", { body })).answer["note_id"] as string;
  const [resolved, open] = [await noted("resolved"), await noted("open")];
  await a.call("resolve_note", { note_id: resolved });
  const call = (input = "{}") => a.call(name, JSON.parse(input.replace("ID", open)) as Record<string, unknown>);
  const theirs = await call(there);
  if (old === "still works") {
    expect(theirs.isError ?? false).toBe(false);
    expect(plain(theirs.answer)).toEqual(plain((await call(here)).answer));
    return;
  }
  const words = here === undefined ? ["TT_AGENT_ID"] : Object.keys(JSON.parse(here) as object);
  expect([theirs.isError, theirs.answer["error"]]).toEqual([true, "invalid_input"]);
  for (const word of words) expect(String(theirs.answer["next"])).toContain(word);
  expect([old, words.length]).toEqual(words.length > 0 ? ["names the new one", 1] : ["says that it is not needed", 0]);
  const meant = MEANT[Object.keys(JSON.parse(there) as object)[0] as string];
  expect(meant !== undefined).toBe(name === "list_notes");
  if (meant === undefined) return;
  const { notes } = (await call(here)).answer as { notes: readonly { readonly body: string }[] };
  expect(notes.map(({ body }) => body)).toEqual(meant);
});
