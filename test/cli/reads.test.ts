/** Help, status and every read are free of side effects: no join, no claim, no settling, no write. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { dumpDatabase } from "../support/database-dump.ts";
import { inParallel } from "../support/in-parallel.ts";
import { CliWorld, changePolicy, type RunOptions } from "./support/cli-world.ts";
import { otherFilesIn } from "./support/data-files.ts";
import { writerIn } from "./support/writer.ts";

const READS = [
  ["", 0],
  ["status", 0],
  ["status --prompt", 0],
  ["list", 0],
  ["list --all", 0],
  ["state", 0],
  ["policy", 0],
  ["peers", 0],
  ["peers --all --compact", 0],
  ["read b", 5],
  ["read b --pane", 5],
  ["events", 0],
  ["events --after 0 --limit 2", 0],
  ["events --event claim", 0],
  ["events --wait --target any --timeout 1ms", 3],
  ["msg trace MESSAGE", 0],
  ["notes", 0],
  ["notes list --open", 0],
  ["doctor", 0],
  ["export", 0],
  ["prune", 0],
  ["init --print", 0],
  ["install --print", 0],
  ["uninstall --print", 0],
  ["prompt init zsh", 0],
  ["--version", 0],
  ["--help", 0],
] as const;

/** Reads that need to know who asks. */
const OWN_READS = [
  "msg recv --peek",
  "msg recv --peek --from a:1",
  "msg recv --after 0",
  "msg recv --peek --wait --timeout 1ms",
  "msg recv --after 0 --follow --timeout 50ms",
  "dlq list",
  "dlq show MESSAGE",
];

const COMMANDS =
  "msg ask reply request dlq wait try release pass assign take heartbeat listen list join leave state kick close policy events notes whoami " +
  "peers read card name claim init status prompt install uninstall doctor export prune demo";

/** A stranger, a member, a session of a harness that was never seen, and nobody at all. */
const READERS: readonly RunOptions[] = [
  { as: "z:9" },
  { as: "b:2" },
  { env: { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "11111111-2222-4333-8444-555555555555" } },
  {},
];

/**
 * A room in which time has made things true that nobody has written down yet: a lease that expired, a wait that ended.
 */
async function roomWithHistory(): Promise<CliWorld> {
  const world = new CliWorld();
  const env = { TT_LEASE_TTL_MS: "1000", TT_WAIT_GRACE_MS: "0" };
  await world.done("try", { as: "a:1", env });
  await world.done("notes add fixture 7 is wrong on purpose", { as: "b:2" });
  expect((await world.tt("wait --timeout 30s", { as: "b:2" })).code).toBe(4);
  return world;
}

/** Mail in every state that time alone can change: unread, in flight past its deadline, past its time to live. */
async function mailWithHistory(world: CliWorld): Promise<string> {
  await changePolicy(world, "inflight_timeout_ms=100 message_ttl_ms=1000 max_retries=0", { as: "a:1" });
  await world.done("msg send b:2 one", { as: "a:1" });
  const { stick } = await writerIn(world, "b:2");
  await stick.takeMessages({ limit: 1, ack: "manual" });
  const id = (await world.done("msg send b:2 two --json", { as: "a:1" })).json()["message_id"] as string;
  await world.tt("ask b:2 three --timeout 1ms", { as: "a:1" });
  return id;
}

function everything(world: CliWorld) {
  return { database: dumpDatabase(world.database), files: otherFilesIn(world.data) };
}

it("no read changes a table or a file, for any reader", async () => {
  const world = await roomWithHistory();
  const message = await mailWithHistory(world);
  const typed = (line: string) => line.replace("MESSAGE", message);
  const before = everything(world);
  for (const reader of READERS) {
    const codes = new Map<string, number | null>();
    await inParallel(3, READS, async ([line]) => {
      codes.set(line, (await world.tt(typed(line), reader)).code);
    });
    expect(READS.map(([line]) => [line, codes.get(line)])).toEqual(READS);
    for (const line of OWN_READS) await world.tt(typed(line), reader);
    await world.tt("whoami --explain", reader);
    await world.tt("whoami", reader);
  }
  expect(everything(world)).toEqual(before);
});

it("a stream that is followed changes nothing", async () => {
  const world = await roomWithHistory();
  const before = everything(world);
  const following = world.start("events --follow --after 0 --json", { as: "z:9" });
  await following.until(({ stdout }) => stdout.includes("note_added"));
  following.kill("SIGTERM");
  expect((await following.ended).code).toBe(0);
  expect(everything(world)).toEqual(before);
});

it("help does nothing but help, in the middle of any command", async () => {
  const world = await roomWithHistory();
  const before = everything(world);
  const lines = COMMANDS.split(" ").map((command, index) =>
    index % 2 === 0 ? `${command} --help` : `--json ${command} b:2 -h`,
  );
  await inParallel(3, lines, async (line) => {
    const { code, stdout, stderr } = await world.tt(line, { as: "b:2" });
    expect([line, code, stderr]).toEqual([line, 0, ""]);
    expect(stdout).toContain("Usage: tt");
  });
  expect(everything(world)).toEqual(before);
});

