/** What doctor proposes works, and what would be refused it does not propose. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { asPerson, CliWorld, changePolicy, type Outcome } from "./support/cli-world.ts";

const B = { as: "b:2" };

function memberFindings(outcome: Outcome): readonly Record<string, string>[] {
  const { findings } = outcome.json() as { findings: Record<string, string>[] };
  return findings.filter(({ name }) => name === "member");
}

/** A member that said nothing for so long that it no longer counts as active. */
async function silentMember(world: CliWorld): Promise<void> {
  await world.done("join", { as: "a:1" });
  await world.done("join", B);
  await changePolicy(world, "presence_ttl_ms=1000 gone_grace_ms=0", B);
  await world.until("state --json", ({ stdout }) => stdout.includes('"status":"inactive"'));
}

it("a member that may be alive is told about, and only a person's force is proposed", async () => {
  const world = new CliWorld();
  await silentMember(world);
  const [toAgent, ...others] = memberFindings(await world.tt("doctor --json", B)).filter(({ text }) =>
    text?.startsWith("a:1"),
  );
  expect([others, toAgent?.["next"]]).toEqual([[], undefined]);
  expect((await world.tt("kick a:1", B)).code).toBe(5);
  expect((await asPerson(world, "join")).code).toBe(0);
  const shown = (await asPerson(world, "doctor --json")).json() as { findings: Record<string, string>[] };
  expect(shown.findings.map(({ next }) => next)).toContain("tt kick a:1 --force");
  expect((await asPerson(world, "kick a:1 --force")).code).toBe(0);
});

it("a file of an agent that others may read is told about, and what it proposes puts it right", async () => {
  const world = new CliWorld();
  await world.done("try", B);
  const agents = join(world.data, "agents");
  for (const name of readdirSync(agents)) chmodSync(join(agents, name), 0o644);
  const refused = await world.tt("heartbeat --json", B);
  expect([refused.code, refused.error()]).toMatchObject([
    70,
    { error: "store_unsafe", next: `Run: chmod -R go= ${agents}` },
  ]);
  const { findings } = (await world.tt("doctor --json", B)).json() as { findings: Record<string, string>[] };
  const finding = findings.find(({ name }) => name === "files");
  expect(finding).toMatchObject({ level: "broken", next: `Run: chmod -R go= ${agents}` });
  expect(spawnSync("sh", ["-c", finding?.["next"]?.slice("Run: ".length) ?? ""]).status).toBe(0);
  expect((await world.done("heartbeat --json", B)).stderr).toBe("");
});

it("a log that was removed while nothing ran is told about", async () => {
  const world = new CliWorld();
  await world.done("join", B);
  rmSync(join(world.data, "tt.db-wal"));
  const { findings } = (await world.tt("doctor --json", B)).json() as { findings: Record<string, string>[] };
  expect(findings).toContainEqual(
    expect.objectContaining({
      name: "store",
      level: "warning",
      text: expect.stringContaining("lacks changes") as string,
    }),
  );
});

it("a member whose process is gone can be kicked, as proposed", async () => {
  const world = new CliWorld();
  const harness = spawn("sleep", ["60"]);
  await world.done("join", { as: "a:1", env: { TT_AGENT_PID: String(harness.pid) } });
  await world.done("join", B);
  await changePolicy(world, "gone_grace_ms=0", B);
  harness.kill("SIGKILL");
  await once(harness, "exit");
  const [finding] = memberFindings(await world.tt("doctor --json", B));
  expect(finding).toMatchObject({ level: "warning", next: "tt kick a:1" });
  expect((await world.tt("kick a:1", B)).code).toBe(0);
});

it.each([
  { words: "", next: "Install Claude Code, Codex, Gemini CLI or OpenCode first." },
  { words: "claude", next: "The report says why. Mend that, or name a harness that is on this machine." },
])("a proof for which no harness could run is refused, with what to do: --prove $words", async ({ words, next }) => {
  const world = new CliWorld();
  const env = { PATH: world.root };
  const text = await world.tt(`doctor --prove ${words} --text`.trim(), { ...B, env });
  expect([text.code, text.stderr.startsWith("tt: Nothing is proven, because no harness was run.\n    ")]).toEqual([
    5,
    true,
  ]);
  const json = await world.tt(`doctor --prove ${words} --json`.trim(), { ...B, env });
  expect([json.code, json.error()]).toMatchObject([5, { error: "invalid_path", next }]);
});
