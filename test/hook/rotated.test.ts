/**
 * Gemini CLI gives its session another id without a word. Hooks bear the new one; commands and servers know only their
 * process. It is one member all the time.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type Harness, HookWorld } from "./support/hook-world.ts";
import { bodyIn } from "./support/said.ts";

const FIRST = "11111111-aaaa-4aaa-8aaa-111111111111";
const SECOND = "22222222-bbbb-4bbb-8bbb-222222222222";
const THIRD = "33333333-cccc-4ccc-8ccc-333333333333";
const PEER = "99999999-dddd-4ddd-8ddd-999999999999";
/** A rotated session goes on with its transcript. */
const TRANSCRIPT = { transcript_path: "/t/first.jsonl" };
const SILENT = { code: 0, stdout: "", stderr: "" };

let world: HookWorld;
let gemini: Harness;
let peer: Harness;

beforeEach(async () => {
  world = new HookWorld();
  [gemini, peer] = [world.harness("gemini"), world.harness("claude")];
  await gemini.hook("session-start", FIRST, { source: "startup", ...TRANSCRIPT });
  await peer.hook("session-start", PEER, { source: "startup" });
  await gemini.hook("prompt", FIRST, TRANSCRIPT);
});

/** In its shell nothing but the process tells whose command it is. */
async function inShell(harness: Harness, words: string): Promise<Readonly<Record<string, unknown>>> {
  const { stdout } = await harness.run(`'${process.execPath}' '${world.program}' ${words} --json`, "", {
    GEMINI_CLI: "1",
  });
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
}

const ids = async () => {
  const { sessions } = JSON.parse((await peer.tt("peers --json", PEER)).stdout) as {
    readonly sessions: readonly { readonly agent_id: string; readonly session_id: string; readonly activity: string }[];
  };
  return sessions.filter(({ agent_id: id }) => id.startsWith("gemini:"));
};

const send = async (body: string) => {
  const { stdout } = await peer.tt(`msg send gemini "${body}" --no-wake --json`, PEER);
  const { deliveries } = JSON.parse(stdout) as { readonly deliveries: readonly { readonly will_be_seen: string }[] };
  return deliveries[0]?.will_be_seen;
};

/** The sessions that processes are said to be. */
const cards = () => {
  const directory = join(world.data, "agents");
  const files = readdirSync(directory).filter((name) => name.startsWith("card."));
  const texts = files.map((name) => readFileSync(join(directory, name), "utf8"));
  return texts.map((text) => (JSON.parse(text) as { readonly session_id: string }).session_id).toSorted();
};
const sessions = async () => (await ids()).map(({ session_id: id }) => id).toSorted();