it("on a fresh machine help, a wrong line and every read make nothing, and answer as an empty store would", async () => {
  const world = new CliWorld();
  const codes = new Map<string, number | null>();
  const ownReads = ["msg recv --peek", "msg recv --after 0", "dlq list", "dlq show x"];
  const lines = ["--help", "wait --help", "--version", "wiat", "whoami", ...READS.map(([line]) => line), ...ownReads];
  await inParallel(3, lines, async (line) => {
    codes.set(line, (await world.tt(line, { as: "a:1" })).code);
  });
  expect(existsSync(world.data)).toBe(false);
  expect(readdirSync(world.home)).toEqual([]);
  const refused = lines.filter((line) => codes.get(line) === 5);
  expect(refused).toEqual([
    "state",
    "policy",
    ...lines.filter((line) => /^(read|events|msg trace|notes|export|dlq show)/.test(line)),
  ]);
  expect([codes.get(""), codes.get("list"), codes.get("doctor"), codes.get("prune")]).toEqual([0, 0, 0, 0]);
});

it.each([
  ["everyday", "try"],
  ["tt", "join"],
])(
  "only a command that changes something keeps what it compiled, for the next one to start sooner: %s",
  async (program, line) => {
    const world = new CliWorld();
    await world.done(line, { as: "a:1" });
    const cache = join(world.home, ".cache/tt");
    const files = readdirSync(cache).toSorted();
    expect(files.map((file) => file.split(".")[0])).toEqual([`${program}-${line}`, `${program}-reads`].toSorted());
    expect([statSync(cache).mode & 0o777, ...files.map((file) => statSync(join(cache, file)).mode & 0o777)]).toEqual([
      0o700, 0o600, 0o600,
    ]);
    const changedAt = () => files.map((file) => statSync(join(cache, file)).mtimeMs);
    const before = changedAt();
    for (const again of ["", "state", line]) await world.done(again, { as: "a:1" });
    expect(changedAt()).toEqual(before);
    for (const file of files) writeFileSync(join(cache, file), "damaged");
    await world.done("state", { as: "a:1" });
    await world.done(line, { as: "a:1" });
    for (const file of files) expect(statSync(join(cache, file)).size).toBeGreaterThan(100_000);
  },
);

it("a wait for mail that takes none creates a store where there is none, and else leaves nothing behind", async () => {
  const world = new CliWorld();
  const cache = join(world.home, ".cache/tt");
  const waits = ["msg recv --peek --wait --timeout 1ms", "msg recv --after 0 --follow --timeout 1ms"];
  await world.done("join", { as: "a:1" });
  const before = { ...everything(world), kept: readdirSync(cache) };
  for (const line of waits) await world.tt(line, { as: "a:1" });
  expect({ ...everything(world), kept: readdirSync(cache) }).toEqual(before);
  for (const line of waits) {
    const fresh = new CliWorld();
    await fresh.tt(line, { as: "a:1" });
    expect([existsSync(fresh.database), existsSync(join(fresh.data, "bell"))], line).toEqual([true, true]);
  }
});

it("what was compiled for reads is kept unheard: nothing but the answer is said, and nothing of it is traced", async () => {
  const world = new CliWorld();
  const first = await world.done("try", { as: "a:1" });
  const again = await world.done("try --json", { as: "a:1" });
  expect([first.stdout, first.stderr, again.stderr]).toEqual([expect.not.stringContaining("Members"), "", ""]);
  const trace = join(world.home, "trace");
  await new CliWorld().done("try", { as: "a:1", env: { TT_TRACE_FILE: trace } });
  expect(readFileSync(trace, "utf8").match(/"detection"/g)).toHaveLength(1);
});

it("a command that meets a fault keeps nothing of what it compiled", async () => {
  const world = new CliWorld();
  mkdirSync(world.data, { mode: 0o700 });
  writeFileSync(join(world.data, "tt.db"), "this is no database at all, and never was one", { mode: 0o600 });
  expect(await world.tt("try", { as: "a:1" })).toMatchObject({ code: 70 });
  expect(existsSync(join(world.home, ".cache/tt"))).toBe(false);
});

it("a command ends as it should when its program is taken away while it runs", async () => {
  const world = new CliWorld();
  const programs = dirname(world.program);
  const own = world.directory("programs");
  for (const file of readdirSync(programs).filter((name) => name.endsWith(".cjs"))) {
    if (file !== "keep-code.cjs") copyFileSync(join(programs, file), join(own, file));
  }
  symlinkSync(join(process.cwd(), "node_modules"), join(own, "node_modules"));
  const running = world.startProgram(process.execPath, [join(own, "tt.cjs"), "try"], { as: "a:1" });
  const { code, stdout, stderr } = await running.ended;
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("Your turn");
});
