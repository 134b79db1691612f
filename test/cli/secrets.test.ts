/**
 * Inside a session the evidence about who is calling is stronger than its word, and a lease is its holder's secret.
 * Every test of this suite searches all that was printed for leases (support/secrets.ts); here everything is printed.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { verifies } from "../promises/verifies.ts";
import { dumpDatabase } from "../support/database-dump.ts";
import { inParallel } from "../support/in-parallel.ts";
import { CliWorld, PERSON } from "./support/cli-world.ts";
import { SecretWatch } from "./support/secrets.ts";

const HOLDER = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "holder-session" };
const OTHER = { CODEX_THREAD_ID: "other-session" };

const ACTIONS = [
  "join",
  "leave",
  "wait --timeout 1ms",
  "try",
  "listen --timeout 1ms",
  "heartbeat",
  "release --status x --next-action y",
  "pass codex --status x --next-action y",
  "assign codex --status x --next-action y",
  "take --reason x",
  "kick codex",
  "close",
  "policy lease_ttl_ms=2000",
  "msg send codex x",
  "msg recv",
  "msg recv --wait --timeout 1ms",
  "msg recv --peek",
  "ask codex x --timeout 1ms",
  "reply x y",
  "request x",
  "dlq list",
  "dlq requeue x",
  "dlq purge --yes",
  "notes add x",
  "notes resolve x",
  "name parser",
  "whoami",
];

const READS = [
  "",
  "status",
  "list --all",
  "state",
  "events",
  "notes",
  "policy",
  "export",
  "doctor",
  "whoami --explain",
  "prune",
];

/** A room in which one session holds the stick and another is a member. */
async function heldRoom() {
  const world = new CliWorld();
  const holder = (await world.done("whoami", { env: HOLDER })).json()["agent_id"] as string;
  await world.done("try", { env: HOLDER, who: holder });
  await world.done("join", { env: OTHER });
  return { world, holder };
}

verifies(
  "X2",
  "no command of a session may use another's name: a live agent's, a person's, one nobody has",
  async () => {
    const { world, holder } = await heldRoom();
    const before = dumpDatabase(world.database).tables;
    const ways = [
      { name: holder, words: ["--agent", holder], env: {} },
      { name: holder, words: [], env: { TT_AGENT_ID: holder } },
      { name: holder, words: [], env: { TT_HARNESS_AGENT_ID: holder } },
      { name: PERSON, words: ["--agent", PERSON], env: {} },
      { name: "me:new", words: ["--agent", "me:new"], env: {} },
    ];
    const tries = ACTIONS.flatMap((line) => ways.map((way) => ({ line, ...way })));
    await inParallel(3, tries, async ({ line, name, words, env }) => {
      const outcome = await world.tt([...line.split(" "), ...words, "--json"], { env: { ...OTHER, ...env } });
      const { error, named_agent_id: named } = outcome.error();
      expect([line, outcome.code, error, named]).toEqual([line, 5, "not_authorized", name]);
    });
    expect(dumpDatabase(world.database).tables).toEqual(before);
  },
);

verifies("X2", "nor may one under a harness of which only the process is known, and it stays one member", async () => {
  const world = new CliWorld();
  const below = { through: ["bash", "-c", 'exec -a gemini bash -c \'"$@"; exit $?\' gemini "$@"', "bash"] };
  for (const name of [PERSON, "me:new"]) {
    const outcome = await world.tt(["join", "--agent", name, "--json"], below);
    expect([outcome.code, outcome.error()["error"]]).toEqual([5, "not_authorized"]);
  }
  await world.done("join", below);
  expect((await world.done("state --json")).json()["members"]).toHaveLength(1);
});

verifies("X2", "a lease stands in the answer that grants it and in nothing else that is printed", async () => {
  const { world, holder } = await heldRoom();
  const trace = join(world.root, "trace.ndjson");
  const readers = [
    { env: { ...OTHER, TT_TRACE_FILE: trace } },
    { as: "script:1" },
    { env: { ...HOLDER, TT_TRACE_FILE: trace }, who: holder },
  ];
  const lines = READS.flatMap((line) => [`${line} --json`, `${line} --text --debug`]);
  for (const reader of readers) {
    await inParallel(3, lines, async (line) => {
      await world.tt(line, reader);
    });
  }
  for (const line of [
    "wait --timeout 1ms",
    "try",
    "take --reason x",
    "kick claude",
    "request x",
    "msg send room x",
    "msg recv",
    "release --status x --next-action y",
  ]) {
    await world.tt(line, { env: OTHER });
  }
  await world.done("heartbeat", { env: HOLDER, who: holder });
  await world.done("release --status x --next-action y", { env: HOLDER, who: holder });
  expect(world.leases).toHaveLength(1);
  expect(readFileSync(trace, "utf8")).not.toContain(world.leases[0]);
});

verifies("X2", "nor in the transcript of its holder that others read, also where a limit cuts it", async () => {
  const { world } = await heldRoom();
  const [lease = ""] = world.leases;
  const input = { lease_id: lease, expected_turn_id: 1, handoff: { status: "x", next_action: "y" } };
  const long = { command: `${"x".repeat(262)} ${lease}` };
  writeTranscript(world, [
    { type: "user", message: { content: `You hold ${JSON.stringify(JSON.stringify({ lease_id: lease }))}.` } },
    { type: "assistant", message: { content: [{ type: "tool_use", name: "release_stick", input }] } },
    { type: "assistant", message: { content: [{ type: "tool_use", name: "Bash", input: long }] } },
    { type: "assistant", message: { content: [{ type: "text", text: `${lease}${"y".repeat(243)}` }] } },
  ]);
  const whole = (await world.done("read claude --json", { env: OTHER })).json() as { messages: { text: string }[] };
  expect(whole.messages).toHaveLength(4);
  expect(whole.messages.filter(({ text }) => text.includes("[lease]"))).toHaveLength(4);
  for (const line of ["read claude --json", "read claude --text", "read claude --max-bytes 256 --json"]) {
    const { stdout } = await world.done(line, { env: OTHER });
    for (let at = 0; at + 8 <= 25; at += 1) expect(stdout).not.toContain(lease.slice(-25).slice(at, at + 8));
  }
});

/** Where Claude Code keeps the transcript of the holder. */
function writeTranscript(world: CliWorld, records: readonly object[]): void {
  const folder = world.directory(join("home/.claude/projects", world.tree.replace(/[^A-Za-z0-9]/g, "-")));
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  writeFileSync(join(folder, `${HOLDER.CLAUDE_CODE_SESSION_ID}.jsonl`), lines);
}

verifies("X2", "the search would find a lease that leaks", () => {
  const watch = new SecretWatch("/nowhere");
  watch.keep({ who: "a:1", line: "try", text: '{"status":"your_turn","lease_id":"secret"}' });
  expect(() => watch.check()).not.toThrow();
  watch.keep({ who: "b:2", line: "state", text: "… secret …" });
  expect(() => watch.check()).toThrow("b:2: tt state");
});
