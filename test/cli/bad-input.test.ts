/** What users get wrong, and what the machine gets wrong around them: a clear error, the right code, nothing lost. */
import { chmodSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { dumpDatabase } from "../support/database-dump.ts";
import { CliWorld, type RunOptions } from "./support/cli-world.ts";

const A = { as: "a:1" };

type Environment = NonNullable<RunOptions["env"]>;

async function refused(world: CliWorld, line: string, options: RunOptions = {}) {
  const outcome = await world.tt(`${line} --json`, options);
  const { error, message, next, field } = outcome.error() as Record<string, string>;
  expect([outcome.stdout, typeof next]).toEqual(["", "string"]);
  return { code: outcome.code, error, message, field };
}

const NO_HANDOFFS: readonly (readonly [input: string | Buffer, error: string, field?: string])[] = [
  ["not JSON at all", "invalid_handoff", "stdin"],
  ["", "invalid_handoff", "stdin"],
  ['{"status":"x","next_action":"y"} {}', "invalid_handoff", "stdin"],
  ["[]", "invalid_handoff", "handoff"],
  ["null", "invalid_handoff", "handoff"],
  ['"text"', "invalid_handoff", "handoff"],
  ['{"status":"x"}', "invalid_handoff", "next_action"],
  ['{"status":" ","next_action":"y"}', "invalid_handoff", "status"],
  ['{"status":1,"next_action":"y"}', "invalid_handoff", "status"],
  ['{"status":"x","next_action":"y","extra":1}', "invalid_handoff", "extra"],
  ['{"status":"x","next_action":"y","artifacts":[{"path":""}]}', "invalid_handoff", "artifacts[0].path"],
  [`{"status":"${"x".repeat(20_000)}","next_action":"y"}`, "handoff_too_large"],
  [Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), "invalid_input", "stdin"],
  [Buffer.alloc(3_000_000, "x"), "invalid_input", "stdin"],
  ["[".repeat(500_000), "invalid_handoff", "stdin"],
];

it("whatever else comes on standard input is no handoff, and the stick stays where it is", async () => {
  const world = new CliWorld();
  await world.done("try", A);
  const before = dumpDatabase(world.database).tables["events"];
  for (const [input, error, field] of NO_HANDOFFS) {
    const told = await refused(world, "release --stdin", { ...A, input });
    expect([input.slice(0, 80), told.code, told.error, told.field]).toEqual([input.slice(0, 80), 5, error, field]);
  }
  expect(dumpDatabase(world.database).tables["events"]).toEqual(before);
  expect((await world.done("heartbeat", A)).code).toBe(0);
});

it("a note that is too long is refused, and one of the largest size arrives whole", async () => {
  const world = new CliWorld();
  const body = `${"é✓".repeat(3276)}\n...`;
  expect(Buffer.byteLength(body)).toBe(16_384);
  await world.done("notes add --stdin", { ...A, input: body });
  expect((await world.tt("notes add --stdin words", { ...A, input: body })).code).toBe(2);
  expect(await refused(world, "notes add --stdin", { ...A, input: `${body}x` })).toMatchObject({
    code: 5,
    error: "body_too_large",
  });
  expect(await refused(world, "notes add --stdin", { ...A, input: Buffer.alloc(5_000_000, "x") })).toMatchObject({
    code: 5,
    error: "invalid_input",
  });
  const { notes } = (await world.done("notes --json")).json() as { notes: { body: string }[] };
  expect(notes.map((note) => note.body)).toEqual([body]);
});

it("a directory that has vanished is said so, and does not stop what needs none", async () => {
  const world = new CliWorld();
  const gone = world.directory("gone");
  const room = (await world.done("join --json", { ...A, cwd: world.tree })).json()["room_id"] as string;
  const through = ["sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh"];
  const inGone = async (line: string) => {
    mkdirSync(gone, { recursive: true });
    return world.tt(line, { ...A, cwd: gone, through });
  };
  for (const line of ["--json", "state --json", "join --json", "try --json", "state . --json", "wait x --json"]) {
    const outcome = await inGone(line);
    expect([line, outcome.code, outcome.error()["error"]]).toEqual([line, 5, "invalid_path"]);
  }
  expect((await inGone("state --json")).error()["message"]).toBe("The current directory was removed.");
  for (const line of [
    "--help",
    "--version",
    `state --room ${room}`,
    `state ${world.tree}`,
    "list --all",
    "doctor",
    "whoami",
  ]) {
    expect([line, (await inGone(line)).code]).toEqual([line, 0]);
  }
  mkdirSync(gone, { recursive: true });
  const relative = await world.tt("state --json", { cwd: gone, through, env: { TT_DATA_DIR: "data" } });
  expect([relative.code, relative.error()["error"]]).toEqual([5, "invalid_input"]);
});

