/**
 * One line per case: what is typed, the exit code, and what is told on which stream. All codes are literals, because
 * scripts and agents branch on them.
 */
import { expect, it } from "vitest";
import { inParallel } from "../support/in-parallel.ts";
import { asPerson, CliWorld, type RunOptions } from "./support/cli-world.ts";

type Row = readonly [line: string, code: number, told: string];
type Step = readonly [as: string, ...row: Row];

/** The row as it really is: a refusal by its error on standard error, an answer by its status on standard output. */
async function tried(world: CliWorld, line: string, options: RunOptions = {}): Promise<Row> {
  const outcome = await world.tt([...line.split(" ").filter(Boolean), "--json"], options);
  const { code, stdout, stderr } = outcome;
  if (stderr !== "" && stdout !== "") return [line, code ?? -1, `both streams: ${stdout}${stderr}`];
  if (stderr !== "") {
    const { error, message, next } = outcome.error();
    expect([typeof message, typeof next]).toEqual(["string", "string"]);
    return [line, code ?? -1, `stderr ${String(error)}`];
  }
  const status = stdout === "" ? "" : (outcome.json()["status"] ?? "answer");
  return [line, code ?? -1, `stdout ${status as string}`.trim()];
}

it("a line that is wrong is refused before anything else happens", async () => {
  const world = new CliWorld();
  const rows: readonly Row[] = [
    ["wiat", 2, "stderr usage"],
    ["xyzzy", 2, "stderr usage"],
    ["--jsn", 2, "stderr usage"],
    ["-x", 2, "stderr usage"],
    ["-", 2, "stderr usage"],
    ["wait --timeuot 3s", 2, "stderr usage"],
    ["wait --timeout 3", 2, "stderr usage"],
    ["wait --timeout 25h", 2, "stderr usage"],
    ["wait --timeout -1s", 2, "stderr usage"],
    ["wait --timeout 1s --timeout 2s", 2, "stderr usage"],
    ["wait --text=yes", 2, "stderr usage"],
    ["wait here there", 2, "stderr usage"],
    ["kick", 2, "stderr usage"],
    ["name", 2, "stderr usage"],
    ["claim", 2, "stderr usage"],
    ["prompt", 2, "stderr usage"],
    ["prompt init tcsh", 2, "stderr usage"],
    ["notes frob", 2, "stderr usage"],
    ["notes resolve", 2, "stderr usage"],
    ["policy lease_ttl_ms", 2, "stderr usage"],
    ["policy lease_ttl_ms=-1", 2, "stderr usage"],
    ["events --wait --follow", 2, "stderr usage"],
    ["events --limit 1.5", 2, "stderr usage"],
    ["events --after x", 2, "stderr usage"],
    ["release --stdin --status x", 2, "stderr usage"],
    ["msg", 2, "stderr usage"],
    ["msg frob", 2, "stderr usage"],
    ["msg send", 2, "stderr usage"],
    ["msg send b:2", 2, "stderr usage"],
    ["msg send b:2 x --stdin", 2, "stderr usage"],
    ["msg send b:2 x --follow", 2, "stderr usage"],
    ["msg send b:2 x --wake --no-wake", 2, "stderr usage"],
    ["msg recv x", 2, "stderr usage"],
    ["msg recv --interrupt", 2, "stderr usage"],
    ["msg recv --wait --follow", 2, "stderr usage"],
    ["msg recv --timeout 1s", 2, "stderr usage"],
    ["msg recv --follow --limit 3", 2, "stderr usage"],
    ["msg trace", 2, "stderr usage"],
    ["ask b:2", 2, "stderr usage"],
    ["ask b:2 x --timeout 6m", 2, "stderr usage"],
    ["ask", 2, "stderr usage"],
    ["reply", 2, "stderr usage"],
    ["request", 2, "stderr usage"],
    ["dlq", 2, "stderr usage"],
    ["dlq frob", 2, "stderr usage"],
    ["dlq show", 2, "stderr usage"],
    ["init", 2, "stderr usage"],
    ["demo --slow", 2, "stderr usage"],
  ];
  await expectRows(world, rows);
});

