/** Help, status and every read are free of side effects: no join, no claim, no settling, no write. */
import { expect, it } from "vitest";
import { dumpDatabase } from "../support/database-dump.ts";
import { inParallel } from "../support/in-parallel.ts";
import { CliWorld, type RunOptions } from "./support/cli-world.ts";
import { otherFilesIn } from "./support/data-files.ts";

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
  ["events --wait --timeout 1ms", 3],
  ["notes", 0],
  ["notes list --open", 0],
  ["doctor", 0],
  ["export", 0],
  ["prune", 0],
  ["init --print", 0],
  ["prompt init zsh", 0],
  ["--version", 0],
  ["--help", 0],
] as const;

const COMMANDS =
  "wait try release pass assign take heartbeat listen list join leave state kick close policy events notes whoami " +
  "peers read card name claim init status prompt doctor export prune demo";

/** A stranger, a member, a session of a harness that was never seen, and nobody at all. */
const READERS: readonly RunOptions[] = [
  { as: "z:9" },
  { as: "b:2" },
  { env: { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "11111111-2222-4333-8444-555555555555" } },
  {},
];

/** A room in which time has made things true that nobody has written down yet: a lease that ran out, a wait that ended. */
async function roomWithHistory(): Promise<CliWorld> {
  const world = new CliWorld();
  const env = { TT_LEASE_TTL_MS: "1000", TT_WAIT_GRACE_MS: "0" };
  await world.done("try", { as: "a:1", env });
  await world.done("notes add fixture 7 is wrong on purpose", { as: "b:2" });
  expect((await world.tt("wait --timeout 30s", { as: "b:2" })).code).toBe(4);
  return world;
}

function everything(world: CliWorld) {
  return { database: dumpDatabase(world.database), files: otherFilesIn(world.data) };
}

it("no read changes a table or a file, whoever reads", async () => {
  const world = await roomWithHistory();
  const before = everything(world);
  for (const reader of READERS) {
    const codes = new Map<string, number | null>();
    await inParallel(3, READS, async ([line]) => {
      codes.set(line, (await world.tt(line, reader)).code);
    });
    expect(READS.map(([line]) => [line, codes.get(line)])).toEqual(READS);
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

it("help and a wrong line do not even make the data directory", async () => {
  const world = new CliWorld();
  for (const line of ["--help", "wait --help", "--version", "wiat"]) await world.tt(line, { as: "a:1" });
  expect(() => otherFilesIn(world.data)).toThrow("ENOENT");
});