it("a room whose directory was removed can still be read by its id", async () => {
  const world = new CliWorld();
  const short = world.directory("short");
  const id = (await world.done("join --json", { ...A, cwd: short })).json()["room_id"] as string;
  await world.done("try", { ...A, cwd: short });
  rmdirSync(short);
  expect((await world.done(`state --json --room ${id}`)).json()).toMatchObject({ room: { owner: "a:1" } });
  expect((await world.done(["release", "--room", id, "--status", "x", "--next-action", "y"], A)).code).toBe(0);
});

it.each<[what: string, prepare: (world: CliWorld) => Environment, code: number, error: string]>([
  ["below a file", (world) => ({ TT_DATA_DIR: join(fileIn(world), "data") }), 70, "store_unsafe"],
  ["a file", (world) => ({ TT_DATA_DIR: fileIn(world) }), 70, "store_unsafe"],
  ["readable by others", (world) => ({ TT_DATA_DIR: openDirectory(world) }), 70, "store_unsafe"],
  ["that is relative", () => ({ TT_DATA_DIR: "rel" }), 5, "invalid_input"],
  ["too long a name", () => ({ TT_DATA_DIR: `/tmp/${"x".repeat(300)}` }), 70, "store_unsafe"],
  ["with a foreign database", (world) => ({ TT_DATA_DIR: foreignDatabase(world) }), 70, "store_corrupt"],
  ["of a store that is none", () => ({ TT_STORE: "mysql://x" }), 5, "invalid_input"],
  ["of a PostgreSQL that is not there", () => ({ TT_STORE: "postgres://127.0.0.1:1/x" }), 70, "store_unreachable"],
  ["with a policy that is no number", () => ({ TT_LEASE_TTL_MS: "soon" }), 5, "invalid_input"],
  ["with a config file that is not there", () => ({ TT_CONFIG: "/nowhere/config.json" }), 5, "invalid_input"],
  ["with a config file that is not JSON", (world) => ({ TT_CONFIG: fileIn(world) }), 5, "invalid_input"],
  ["with a home that is a file", (world) => ({ HOME: fileIn(world), TT_DATA_DIR: undefined }), 70, "store_unsafe"],
])("a data directory %s is told about, by every command", async (_, prepare, code, error) => {
  const world = new CliWorld();
  const env = prepare(world);
  for (const line of ["", "join"]) {
    const told = await refused(world, line, { ...A, env });
    expect([line, told.code, told.error]).toEqual([line, code, error]);
  }
  const doctor = await world.tt("doctor --json", { ...A, env });
  expect([doctor.code, doctor.json()["ok"]]).toEqual([70, false]);
  const text = await world.tt("try", { ...A, env });
  expect([text.code, text.stderr.slice(0, 4)]).toEqual([code, "tt: "]);
  expect((await world.tt("--help", { env })).code).toBe(0);
});

it.each([
  ["where nothing can be made", "/proc/tt", "store_unsafe"],
  ["that may not be written", "/sys/tt", "store_readonly"],
])(
  "a data directory %s is told about by every command that would make it, and read as an empty one",
  async (_, path, error) => {
    const world = new CliWorld();
    const options = { ...A, env: { TT_DATA_DIR: path } };
    for (const line of ["join", "try", "claim 1234"]) {
      const told = await refused(world, line, options);
      expect([line, told.code, told.error]).toEqual([line, 70, error]);
    }
    expect((await world.done("--json", options)).json()).toMatchObject({ room: null });
    expect((await world.done("list --json", options)).json()).toEqual({ rooms: [] });
  },
);

it("a name that was left empty is no reason to take another one, and what is no process is none", async () => {
  const world = new CliWorld();
  const empty = await world.tt(["--agent", "", "join", "--json"], { as: "a:1" });
  expect([empty.code, empty.error()]).toMatchObject([5, { error: "invalid_input", field: "agent" }]);
  const pid = await world.tt("join --json", { as: "a:1", env: { TT_AGENT_PID: "abc" } });
  expect([pid.code, pid.error()]).toMatchObject([5, { error: "invalid_input", field: "TT_AGENT_PID" }]);
});