it("without a room a read is refused, and only the glance and lists are not", async () => {
  const world = new CliWorld();
  await expectRows(world, [
    ["", 0, "stdout answer"],
    ["status", 0, "stdout answer"],
    ["status --prompt", 0, "stdout"],
    ["list", 0, "stdout answer"],
    ["list --all", 0, "stdout answer"],
    ["doctor", 0, "stdout answer"],
    ["prune", 0, "stdout answer"],
    ["init --print", 0, "stdout answer"],
    ["state", 5, "stderr room_not_found"],
    ["policy", 5, "stderr room_not_found"],
    ["events", 5, "stderr room_not_found"],
    ["events --follow", 5, "stderr room_not_found"],
    ["notes", 5, "stderr room_not_found"],
    ["export", 5, "stderr room_not_found"],
    ["state --room nope", 5, "stderr room_not_found"],
    ["prune --room nope --yes", 5, "stderr room_not_found"],
    ["state /nope", 5, "stderr invalid_path"],
    ["list /nope", 5, "stderr invalid_path"],
    ["whoami", 5, "stderr agent_id_required"],
    ["join", 5, "stderr agent_id_required"],
    ["try", 5, "stderr agent_id_required"],
    ["wait", 5, "stderr agent_id_required"],
    ["listen", 5, "stderr agent_id_required"],
    ["notes add x", 5, "stderr agent_id_required"],
    ["msg trace nope", 5, "stderr message_not_found"],
    ["msg send b:2 x", 5, "stderr agent_id_required"],
    ["msg recv", 5, "stderr agent_id_required"],
    ["msg recv --peek", 5, "stderr agent_id_required"],
    ["ask b:2 x", 5, "stderr agent_id_required"],
    ["reply x", 5, "stderr agent_id_required"],
    ["reply x y", 5, "stderr agent_id_required"],
    ["request x", 5, "stderr agent_id_required"],
    ["dlq list", 5, "stderr agent_id_required"],
    ["dlq purge --yes", 5, "stderr agent_id_required"],
    ["--agent a\u0001b whoami", 5, "stderr invalid_input"],
  ]);
});

it("the stick's commands end with the code of what they found", async () => {
  const world = new CliWorld();
  const steps: readonly Step[] = [
    ["a:1", "leave", 5, "stderr room_not_found"],
    ["a:1", "join", 0, "stdout answer"],
    ["a:1", "heartbeat", 5, "stderr stale_lease"],
    ["a:1", "take", 5, "stderr invalid_input"],
    ["a:1", "take --reason x", 5, "stderr takeover_not_available"],
    ["a:1", "try", 0, "stdout your_turn"],
    ["a:1", "wait", 0, "stdout your_turn"],
    ["a:1", "heartbeat", 0, "stdout ok"],
    ["a:1", "take --reason x", 5, "stderr takeover_ineligible"],
    ["b:2", "try", 3, "stdout not_yet"],
    ["b:2", "wait --timeout 1ms", 3, "stdout not_yet"],
    ["b:2", "listen --timeout 1ms", 3, "stdout not_yet"],
    ["b:2", "events --wait --timeout 1ms", 3, "stdout answer"],
    ["b:2", "take --reason x", 5, "stderr takeover_not_available"],
    ["b:2", "take --reason x --turn 7", 5, "stderr turn_mismatch"],
    ["b:2", "kick a:1", 5, "stderr target_active"],
    ["b:2", "kick a:1 --force", 5, "stderr not_authorized"],
    ["b:2", "kick b:2", 5, "stderr cannot_kick_self"],
    ["b:2", "kick c:3", 5, "stderr unknown_target"],
    ["b:2", "close", 5, "stderr not_authorized"],
    ["c:3", "leave", 5, "stderr unknown_member"],
    ["a:1", "release", 5, "stderr invalid_handoff"],
    ["a:1", "release --status x", 5, "stderr invalid_handoff"],
    ["a:1", "pass nobody --status x --next-action y", 5, "stderr unknown_recipient"],
    ["a:1", "pass a:1 --status x --next-action y", 5, "stderr self_send"],
    ["a:1", "release --status x --next-action y", 0, "stdout released"],
    ["a:1", "release --status x --next-action y", 5, "stderr stale_lease"],
    ["a:1", "notes add hello", 0, "stdout answer"],
    ["a:1", "notes add hello --turn 9", 5, "stderr invalid_turn_id"],
    ["a:1", "notes add", 5, "stderr invalid_body"],
    ["a:1", "notes resolve nope", 5, "stderr invalid_input"],
    ["a:1", "notes list --limit 0", 5, "stderr invalid_input"],
    ["a:1", "events --limit 501", 5, "stderr invalid_input"],
    ["a:1", "events --after 999", 5, "stderr invalid_cursor"],
    ["a:1", "dlq list --after 999", 5, "stderr invalid_cursor"],
    ["a:1", "events --event frob", 5, "stderr invalid_event_type_filter"],
    ["a:1", "events --target self", 0, "stdout answer"],
    ["a:1", "policy frob=1", 5, "stderr invalid_input"],
    ["a:1", "policy lease_ttl_ms=1000", 5, "stderr not_authorized"],
    ["a:1", "policy", 0, "stdout answer"],
    ["a:1", "name A!", 5, "stderr invalid_input"],
    ["a:1", "name parser", 0, "stdout named"],
    ["a:1", "leave", 0, "stdout left"],
  ];
  await expectSteps(world, steps);
});

