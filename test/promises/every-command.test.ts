/**
 * P1. One story runs every command of the command line, another one calls every tool of the MCP server, on every store.
 * All that they are told must be the same but for ids, times and places.
 */
import postgres from "postgres";
import { expect, inject, onTestFinished } from "vitest";
import { GROUPS } from "../../src/surfaces/cli/table.ts";
import { TOOLS } from "../../src/surfaces/mcp/tools.ts";
import { CliWorld } from "../cli/support/cli-world.ts";
import { cliStory } from "./every-command/cli-story.ts";
import { mcpStory } from "./every-command/mcp-story.ts";
import { type StoreKind, storyWorld } from "./every-command/story-world.ts";
import { verifies } from "./verifies.ts";

const server = inject("postgresUrl");

if (server === null) process.stderr.write("SKIPPED: P1 on PostgreSQL: there is no server\n");

const OTHERS: readonly StoreKind[] = server === null ? ["memory"] : ["memory", "postgres"];

verifies("P1", "every command of the command line says the same on every store", async () => {
  const { told, lines } = await cliStory(await storyWorld("sqlite", server));
  for (const kind of OTHERS) expect((await cliStory(await storyWorld(kind, server))).told, kind).toEqual(told);
  const names = GROUPS.flatMap(({ commands }) => commands.map(({ name }) => name));
  const isRun = (name: string) => lines.some((words) => `${words.join(" ")} `.startsWith(`${name} `));
  expect(
    ["", ...names].filter((name) => !isRun(name)),
    "commands without a step in the story",
  ).toEqual([]);
});

verifies("P1", "every tool of the MCP server says the same on every store", async () => {
  const { told, tools } = await mcpStory(await storyWorld("sqlite", server));
  for (const kind of OTHERS) expect((await mcpStory(await storyWorld(kind, server))).told, kind).toEqual(told);
  const names = TOOLS.map(({ name }) => name);
  expect(
    names.filter((name) => !tools.has(name)),
    "tools without a step in the story",
  ).toEqual([]);
});

const HANDOFF = ["--status", "done", "--next-action", "none"];

/** Who runs what, and the field of the answer that tells it succeeded. */
const SPAWNS: readonly (readonly [who: string, words: readonly string[], field: string, value: unknown])[] = [
  ["a:1", ["join"], "joined_existing_room", false],
  ["b:2", ["join"], "joined_existing_room", true],
  ["a:1", ["try"], "status", "your_turn"],
  ["a:1", ["heartbeat"], "status", "ok"],
  ["b:2", ["try"], "status", "not_yet"],
  ["b:2", ["request", "a hotfix waits"], "event_seq", 4],
  ["a:1", ["msg", "recv"], "count", 1],
  ["a:1", ["release", ...HANDOFF], "status", "released"],
  ["b:2", ["wait", "--timeout", "10s"], "status", "your_turn"],
  ["b:2", ["release", ...HANDOFF], "status", "released"],
  ["a:1", ["msg", "send", "b:2", "hello"], "event_seq", 8],
  ["b:2", ["listen", "--timeout", "10s"], "status", "messages"],
  ["a:1", ["notes", "add", "a note"], "author_agent_id", "a:1"],
  ["a:1", ["card", "parse dates"], "changed", true],
  ["a:1", ["peers"], "sessions", expect.any(Array)],
  ["a:1", ["events", "--after", "0", "--limit", "3"], "events", expect.any(Array)],
  ["a:1", ["mailbox", "enqueue", "--from", "x", "--to", "y", "--msg-id", "x:1", "text"], "queued", true],
  ["a:1", ["mailbox", "dequeue", "y"], "payload", "text"],
  ["a:1", ["dlq", "list"], "dead_letters", []],
  ["a:1", ["state"], "room", expect.objectContaining({ state: "idle", turn_id: 2 })],
  ["a:1", ["doctor"], "findings", expect.any(Array)],
  ["a:1", ["leave"], "status", "left"],
];

verifies("P1", "real commands of the built program on a real server", async () => {
  if (server === null) return;
  const name = `spawned_${Math.random().toString(36).slice(2)}`;
  const admin = postgres(server, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`CREATE DATABASE ${name}`);
  onTestFinished(async () => {
    await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });
  const url = new URL(server);
  url.pathname = `/${name}`;
  const world = new CliWorld();
  const env = { TT_STORE: url.href };
  for (const [as, words, field, value] of SPAWNS) {
    const { stdout, stderr } = await world.tt([...words, "--json"], { as, env });
    const answer = JSON.parse(stdout || stderr) as Readonly<Record<string, unknown>>;
    expect([words.join(" "), answer[field], answer["error"]]).toEqual([words.join(" "), value, undefined]);
  }
  const exported = await world.done("export", { as: "b:2", env });
  expect(exported.stdout.trimEnd().split("\n").length).toBeGreaterThan(10);
});
