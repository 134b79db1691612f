/** What to do next fits its reader: a person is not told to ask a person, and nothing absurd is proposed. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { asPerson, CliWorld, changePolicy, type RunOptions, worldOfTwo } from "./support/cli-world.ts";

const A = { as: "a:1" };
const B = { as: "b:2" };

async function adviceOf(world: CliWorld, line: string, options: RunOptions = {}): Promise<string> {
  return (await world.tt(`${line} --json`, options)).error()["next"] as string;
}

it("a person is told the flag by which it may do what agents may not", async () => {
  const world = await worldOfTwo();
  await world.done("try", A);
  await asPerson(world, "join");
  const toPerson = async (line: string) => (await asPerson(world, `${line} --json`)).error()["next"];
  expect(await toPerson("kick b:2")).toMatch(/: tt kick b:2 --yes$/);
  expect(await toPerson("take --reason x")).toContain(": tt take --yes --reason");
  expect(await toPerson("take")).toContain("--reason");
  expect(await adviceOf(world, "kick a:1", B)).toContain("ask the person");
  expect(await adviceOf(world, "take --reason x", B)).not.toContain("--yes");
  expect(await adviceOf(world, "take", B)).toContain("tt take --reason");
  await world.done("release --status x --next-action y", A);
  await asPerson(world, "try");
  expect(await toPerson("pass b:2 --status x --next-action y")).toContain("--operator-requested");
  await changePolicy(world, "presence_ttl_ms=1000", A);
  const stateOfB = async () => {
    const { members } = (await world.done("state --json", A)).json() as {
      members: { agent_id: string; status: string }[];
    };
    return members.find(({ agent_id }) => agent_id === "b:2")?.status;
  };
  await expect.poll(stateOfB).toBe("inactive");
  expect(await toPerson("pass b:2 --status x --next-action y")).not.toContain("--operator-requested");
});

it("bounds are named wherever a number breaks them", async () => {
  const world = new CliWorld();
  await world.done("join", A);
  for (const value of ["999999999999999999", "86400001"]) {
    const { error, message } = (await asPerson(world, `policy gone_grace_ms=${value} --json`, A)).error();
    expect([error, message]).toEqual(["invalid_input", expect.stringContaining("outside 0 to 86400000")]);
  }
  const env = { TT_LEASE_TTL_MS: "abc" };
  expect(await adviceOf(world, "state", { ...A, env })).toContain("from 1000 to 604800000");
});

it("nothing is proposed that cannot be meant", async () => {
  const world = new CliWorld();
  await world.done("join", A);
  expect(await adviceOf(world, "state", { env: { TT_DATA_DIR: "/dev/null" } })).not.toContain("mv ");
  for (const command of ["mailbox", "notes"]) {
    expect(await adviceOf(world, `${command} foo`)).toContain(`tt ${command} --help`);
    expect(await adviceOf(world, `${command} foo`)).not.toContain("Did you mean");
  }
  expect(await adviceOf(world, "mailbox pek")).toBe("Did you mean: tt mailbox peek");
  const { error, message } = (await world.tt("events --event claim, --json")).error();
  expect([error, message]).toEqual(["usage", "--event has a comma with no type beside it."]);
  for (const line of ["release", "pass b:2"])
    expect(await adviceOf(world, line, A)).toBe("Wait for the stick with: tt wait");
});

it("a directory in the place of a file of ours is to be moved away", async () => {
  const world = new CliWorld();
  mkdirSync(join(world.data, "tt.db"), { recursive: true, mode: 0o700 });
  expect(await adviceOf(world, "join", A)).toContain("mv ");
});

it("a caller that would be refused is told at a glance how to be known, not a command that is refused", async () => {
  const world = new CliWorld();
  const claude = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "3f1c9a52-7d1e-4a6b-9a55-0c2f6f1f2a11" };
  const unknown: readonly RunOptions[] = [
    {},
    { env: { TT_AGENT_ID: "a b" } },
    { env: { TT_AGENT_ID: "script:1", TT_AGENT_PID: "abc" } },
  ];
  const next = async (line: string, options: RunOptions) =>
    (await world.done(`${line} --json`, options)).json()["next"];
  for (const step of ["before there is a room", "join"]) {
    if (step === "join") await world.done("join", A);
    for (const line of ["", "status"]) {
      for (const options of unknown) expect(await next(line, options)).toBe(await adviceOf(world, "try", options));
      expect(await next(`${line} --agent me:a`, { env: claude })).toBe(
        await adviceOf(world, "try --agent me:a", { env: claude }),
      );
    }
    const inherited = await asPerson(world, "", { env: claude });
    expect(inherited.stdout.replace(/\n +/g, " ")).toMatch(/\bNext: Unset the variables of claude in this terminal, /);
  }
  expect(await next("", { env: claude })).toBe("tt try");
});

it("an agent without the stick is told so before its handoff is judged", async () => {
  const world = await worldOfTwo();
  expect(await adviceOf(world, "request mine", B)).toBe("Take it: tt try");
  await world.done("try", A);
  for (const line of ["release", "pass a:1", "heartbeat", "release --status x"]) {
    const { error, message } = (await world.tt(`${line} --json`, B)).error();
    expect([line, error, message]).toEqual([line, "stale_lease", "b:2 does not hold the stick: a:1 does."]);
  }
  expect((await world.tt("release --json", A)).error()).toMatchObject({ error: "invalid_handoff", field: "status" });
  await asPerson(world, "take --operator-requested --reason x");
  const { error, ended } = (await world.tt("release --json", A)).error();
  expect([error, ended]).toEqual(["turn_mismatch", expect.objectContaining({ how: "takeover" })]);
});

it("times of the policy are given and shown as durations, and stay numbers in JSON", async () => {
  const world = new CliWorld();
  await world.done("join", A);
  await changePolicy(world, "lease_ttl=10m idleRoomTtlMs=2d claim_ttl_ms=90000", A);
  const { policy } = (await world.done("policy --json", A)).json() as { policy: Record<string, number> };
  expect([policy["lease_ttl_ms"], policy["idle_room_ttl_ms"], policy["claim_ttl_ms"]]).toEqual([
    600_000, 172_800_000, 90_000,
  ]);
  const { stdout } = await world.done("policy", A);
  expect(stdout).toMatch(/^lease_ttl_ms +10m +how long a holder keeps its turn without activity$/m);
  expect(stdout).toMatch(/^claim_ttl_ms +90s /m);
  expect(stdout).toMatch(/^max_retries +3 /m);
  for (const wrong of ["max_retries=10m", "lease_ttl_ms=10x"])
    expect((await world.tt(`policy ${wrong} --json`, A)).error()).toMatchObject({ error: "usage" });
  expect((await world.tt("policy lease_ttl_mss=10m --json", A)).error()).toMatchObject({
    message: 'There is no policy value "lease_ttl_mss".',
    next: "Did you mean lease_ttl_ms?",
  });
});