it("the commands of messages end with the code of what they found", async () => {
  const world = new CliWorld();
  await expectSteps(world, [
    ["a:1", "msg recv", 0, "stdout answer"],
    ["a:1", "msg recv --limit 51", 5, "stderr invalid_input"],
    ["a:1", "msg recv --limit 0", 5, "stderr invalid_input"],
    ["a:1", "msg recv --after -1", 5, "stderr invalid_input"],
    ["a:1", "msg recv --wait --timeout 1ms", 3, "stdout answer"],
    ["a:1", "msg recv --wait --peek --timeout 1ms", 3, "stdout answer"],
    ["a:1", "msg recv --follow --timeout 1ms", 0, "stdout answer"],
    ["a:1", "msg recv --from nobody", 0, "stdout answer"],
    ["a:1", "msg send b:2 x", 5, "stderr unknown_recipient"],
    ["a:1", "ask b:2 x", 5, "stderr unknown_recipient"],
    ["a:1", "reply nope", 5, "stderr message_not_found"],
    ["a:1", "reply nope x", 5, "stderr message_not_found"],
    ["a:1", "request x", 5, "stderr room_not_found"],
    ["a:1", "state", 5, "stderr room_not_found"],
    ["a:1", "join", 0, "stdout answer"],
    ["a:1", "msg recv --from nobody", 5, "stderr unknown_recipient"],
    ["a:1", "msg recv --from gone:1", 5, "stderr unknown_recipient"],
    ["b:2", "join", 0, "stdout answer"],
    ["a:1", "msg send b:2 x", 0, "stdout answer"],
    ["a:1", "msg send a:1 x", 5, "stderr self_send"],
    ["a:1", "msg recv --from room", 2, "stderr usage"],
    ["a:1", "msg send b:2 x --reply-to nope", 5, "stderr message_not_found"],
    ["a:1", "msg send b:2 x --source nope", 5, "stderr message_not_found"],
    ["a:1", "msg send b:2 --msg-id 1 x", 0, "stdout answer"],
    ["a:1", "msg send b:2 --msg-id 1 y", 5, "stderr msg_id_conflict"],
    ["a:1", "ask b:2 x --timeout 1ms", 3, "stdout answer"],
    ["a:1", "ask b:2 x --timeout 301s", 2, "stderr usage"],
    ["a:1", "ask room x", 5, "stderr unknown_recipient"],
    ["a:1", "reply nope x", 5, "stderr message_not_found"],
    ["a:1", "request x", 5, "stderr unknown_recipient"],
    ["a:1", "dlq list", 0, "stdout answer"],
    ["a:1", "dlq show nope", 5, "stderr message_not_found"],
    ["a:1", "dlq requeue nope", 5, "stderr message_not_found"],
    ["a:1", "dlq purge", 5, "stderr not_authorized"],
    ["a:1", "dlq purge --yes", 5, "stderr not_authorized"],
    ["b:2", "listen", 0, "stdout messages"],
    ["b:2", "msg recv --wait --timeout 1ms", 3, "stdout answer"],
  ]);
});