describe("in the middle of a turn", () => {
  test("mail is shown at the next tool, as its sender was told, and comes again until it is settled", async () => {
    const me = await inShell(gemini, "whoami");
    expect(await gemini.hook("post-tool", SECOND, TRANSCRIPT)).toMatchObject(SILENT);
    expect(await send("hello")).toBe("next_tool_call");
    expect(bodyIn((await gemini.hook("post-tool", SECOND, TRANSCRIPT)).said)).toBe("hello");
    expect(await gemini.hook("stop", SECOND, TRANSCRIPT)).toMatchObject(SILENT);
    expect(await gemini.hook("prompt", THIRD, TRANSCRIPT)).toMatchObject({ said: expect.stringContaining("hello") });
    expect(await inShell(gemini, "whoami")).toMatchObject({ agent_id: me["agent_id"], session_id: FIRST });
    expect(await ids()).toMatchObject([{ agent_id: me["agent_id"], session_id: FIRST }]);
  });

  test("what its flag was raised for before is shown under the new id", async () => {
    await send("early");
    expect(bodyIn((await gemini.hook("post-tool", SECOND, TRANSCRIPT)).said)).toBe("early");
    expect(world.flagOf(SECOND)).toBe(false);
  });

  test("its tools and its end are the member's", async () => {
    const sign = join(world.data, "activity", FIRST);
    expect(existsSync(sign)).toBe(true);
    await gemini.hook("post-tool", SECOND, TRANSCRIPT);
    expect(existsSync(join(world.data, "activity", SECOND))).toBe(false);
    await gemini.hook("stop", SECOND, TRANSCRIPT);
    expect(await ids()).toMatchObject([{ session_id: FIRST, activity: "idle" }]);
    await gemini.hook("session-end", SECOND, { reason: "exit", ...TRANSCRIPT });
    expect(await ids()).toEqual([]);
  });

  test("after /clear the next session takes over what it had", async () => {
    await gemini.hook("prompt", SECOND, TRANSCRIPT);
    expect(await inShell(gemini, "try")).toMatchObject({ status: "your_turn" });
    await gemini.hook("session-end", SECOND, { reason: "clear", ...TRANSCRIPT });
    await gemini.hook("session-start", THIRD, { source: "clear" });
    expect(await inShell(gemini, "try")).toMatchObject({ status: "your_turn", reason: "already_owner" });
    expect(await ids()).toMatchObject([{ session_id: THIRD }]);
  });

  test("a session that is resumed by its first id is the agent that it was", async () => {
    const me = await inShell(gemini, "whoami");
    await gemini.hook("stop", SECOND, TRANSCRIPT);
    await gemini.hook("session-end", SECOND, { reason: "exit", ...TRANSCRIPT });
    const later = world.harness("gemini");
    await later.hook("session-start", FIRST, { source: "resume", ...TRANSCRIPT });
    expect(await ids()).toMatchObject([{ agent_id: me["agent_id"] }]);
  });
});

test("an earlier session that its user goes over to takes over, and is one member with its commands", async () => {
  expect(await inShell(gemini, "try")).toMatchObject({ status: "your_turn" });
  await gemini.hook("stop", FIRST, TRANSCRIPT);
  await gemini.hook("prompt", SECOND);
  expect(await ids()).toMatchObject([{ session_id: SECOND, activity: "busy" }]);
  expect(await inShell(gemini, "try")).toMatchObject({ status: "your_turn", reason: "already_owner" });
  expect(await send("hello")).toBe("next_tool_call");
  expect(bodyIn((await gemini.hook("post-tool", SECOND)).said)).toBe("hello");
});

describe("two sessions stay two", () => {
  test("in two processes, even with one transcript", async () => {
    const other = world.harness("gemini");
    await other.hook("session-start", SECOND, { source: "startup", ...TRANSCRIPT });
    await other.hook("prompt", SECOND, TRANSCRIPT);
    await other.hook("post-tool", SECOND, TRANSCRIPT);
    expect(await sessions()).toEqual([FIRST, SECOND]);
  });

  test("when one runs in the shell of the other", async () => {
    const payload = { session_id: SECOND, cwd: world.tree, source: "startup", ...TRANSCRIPT };
    const file = join(world.root, "inner.json");
    writeFileSync(file, JSON.stringify(payload));
    const hooks = ["session-start", "prompt", "post-tool"].map(
      (event) => `'${world.script}' gemini ${event} <'${file}'`,
    );
    const env = { GEMINI_CLI: "1", GEMINI_SESSION_ID: SECOND, HOOKS: `${hooks.join("; ")}; true` };
    await gemini.run(`'${join(world.root, "bin/gemini")}' -c "$HOOKS"; true`, "", env);
    expect(cards()).toEqual([FIRST, SECOND, PEER]);
    expect(await inShell(gemini, "whoami")).toMatchObject({ session_id: FIRST });
    await gemini.hook("post-tool", FIRST, TRANSCRIPT);
    expect((await ids()).find(({ session_id: id }) => id === FIRST)).toMatchObject({ activity: "busy" });
  });

  test("a subagent has the id of its parent, whichever that is", async () => {
    await send("hello");
    await gemini.hook("subagent-start", SECOND, TRANSCRIPT);
    expect(await gemini.hook("post-tool", SECOND, TRANSCRIPT)).toMatchObject(SILENT);
    expect(bodyIn((await gemini.hook("subagent-end", SECOND, TRANSCRIPT)).said)).toBe("hello");
    expect(await sessions()).toEqual([FIRST]);
  });
});