it("a word that stands for others is nobody's name", async () => {
  const world = new CliWorld();
  for (const word of ["room", "self", "any", "human"]) {
    const typed = await world.tt(["--agent", word, "join", "--json"]);
    expect([typed.code, typed.error()]).toMatchObject([5, { error: "invalid_input", field: "agent" }]);
    const set = await world.tt("join --json", { as: word });
    expect([set.code, set.error()]).toMatchObject([5, { error: "invalid_input", field: "TT_AGENT_ID" }]);
    const named = await world.tt(["name", word, "--json"], A);
    expect([named.code, named.error()]).toMatchObject([5, { error: "invalid_input", field: "handle" }]);
  }
});

it("without HOME the data directory alone is enough", async () => {
  const world = new CliWorld();
  for (const HOME of [undefined, "", "relative/home"]) {
    expect((await world.tt("join", { ...A, env: { HOME } })).code).toBe(0);
  }
});

it("what is in the tree of a file is about its directory", async () => {
  const world = new CliWorld();
  writeFileSync(join(world.tree, "a.ts"), "");
  const joined = await world.done(`join ${join(world.tree, "a.ts")} --json`, A);
  expect(joined.json()).toMatchObject({ canonical_path: world.tree });
});

function fileIn(world: CliWorld): string {
  const path = join(world.root, "file");
  writeFileSync(path, "not what you think");
  return path;
}

function openDirectory(world: CliWorld): string {
  const path = world.directory("open");
  chmodSync(path, 0o755);
  return path;
}

function foreignDatabase(world: CliWorld): string {
  const path = world.directory("foreign");
  chmodSync(path, 0o700);
  writeFileSync(join(path, "tt.db"), "this is no database, but it is long enough to be looked at".repeat(100), {
    mode: 0o600,
  });
  return path;
}

it("a caller without a turn is told who has it, and what to do", async () => {
  const world = new CliWorld();
  await world.done("try", A);
  await world.done("join", { as: "b:2" });
  for (const line of ["heartbeat", "release --status x --next-action y", "pass a:1 --status x --next-action y"]) {
    expect((await world.tt(`${line} --json`, { as: "b:2" })).error()).toMatchObject({
      error: "stale_lease",
      message: "b:2 does not hold the stick: a:1 does.",
      next: "Wait for the stick with: tt wait",
      current_owner: "a:1",
      current_turn_id: 1,
      room_state: "owned",
    });
  }
  await world.done("release --status x --next-action y", A);
  expect((await world.tt("heartbeat --json", A)).error()).toMatchObject({ current_owner: null, current_turn_id: 1 });
});

it("a role that there is not is refused by its field", async () => {
  const world = new CliWorld();
  await world.done("try", A);
  const told = await refused(world, "release --status x --next-action y --artifact a --artifact x:1-3:foo", A);
  expect(told).toMatchObject({ code: 5, error: "invalid_handoff", field: "artifacts[1].role" });
});

it("an answer that cannot be written is no bug, and says what to do", async () => {
  const world = new CliWorld();
  await world.done("join", A);
  const through = ["sh", "-c", '"$@" > /dev/full', "sh"];
  for (const line of ["state", "--help", "msg recv --wait --timeout 1ms", "events --follow --after 0", "export"]) {
    const { code, stderr } = await world.tt(`${line} --json`, { ...A, through });
    expect([line, code, JSON.parse(stderr)]).toMatchObject([line, 70, { error: "output_failed", code: "ENOSPC" }]);
  }
  const { code, stderr } = await world.tt("state", { ...A, through });
  expect([code, stderr]).toMatchObject([70, expect.stringMatching(/^tt: The answer could not be written: .*ENOSPC/)]);
});

it("a word that is no id is refused under the name that the command line has for it", async () => {
  const world = new CliWorld();
  await world.done("join", A);
  for (const [words, name] of [
    [["kick", "b c"], "<agent>"],
    [["pass", "b c", "--status", "x", "--next-action", "y"], "<agent>"],
    [["msg", "send", "b c", "hello"], "<who|room>"],
    [["msg", "trace", "b c"], "<message-id>"],
    [["reply", "b c", "yes"], "<message-id>"],
  ] as const) {
    const { code, stderr } = await world.tt(words, A);
    expect([code, stderr]).toEqual([5, expect.stringContaining(`tt: ${name} is not an id: `)]);
    expect(stderr).toContain(`Give the ${name} exactly as it was shown.`);
  }
});
