/** Which tools of which sessions the guard refuses, by what the store says now. */
import { mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { GUARD_MODES, type GuardMode } from "../../src/core/policy.ts";
import { HARNESSES } from "../../src/harness/harnesses.ts";
import { answerHook } from "../../src/hooks/answer-hook.ts";
import type { HookEvent } from "../../src/hooks/rules/hook.ts";
import { sha256Hex } from "../../src/platform/files/digest.ts";
import { makeRepository } from "../support/git-repository.ts";
import { accepted } from "../support/service-world.ts";
import { idOf } from "../support/session-clues.ts";
import { GuardService, HANDOFF, type Token } from "./guard-service.ts";

const [ME, OTHER] = ["session-me", "session-other"];

let service: GuardService;
let roomId: string;

beforeEach(async () => {
  service = new GuardService();
  roomId = await service.setMode("deny");
  for (const session of [ME, OTHER]) accepted(await service.session(session).joinPath({ contextPath: service.tree }));
});

/** What becomes of a write of mine: refused with this reason, told this, or nothing. */
async function outcome(write: () => Promise<string | null> = () => service.write(ME)): Promise<string> {
  const refused = await write();
  if (refused !== null) return refused;
  const told = await service.toldNext(ME);
  return told.length === 0 ? "allowed" : `told: ${told.join("\n")}`;
}

async function setMode(mode: GuardMode): Promise<void> {
  accepted(await service.person.changePolicy({ roomId, changes: { guard: mode } }));
}

/** The other session's process has died, and the grace is over. */
function die(session: string): void {
  service.world.gone.add(session);
  service.world.nowMs += 3_600_000;
}

/** How the stick may be, from the view of my session, and how each mode answers a write and an unknown command. */
const SITUATIONS: Readonly<
  Record<
    string,
    {
      readonly arrange: () => Promise<unknown>;
      readonly writes: Readonly<Record<GuardMode, RegExp>>;
      readonly strictUnknown: RegExp;
    }
  >
> = {
  "I hold it": {
    arrange: () => service.take(ME, roomId),
    writes: { off: /^allowed$/, advise: /^allowed$/, deny: /^allowed$/, strict: /^allowed$/ },
    strictUnknown: /^allowed$/,
  },
  "another session holds it": {
    arrange: () => service.take(OTHER, roomId),
    writes: {
      off: /^allowed$/,
      advise: /^told: \[talking stick\] claude-2 holds .*`tt wait`/,
      deny: /^Refused: claude-2 holds the stick since 00:16 UTC \(turn 1\)\. Nothing was written\. .*`tt wait`/,
      strict: /^Refused: claude-2 holds .*`tt wait`/,
    },
    strictUnknown: /^Refused: .*`tt wait`.*`tt ro -- COMMAND`/,
  },
  "nobody holds it": {
    arrange: async () => undefined,
    writes: {
      off: /^allowed$/,
      advise: /^allowed$/,
      deny: /^told: .*nobody does\..*`tt try`/,
      strict: /^Refused: .*nobody does\..*`tt try`/,
    },
    strictUnknown: /^Refused: .*`tt try`/,
  },
  "it is reserved for me": {
    arrange: () => reserveFor(ME),
    writes: {
      off: /^allowed$/,
      advise: /^allowed$/,
      deny: /^told: .*`tt try`/,
      strict: /^Refused: .*`tt try`/,
    },
    strictUnknown: /^Refused: .*`tt try`/,
  },
  "it is reserved for another session": {
    arrange: () => reserveFor(OTHER),
    writes: {
      off: /^allowed$/,
      advise: /^allowed$/,
      deny: /^told: .*reserved for claude-2\..*`tt wait`/,
      strict: /^Refused: The stick is reserved for claude-2\..*`tt wait`/,
    },
    strictUnknown: /^Refused: .*`tt wait`/,
  },
  "its holder is gone": {
    arrange: async () => {
      await service.take(OTHER, roomId);
      die(OTHER);
    },
    writes: {
      off: /^allowed$/,
      advise: /^allowed$/,
      deny: /^told: .*is gone or silent\..*`tt take --reason/,
      strict: /^Refused: .*is gone or silent\..*`tt take --reason/,
    },
    strictUnknown: /^Refused: .*`tt take/,
  },
  "the lease of its holder has expired": {
    arrange: async () => {
      accepted(await service.person.changePolicy({ roomId, changes: { leaseTtlMs: 1000 } }));
      await service.take(OTHER, roomId);
      service.world.nowMs += 2000;
    },
    writes: {
      off: /^allowed$/,
      advise: /^allowed$/,
      deny: /^told: .*`tt take --reason/,
      strict: /^Refused: .*`tt take --reason/,
    },
    strictUnknown: /^Refused: .*`tt take/,
  },
  "the room is closed": {
    arrange: async () => accepted(await service.person.closeRoom({ roomId, operatorRequested: true })),
    writes: { off: /^allowed$/, advise: /^allowed$/, deny: /^allowed$/, strict: /^allowed$/ },
    strictUnknown: /^allowed$/,
  },
};

/** A person takes the stick and passes it on. */
async function reserveFor(session: string): Promise<void> {
  const turn = accepted(await service.person.waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error(turn.status);
  const token = { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId };
  const toAgentId = idOf("claude", session);
  accepted(await service.person.passStick({ ...token, toAgentId, handoff: HANDOFF, operatorRequested: true }));
}

describe.each(Object.entries(SITUATIONS))("%s", (_, { arrange, writes, strictUnknown }) => {
  test.each(GUARD_MODES)("a write in mode %s", async (mode) => {
    await setMode(mode);
    await arrange();
    expect(await outcome()).toMatch(writes[mode]);
  });

  test.each(GUARD_MODES)("a command of unknown effect in mode %s", async (mode) => {
    await setMode(mode);
    await arrange();
    expect(await outcome(() => service.run(ME, "make"))).toMatch(mode === "strict" ? strictUnknown : /^allowed$/);
  });
});

describe("the holder", () => {
  test("gets a pass of its turn, which nothing else gives", async () => {
    await setMode("strict");
    await service.write(ME);
    expect(service.passOf(ME)).toBeNull();
    const token = await service.take(ME, roomId);
    await service.write(ME);
    // The lease ends after 45 minutes; a pass ends after half an hour.
    const word = `1.${sha256Hex(idOf("claude", ME)).slice(0, 16)}`;
    expect(service.passOf(ME)).toBe(`${roomId} ${word} 2800 boot-1\n`);
    await service.write(OTHER);
    expect(service.passOf(OTHER)).toBeNull();
    await service.release(ME, token);
    expect(readdirSync(join(service.dataDir, "guard/over"))).toEqual([`${roomId}.${word}`]);
  });

  test("gets no pass if the store is on another machine: no file here says that the turn is over", async () => {
    service.guardDeps = { ...service.guardDeps, sharedStore: true };
    await service.take(ME, roomId);
    expect(await outcome()).toBe("allowed");
    expect(service.passOf(ME)).toBeNull();
  });

  test("keeps the stick for its subagents", async () => {
    await setMode("strict");
    const token = await service.take(ME, roomId);
    expect(await service.write(ME, undefined, { isSubagent: true })).toBeNull();
    await service.release(ME, token);
    expect(await service.write(ME, undefined, { isSubagent: true })).toMatch(/^Refused/);
  });

  test("is not refused where the room knows it by a name that it had before its session id was known", async () => {
    await setMode("strict");
    const former = asAgentId("claude:provisional");
    accepted(await service.world.as(former, { store: service.deps.store }).waitForTurn({ roomId, maxWaitMs: 0 }));
    expect(await service.write(ME, undefined, { caller: { ...service.caller(ME), formerId: former } })).toBeNull();
    expect(await service.write(ME)).toMatch(/^Refused/);
  });

  test("is not refused after its session was superseded, under the new id or the old", async () => {
    await setMode("strict");
    await service.take(ME, roomId);
    await service.deps.store.supersede(asAgentId(idOf("claude", ME)), asAgentId(idOf("claude", "session-next")));
    const sameProcess = service.caller("session-next", ME);
    expect(await service.write("session-next", undefined, { caller: sameProcess })).toBeNull();
    expect(await service.write(ME, undefined, { caller: service.caller(ME, null) })).toBeNull();
    expect(await service.write(OTHER)).toMatch(/^Refused/);
    // The old id may go on elsewhere as an agent of its own.
    expect([service.passOf("session-next"), service.passOf(ME)]).toEqual([expect.any(String), null]);
  });

  test("is not refused when its harness has changed the id without a word", async () => {
    await setMode("strict");
    const transcriptPath = "/t/one.jsonl";
    await service.hook("session-start", ME, { transcriptPath });
    await service.take(ME, roomId);
    const rotated = { transcriptPath, mayRotate: true, caller: service.caller("session-rotated", ME) };
    expect(await service.write("session-rotated", undefined, rotated)).toBeNull();
    expect(await service.write("session-rotated", undefined, { ...rotated, mayRotate: false })).toMatch(/^Refused/);
    expect(service.passOf("session-rotated")).toContain(roomId);
  });
});

function nested(): string {
  mkdirSync(join(service.tree, "nested/deep"), { recursive: true });
  return join(service.tree, "nested");
}

describe("rooms inside rooms", () => {
  test("the deepest room alone decides", async () => {
    const inner = await service.setMode("deny", nested());
    await service.take(OTHER, roomId);
    await service.take(ME, inner);
    expect(await service.write(ME, join(service.tree, "nested/deep/x"))).toBeNull();
    expect(await service.write(OTHER, join(service.tree, "nested/deep/x"))).toMatch(/holds the stick/);
    expect(await service.write(ME)).toMatch(/holds the stick/);
  });

  test("one that is not guarded is not guarded by the room around it", async () => {
    await service.setMode("off", nested());
    await setMode("strict");
    await service.take(OTHER, roomId);
    expect(await service.write(ME, join(service.tree, "nested/deep/x"))).toBeNull();
    expect(await service.write(ME)).toMatch(/^Refused/);
  });

  test("a nested repository without a room is outside", async () => {
    await setMode("strict");
    makeRepository(join(service.tree, "vendor"));
    expect(await service.write(ME, join(service.tree, "vendor/x"))).toBeNull();
  });

  test("a refusal names the room that the agent must get the stick of, if it works elsewhere", async () => {
    const inner = await service.setMode("deny", nested());
    await service.take(OTHER, inner);
    expect(await service.write(ME, "nested/x")).toContain(`\`tt wait --path ${nested()}\``);
    expect(await service.write(ME, "x", { cwd: nested() })).toContain("`tt wait`");
  });
});

const patch = (...paths: string[]) => service.attempt(ME, { kind: "edit", tool: "apply_patch", paths });

describe("a patch", () => {
  test("is refused if one of its paths is in a room that another holds", async () => {
    await service.take(OTHER, roomId);
    const outside = service.world.directory("outside");
    expect(await patch(join(outside, "a"), join(outside, "b"))).toBeNull();
    expect(await patch(join(outside, "a"), join(service.tree, "b"))).toMatch(/^Refused/);
  });

  test("is refused if I hold only one of its rooms", async () => {
    const elsewhere = makeRepository(service.world.directory("elsewhere"));
    const second = await service.setMode("deny", elsewhere);
    await service.take(OTHER, second);
    await service.take(ME, roomId);
    expect(await patch("a", "b")).toBeNull();
    expect(await patch("a", join(elsewhere, "b"))).toMatch(/^Refused: claude holds/);
  });

  test("of several rooms takes the most severe verdict", async () => {
    const elsewhere = makeRepository(service.world.directory("elsewhere"));
    await service.setMode("strict", elsewhere);
    expect(await patch("a", join(elsewhere, "b"))).toContain(`\`tt try --path ${elsewhere}\``);
    expect(await patch("a")).toBeNull();
  });
});

describe("outside every room", () => {
  test("nothing is refused", async () => {
    await setMode("strict");
    await service.take(OTHER, roomId);
    const outside = service.world.directory("outside");
    expect(await outcome(() => service.write(ME, join(outside, "x")))).toBe("allowed");
    expect(await outcome(() => service.run(ME, "make", { cwd: outside }))).toBe("allowed");
    expect(await outcome(() => service.write(ME, "x", { cwd: outside }))).toBe("allowed");
    expect(await outcome(() => service.write(ME, "/dev/null"))).toBe("allowed");
  });

  test("a link that leads in is refused, also if it dangles", async () => {
    await service.take(OTHER, roomId);
    const outside = service.world.directory("outside");
    symlinkSync(join(service.tree, "new"), join(outside, "link"));
    expect(await service.write(ME, join(outside, "link"))).toMatch(/^Refused/);
  });

  test("a working directory that has vanished refuses nothing", async () => {
    await setMode("strict");
    const gone = service.world.directory("gone");
    rmSync(gone, { recursive: true });
    expect(await outcome(() => service.run(ME, "make", { cwd: gone }))).toBe("allowed");
  });
});

/** How many texts a write of mine brings; they are shown. */
async function textsBrought(): Promise<number> {
  expect(await service.write(ME)).toBeNull();
  return (await service.toldNext(ME)).length;
}

describe("an agent that is told", () => {
  test("is told once a turn", async () => {
    await setMode("advise");
    const token = await service.take(OTHER, roomId);
    expect([await textsBrought(), await textsBrought()]).toEqual([1, 0]);
    await service.release(OTHER, token);
    await service.take(OTHER, roomId);
    expect([await textsBrought(), await textsBrought()]).toEqual([1, 0]);
  });

  test("has its flag raised, so that its next hook shows it", async () => {
    await setMode("advise");
    await service.take(OTHER, roomId);
    await service.write(ME);
    await service.write(ME);
    expect(service.flags).toEqual(new Set([ME]));
    expect(await service.toldNext(ME)).toHaveLength(1);
  });

  /** The events of a turn with tools, in their order. */
  const TURN: readonly HookEvent[] = ["pre-tool", "post-tool", "stop", "prompt"];

  test.each(HARNESSES.map(({ name }) => name))("reads it in its next hook that shows something: %s", async (name) => {
    const { hooks: dialect } = HARNESSES.find((harness) => harness.name === name) ?? {};
    await service.hook("session-start", ME);
    await service.hook("prompt", ME);
    await service.take(OTHER, roomId);
    await setMode("advise");
    await service.write(ME);
    const said = [];
    for (const event of TURN) {
      const payload = { session_id: ME, cwd: service.tree, prompt_id: "turn-1", turn_id: "turn-1", prompt: "go on" };
      const call = dialect?.parse(event, { ...payload, last_assistant_message: "Done." });
      if (!dialect || !call) throw new Error(`${name} has no ${event}`);
      const answer = await answerHook(service.deps, service.caller(ME), call);
      const text = dialect.render(event, answer);
      await answer.afterFlush?.();
      if (text.includes("[talking stick] claude-2 holds the stick")) said.push([event, call.maxCharacters > 0]);
    }
    expect(said).toEqual([[["codex"].includes(name) ? "pre-tool" : "post-tool", true]]);
  });
});

test("a session that asks after the stick moved is refused, whatever pass it has", async () => {
  const token: Token = await service.take(ME, roomId);
  await service.write(ME);
  expect(service.passOf(ME)).not.toBeNull();
  await service.release(ME, token);
  await service.take(OTHER, roomId);
  expect(await service.write(ME)).toMatch(/^Refused: claude-2 holds the stick/);
});

const switchedOn = () => service.guardDeps.guard.guardedRooms().map((room) => room.roomId);

test("a switch follows the policy, and a room that is guarded from its beginning has one", async () => {
  expect(switchedOn()).toEqual([roomId]);
  await setMode("off");
  expect(switchedOn()).toEqual([]);
  await setMode("advise");
  expect(switchedOn()).toEqual([roomId]);
});