it("4 is a stick whose holder let its lease expire", async () => {
  const world = new CliWorld();
  const env = { TT_LEASE_TTL_MS: "1000" };
  await world.done("try --json", { as: "a:1", env });
  const waited = await world.tt("wait --json --timeout 30s", { as: "b:2" });
  expect([waited.code, waited.json()["status"], waited.json()["reason"]]).toEqual([
    4,
    "takeover_available",
    "owner_timeout",
  ]);
  const taken = await world.tt(["take", "--json", "--reason", "it is asleep"], { as: "b:2" });
  expect([taken.code, taken.json()["status"], taken.json()["ground"]]).toEqual([0, "your_turn", "owner_timeout"]);
});

it("6 is a closed room, for waiters and for other callers", async () => {
  const world = new CliWorld();
  await world.done("join", { as: "a:1" });
  expect(await asPerson(world, "close --json")).toMatchObject({ code: 0, stdout: '{"status":"closed"}\n' });
  const steps: readonly Step[] = [
    ["a:1", "try", 6, "stdout closed"],
    ["a:1", "wait", 6, "stdout closed"],
    ["a:1", "listen", 6, "stdout closed"],
    ["b:2", "try", 6, "stderr room_closed"],
    ["b:2", "notes add x", 6, "stderr room_closed"],
    ["b:2", "request x", 6, "stderr room_closed"],
    ["b:2", "name parser", 6, "stderr room_closed"],
    ["a:1", "heartbeat", 6, "stderr room_closed"],
    ["a:1", "release --status x --next-action y", 6, "stderr room_closed"],
    ["b:2", "pass a:1 --status x --next-action y", 6, "stderr room_closed"],
    ["b:2", "state", 0, "stdout answer"],
    ["b:2", "join", 0, "stdout answer"],
    ["b:2", "try", 0, "stdout your_turn"],
  ];
  await expectSteps(world, steps);
});

it("70 is a fault of the store, with whether to try again", async () => {
  const world = new CliWorld();
  const outcome = await world.tt("state --json", { env: { TT_STORE: "postgres://127.0.0.1:1/nowhere" } });
  expect(outcome.code).toBe(70);
  expect(outcome.error()).toMatchObject({ error: "store_unreachable", retry: true });
});

it("130 is a wait that was interrupted", async () => {
  const world = new CliWorld();
  await world.done("try", { as: "a:1" });
  const waiting = world.start("wait --json", { as: "b:2" });
  await world.untilWaiting("b:2");
  waiting.kill("SIGINT");
  expect(await waiting.ended).toMatchObject({ code: 130, signal: null });
});

it("a near name is offered, also for what a word takes", async () => {
  const world = new CliWorld();
  const offers = await Promise.all(
    ["relese", "notes lsit", "wait --timout 3s"].map(async (line) => (await world.tt(line)).stderr),
  );
  expect(offers[0]).toContain("Did you mean: tt release");
  expect(offers[1]).toContain("Did you mean: tt notes list");
  expect(offers[2]).toContain("Did you mean: --timeout");
});

/** One after the other, because each step stands on those before. */
async function expectSteps(world: CliWorld, steps: readonly Step[]): Promise<void> {
  const found = [];
  for (const [as, line] of steps) found.push([as, ...(await tried(world, line, { as }))]);
  expect(found).toEqual(steps);
}

async function expectRows(world: CliWorld, rows: readonly Row[]): Promise<void> {
  const found = new Map<string, Row>();
  await inParallel(4, rows, async ([line]) => {
    found.set(line, await tried(world, line));
  });
  expect(rows.map(([line]) => found.get(line))).toEqual(rows);
}
