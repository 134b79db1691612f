/** The hooks of Claude Code, from the command in its configuration to what its model reads. */
import { readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { idOf } from "../support/session-clues.ts";
import { type Harness, HookWorld } from "./support/hook-world.ts";
import { bodyIn } from "./support/said.ts";

const A = "11111111-aaaa-4aaa-8aaa-111111111111";
const B = "22222222-bbbb-4bbb-8bbb-222222222222";
const C = "33333333-cccc-4ccc-8ccc-333333333333";

const SILENT = { code: 0, stdout: "", stderr: "" };

interface Pair {
  readonly world: HookWorld;
  readonly ann: Harness;
  readonly bob: Harness;
}

/** Two sessions in one tree that know of each other: A, handle `claude-2`, and B, handle `claude`. */
async function pair(): Promise<Pair> {
  const world = new HookWorld();
  const [ann, bob] = [world.harness("claude"), world.harness("claude")];
  await ann.hook("session-start", A, { source: "startup" });
  await bob.hook("session-start", B, { source: "startup" });
  await ann.hook("prompt", A);
  return { world, ann, bob };
}

async function membersOf(world: HookWorld): Promise<string[]> {
  const { members } = (await world.done("state --json")).json() as { members: { agent_id: string }[] };
  return members.map(({ agent_id }) => agent_id).toSorted();
}

async function owner(world: HookWorld): Promise<string | null> {
  const { room } = (await world.done("state --json")).json() as { room: { owner: string | null } };
  return room.owner;
}

describe("a session starts", () => {
  test("alone in its project it sees nothing and joins nothing", async () => {
    const world = new HookWorld();
    const ann = world.harness("claude");
    for (const event of ["session-start", "prompt", "pre-tool", "post-tool", "stop"] as const) {
      expect(await ann.hook(event, A, { source: "startup" })).toMatchObject(SILENT);
    }
    expect((await world.tt("state --json")).error()).toMatchObject({ error: "room_not_found" });
    expect(world.log).toBe("");
  });

  test("alone in its project it is a live session of it, which every other session can see", async () => {
    const world = new HookWorld();
    const ann = world.harness("claude");
    await ann.hook("session-start", A, { source: "startup" });
    await ann.hook("prompt", A);
    expect((await world.done("peers --json")).json()).toEqual({
      sessions: [
        {
          agent_id: idOf("claude", A),
          handle: null,
          harness: "claude",
          session_id: A,
          state_card: null,
          activity: "busy",
          activity_since: expect.any(String) as string,
          holds_stick: false,
          reachable: false,
          unread: 0,
          last_seen_at: null,
        },
      ],
    });
    expect((await world.done("peers --text")).stdout).toContain(`${idOf("claude", A)} in no room yet, busy since`);
    await ann.hook("session-end", A, { reason: "other" });
    expect((await world.done("peers --json")).json()).toEqual({ sessions: [] });
  });

  test("the second joins and is told of the first, which joins at its next hook and is told too", async () => {
    const world = new HookWorld();
    const [ann, bob] = [world.harness("claude"), world.harness("claude")];
    await ann.hook("session-start", A, { source: "startup" });
    const started = await bob.hook("session-start", B, { source: "startup" });
    expect(started.said).toContain(`You are claude in ${world.tree}, with 1 agent about to join.`);
    expect(await membersOf(world)).toEqual([idOf("claude", B)]);
    expect(world.flagOf(A)).toBe(true);
    // Nothing is said before a tool, and what is to be said is not lost by it.
    expect(await ann.hook("pre-tool", A)).toMatchObject(SILENT);
    expect(world.flagOf(A)).toBe(true);
    const joined = await ann.hook("post-tool", A);
    expect(joined.said).toContain(`You are claude-2 in ${world.tree}, with claude.`);
    expect(JSON.parse(joined.stdout)).toMatchObject({ hookSpecificOutput: { hookEventName: "PostToolBatch" } });
    expect(await membersOf(world)).toEqual([idOf("claude", A), idOf("claude", B)].toSorted());
    expect(world.flagOf(A)).toBe(false);
    expect(await ann.hook("post-tool", A)).toMatchObject(SILENT);
  });

  test("in a marked workspace it joins alone, in silence", async () => {
    const world = new HookWorld();
    world.directory("tree/.talking-stick");
    expect(await world.harness("claude").hook("session-start", A, { source: "startup" })).toMatchObject(SILENT);
    expect(await membersOf(world)).toEqual([idOf("claude", A)]);
  });

  test("a session that left by its own choice is not brought back", async () => {
    const { world, ann } = await pair();
    expect(await ann.tt("leave --json", A)).toMatchObject({ code: 0 });
    await world.harness("claude").hook("session-start", C, { source: "startup" });
    expect(world.flagOf(A)).toBe(false);
    expect(await ann.hook("prompt", A)).toMatchObject(SILENT);
    expect(await membersOf(world)).not.toContain(idOf("claude", A));
  });
});

describe("mail", () => {
  test("comes after the next batch of tools, once, and its sender was told so", async () => {
    const { world, ann, bob } = await pair();
    const sent = await bob.tt("msg send claude-2 hello --json", B);
    expect(JSON.parse(sent.stdout)).toMatchObject({ deliveries: [{ will_be_seen: "next_tool_call" }] });
    expect(world.flagOf(A)).toBe(true);
    // What is said before a tool is dropped when that tool is rejected.
    expect(await ann.hook("pre-tool", A)).toMatchObject(SILENT);
    expect(world.flagOf(A)).toBe(true);
    const shown = await ann.hook("post-tool", A);
    expect(bodyIn(shown.said)).toBe("hello");
    expect(JSON.parse(shown.stdout)).toMatchObject({ hookSpecificOutput: { hookEventName: "PostToolBatch" } });
    const { message_id: id } = JSON.parse(sent.stdout) as { message_id: string };
    const delivery = async () =>
      ((await world.done(["msg", "trace", id, "--json"])).json() as { deliveries: object[] }).deliveries[0];
    const attempt = { n: 1, transport: "hook:claude:post-tool" };
    expect(await delivery()).toMatchObject({ state: "in_flight", attempts: [{ ...attempt, outcome: "shown" }] });
    expect(world.flagOf(A)).toBe(true);
    expect(await ann.hook("pre-tool", A)).toMatchObject(SILENT);
    expect(await delivery()).toMatchObject({ state: "acked", attempts: [{ ...attempt, outcome: "acked" }] });
    expect(await ann.hook("post-tool", A)).toMatchObject(SILENT);
    expect(world.flagOf(A)).toBe(false);
    expect(await ann.hook("prompt", A)).toMatchObject(SILENT);
  });

  test("comes at the end of the turn where no flag can be raised, and its sender was told so", async () => {
    const { world, ann, bob } = await pair();
    symlinkSync(join(world.data, "nowhere"), join(world.data, "flags", A));
    const sent = await bob.tt("msg send claude-2 hello --json", B);
    expect(JSON.parse(sent.stdout)).toMatchObject({ deliveries: [{ will_be_seen: "turn_end" }] });
    expect(await ann.hook("post-tool", A)).toMatchObject(SILENT);
    expect(bodyIn((await ann.hook("stop", A, { stop_hook_active: false })).said)).toBe("hello");
  });

  test("comes with the next prompt", async () => {
    const { ann, bob } = await pair();
    await ann.hook("stop", A);
    const sent = await bob.tt("msg send claude-2 hello --json", B);
    expect(JSON.parse(sent.stdout)).toMatchObject({ deliveries: [{ will_be_seen: "unknown" }] });
    const shown = await ann.hook("prompt", A);
    expect(bodyIn(shown.said)).toBe("hello");
    expect(JSON.parse(shown.stdout)).toMatchObject({ hookSpecificOutput: { hookEventName: "UserPromptSubmit" } });
  });

  test("lets a turn go on that was about to end, but no turn that goes on already", async () => {
    const { ann, bob } = await pair();
    await bob.tt("msg send claude-2 first --json", B);
    const stopped = await ann.hook("stop", A, { stop_hook_active: false });
    // A `block` would reach the model twice, and its user as an error.
    expect(JSON.parse(stopped.stdout)).toEqual({
      hookSpecificOutput: { hookEventName: "Stop", additionalContext: stopped.said },
    });
    expect(bodyIn(stopped.said)).toBe("first");
    await bob.tt("msg send claude-2 second --json", B);
    expect(await ann.hook("stop", A, { stop_hook_active: true })).toMatchObject(SILENT);
    expect(bodyIn((await ann.hook("prompt", A)).said)).toBe("second");
  });

  test("is not shown to a subagent, and nothing ends with one", async () => {
    const { world, ann, bob } = await pair();
    await bob.tt("msg send claude-2 hello --json", B);
    for (const event of ["pre-tool", "post-tool", "stop", "session-end"] as const) {
      const more = { agent_id: "agent-1", agent_type: "Explore", reason: "other" };
      expect(await ann.hook(event, A, more)).toMatchObject(SILENT);
    }
    expect(await membersOf(world)).toContain(idOf("claude", A));
    expect(bodyIn((await ann.hook("post-tool", A)).said)).toBe("hello");
  });
});

describe("the end of a turn", () => {
  test("a holder is reminded once of the stick, and again while an agent waits for it", async () => {
    const { world, ann, bob } = await pair();
    expect(await ann.tt("try --json", A)).toMatchObject({ code: 0 });
    const first = await ann.hook("stop", A);
    expect(first.said).toContain(`You still hold the stick of ${world.tree} (turn 1).`);
    expect(await ann.hook("stop", A, { stop_hook_active: true })).toMatchObject(SILENT);
    await ann.hook("prompt", A);
    expect(await ann.hook("stop", A)).toMatchObject(SILENT);
    await bob.tt("wait --timeout 100ms --json", B);
    expect((await ann.hook("stop", A)).said).toContain("One agent waits for it.");
  });
});

test("the agent to which the stick is passed is told so after its next tools, also if another tool began meanwhile", async () => {
  const { world, ann, bob } = await pair();
  expect(await bob.tt("try --json", B)).toMatchObject({ code: 0 });
  expect(await bob.tt("pass claude-2 --status s --next-action n --json", B)).toMatchObject({ code: 0 });
  expect(world.flagOf(A)).toBe(true);
  expect(await ann.hook("pre-tool", A)).toMatchObject(SILENT);
  expect((await ann.hook("post-tool", A)).said).toContain("was passed to you");
});

describe("a session ends", () => {
  test("it leaves its room, and the stick is free", async () => {
    const { world, ann } = await pair();
    await ann.tt("try --json", A);
    expect(await ann.hook("session-end", A, { reason: "prompt_input_exit" })).toMatchObject(SILENT);
    expect(await membersOf(world)).toEqual([idOf("claude", B)]);
    expect((await world.done("state --json")).json()).toMatchObject({ room: { owner: null, state: "idle" } });
  });

  test.each(["clear", "resume"])("after %s the next session of the process goes on in its place", async (reason) => {
    const { world, ann, bob } = await pair();
    await ann.tt("try --json", A);
    await bob.tt("msg send claude-2 hello --json", B);
    expect(await ann.hook("session-end", A, { reason })).toMatchObject(SILENT);
    const started = await ann.hook("session-start", C, { source: reason });
    expect(started.said).toContain("You are claude-2 in");
    expect(started.said).toContain("You hold the stick (turn 1)");
    expect(started.said).toContain("1 unread message: read_my_messages.");
    expect(await membersOf(world)).toEqual([idOf("claude", B), idOf("claude", C)].toSorted());
    expect(bodyIn((await ann.hook("prompt", C)).said)).toBe("hello");
    await ann.hook("stop", C);
    expect(await ann.hook("prompt", C)).toMatchObject(SILENT);
    const { events } = (await world.done("events --json --limit 50")).json() as { events: { event_type: string }[] };
    expect(events.map(({ event_type }) => event_type)).toContain("session_superseded");
  });

  test("what was shown before /clear and is not settled comes with the first prompt after it", async () => {
    const { ann, bob } = await pair();
    await bob.tt("msg send claude-2 hello --json", B);
    expect(bodyIn((await ann.hook("post-tool", A)).said)).toBe("hello");
    await ann.hook("session-end", A, { reason: "clear", prompt_id: "of /clear" });
    expect((await ann.hook("session-start", C, { source: "clear" })).said).toContain("1 unread message");
    const again = await ann.hook("prompt", C);
    expect(bodyIn(again.said)).toBe("hello");
    expect(again.said).toContain(", shown before]");
  });

  test("another process takes nothing over", async () => {
    const { world, ann } = await pair();
    await ann.tt("try --json", A);
    await ann.hook("session-end", A, { reason: "clear" });
    await world.harness("claude").hook("session-start", C, { source: "startup" });
    expect((await world.done("state --json")).json()).toMatchObject({ room: { owner: idOf("claude", A) } });
  });
});

describe("a session in two places", () => {
  test("resumed elsewhere after /clear it is another agent than its successor, to its hooks and its commands", async () => {
    const { world, ann } = await pair();
    await ann.hook("session-end", A, { reason: "clear" });
    await ann.hook("session-start", C, { source: "clear" });
    expect(await ann.tt("try --json", C)).toMatchObject({ code: 0 });
    const second = world.harness("claude");
    const told = await second.hook("session-start", A, { source: "resume" });
    expect(told.said).not.toContain("You hold the stick");
    expect(await membersOf(world)).toEqual([A, B, C].map((id) => idOf("claude", id)).toSorted());
    expect(JSON.parse((await second.tt("whoami --json", A)).stdout)).toMatchObject({ agent_id: idOf("claude", A) });
    expect(await second.tt("release --status s --next n --json", A)).not.toMatchObject({ code: 0 });
    await second.hook("session-end", A, { reason: "prompt_input_exit" });
    expect(await membersOf(world)).toEqual([B, C].map((id) => idOf("claude", id)).toSorted());
    expect(await owner(world)).toBe(idOf("claude", C));
  });
});

test("a session in two processes is shown by doctor, until one of them has ended", async () => {
  const world = new HookWorld();
  const [first, second] = [world.harness("claude"), world.harness("claude")];
  const shown = async () => {
    const { findings } = (await world.done("doctor --json")).json() as { findings: { name: string; text: string }[] };
    return findings.filter(({ name }) => name === "session");
  };
  await first.hook("session-start", A, { source: "startup" });
  expect(await shown()).toEqual([]);
  await second.hook("session-start", A, { source: "resume" });
  const pids = [first.pid, second.pid].toSorted((a, b) => a - b).join(" and ");
  expect(await shown()).toMatchObject([
    { level: "warning", text: expect.stringContaining(`${idOf("claude", A)} runs in processes ${pids}`) as string },
  ]);
  await second.hook("session-end", A, { reason: "prompt_input_exit" });
  expect(await shown()).toEqual([]);
});

test("the second process of a session takes nothing away from the first by its end", async () => {
  const { world, ann } = await pair();
  await ann.tt("try --json", A);
  const second = world.harness("claude");
  await second.hook("session-start", A, { source: "resume" });
  await second.hook("session-end", A, { reason: "prompt_input_exit" });
  second.kill();
  expect(await owner(world)).toBe(idOf("claude", A));
  await ann.hook("session-end", A, { reason: "prompt_input_exit" });
  expect(await owner(world)).toBeNull();
});

test("the quiet path leaves a sign of life of this boot, for the user alone", async () => {
  const world = new HookWorld();
  const ann = world.harness("claude");
  await ann.hook("session-start", A, { source: "startup" });
  await ann.hook("pre-tool", A);
  const path = join(world.data, "activity", A);
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  expect(readFileSync(path, "utf8")).toMatch(new RegExp(`^\\d+\\.\\d+\n${boot}\n$`));
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("the quiet path follows no link that is planted in the place of its sign", async () => {
  const world = new HookWorld();
  const ann = world.harness("claude");
  await ann.hook("session-start", A, { source: "startup" });
  const treasure = join(world.root, "treasure");
  writeFileSync(treasure, "not yours");
  symlinkSync(treasure, join(world.data, "activity", A));
  expect(await ann.hook("pre-tool", A)).toMatchObject(SILENT);
  expect(readFileSync(treasure, "utf8")).toBe("not yours");
});
